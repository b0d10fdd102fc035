/** What differs from run to run, and what stands for it. */
const passing: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'],
  [/\b0[0-9A-HJKMNP-TV-Z]{25}\b/g, 'RUN'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+Z)?)?/g, 'TIME'],
  [/\(\d{4}-\d\d-\d\d\)/g, '(DAY)'],
  [/\bNode \d+\.\d+\.\d+/g, 'Node VERSION'],
  [/\b[\d,]+ (MB free|rows per second)/g, 'N $1'],
  [/\b\d+(\.\d+){3}(:\d+)?\b/g, 'ADDRESS'],
  [/\b\d[\d.,]* ?(ms|s|min|h|days?|a second)\b/g, 'DURATION'],
  [/"(hash|body_hash|chain|crc32|\w*sha256)":"[0-9a-f…]+"/g, '"$1":"…"'],
  [/"intents":\[[\d,]+\],/g, ''],
  [/"duration_ms":\d+/g, '"duration_ms":0'],
  [/\b[0-9a-zA-Z]{2,}…/g, '…'], // an id or a checksum that is cut short
  [/[ \t]+$/gm, ''],
]

const lasting = (text: string): string =>
  passing.reduce((changed, [pattern, name]) => changed.replace(pattern, name), text)

/** Whether an output has what a page shows of it: line by line, but for ids, times and durations. "…" stands for any text of a line. */
export function shows(output: string, shown: string): boolean {
  const lines = lasting(shown.trim()).split('\n')
  const pattern = lines.map(line => line.split('…').map(quoted).join('[^\\n]*?')).join('\\n')
  return new RegExp(`(?<!\\w)${pattern}(?!\\w)`).test(lasting(output))
}

const quoted = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
