import { lazyLibrary } from '../../model/package.ts'
import { isProblem, problem } from '../../model/problem.ts'
import { escapeHtml, isTooDeep, mostLevels, textOf } from '../../model/values.ts'

/** Turns a value that is not empty into the one that is sent; undefined is empty, a Problem makes the row invalid. */
export type Transform = (value: unknown) => unknown

/** A transform of the value's text. */
export const onText =
  (read: (text: string) => unknown): Transform =>
  value => {
    const text = textOf(value)
    return isProblem(text) ? text : read(text)
  }

/** Text stays as it is, with its leading zeros: it never becomes a number by itself. */
export const stringTransform: Transform = onText(text => text)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in lower case. */
export const uuidTransform: Transform = onText(text =>
  uuid.test(text.toLowerCase()) ? text.toLowerCase() : problem('not_uuid'),
)

/** Parses a cell as JSON; values of NDJSON rows that are not text pass as they are. */
export const jsonTransform: Transform = value => {
  if (typeof value !== 'string') return value
  try {
    const json: unknown = JSON.parse(value)
    return isTooDeep(json) ? problem('too_deep', { levels: mostLevels }) : (json ?? undefined)
  } catch {
    return problem('not_json_value')
  }
}

export const yesWords = ['true', 'yes', 'y', '1', 'on', 'x']
export const noWords = ['false', 'no', 'n', '0', 'off']

/** Reads yes and no by lists of words, ignoring case; booleans of NDJSON rows pass as they are. */
export function booleanTransform(
  trueWords: readonly string[] = yesWords,
  falseWords: readonly string[] = noWords,
): Transform {
  const known = new Map([
    ...falseWords.map(word => [word.trim().toLowerCase(), false] as const),
    ...trueWords.map(word => [word.trim().toLowerCase(), true] as const),
  ])
  const read = onText(
    text => known.get(text.toLowerCase()) ?? problem('not_boolean', { yes: trueWords, no: falseWords }),
  )
  return value => (typeof value === 'boolean' ? value : read(value))
}

/** Plain text as HTML: special characters are escaped, paragraphs and line breaks are kept. */
export const htmlTransform: Transform = onText(text =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .map(paragraph => paragraph.split('\n').map(line => escapeHtml(line.trimEnd())))
    .map(lines => `<p>${lines.join('<br>')}</p>`)
    .join(''),
)

const markdownIt = lazyLibrary<typeof import('markdown-it')['default']>('markdown-it')
let markdown: InstanceType<ReturnType<typeof markdownIt>> | undefined

/** Markdown as HTML; raw HTML in it stays text. */
export const markdownTransform: Transform = onText(text => {
  markdown ??= new (markdownIt())({ html: false })
  return markdown.render(text).trim()
})
