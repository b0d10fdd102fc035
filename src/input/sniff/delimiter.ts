import { csvParser } from '../csv.ts'

type Cells = readonly string[]

/** The first one wins if several fit alike. */
const delimiters = [',', ';', '\t', '|', '^', '`'] as const

/** Records of a text with one delimiter, without a last one that is cut off. */
export async function recordsOf(text: string, delimiter: string, isWhole: boolean): Promise<Cells[]> {
  const parser = csvParser(delimiter)
  const records: Cells[] = []
  parser.on('data', cells => records.push(cells))
  await new Promise<void>(done => {
    parser.once('error', () => done()).once('end', () => done())
    parser.write(text, () => {
      if (!isWhole) done()
    })
    if (isWhole) parser.end()
  })
  return records
}

const isEmptyLine = (cells: Cells) => cells.every(cell => cell.trim() === '')

/** The delimiter that gives most lines the same number of cells, more than one; if there is none, one that the text does not have. */
export async function sniffDelimiter(text: string, isWhole: boolean): Promise<string> {
  const tried = await Promise.all(
    delimiters.map(async delimiter => {
      const records = text.includes(delimiter) ? await recordsOf(text, delimiter, isWhole) : []
      return { delimiter, ...evenness(records.filter(cells => !isEmptyLine(cells))) }
    }),
  )
  const [best] = tried.sort((a, b) => b.score - a.score)
  if (best === undefined || best.score === 0 || isOneColumnOfText(text, best.delimiter))
    return text.includes(',') ? (delimiters.find(delimiter => !text.includes(delimiter)) ?? ',') : ','
  return best.delimiter
}

/** How many cells most records have, and how much the others agree: a header and most rows should have as many. */
function evenness(records: readonly Cells[]): { readonly score: number } {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [width = 1, most = 0] = [...counts].filter(([cells]) => cells > 1).sort(byCountThenWidth)[0] ?? []
  if (most === 0) return { score: 0 }
  const near = records.filter(cells => Math.abs(cells.length - width) <= 1 && cells.length > 1).length
  const share = (most + near) / (2 * records.length)
  const clean = records.filter(cells => !cells.some(hasStrayQuote)).length / records.length
  return { score: share * clean * (1 + Math.log10(width) / 5) }
}

const byCountThenWidth = (a: readonly number[], b: readonly number[]) =>
  (b[1] ?? 0) - (a[1] ?? 0) || (b[0] ?? 0) - (a[0] ?? 0)

/** A cell that begins with a quote still has it only where the delimiter is another one. */
const hasStrayQuote = (cell: string) => /^"[^"]+"[;,\t|^`]/.test(cell)

/** One word above texts in which a comma and a blank stand: a list of names, not two columns. */
function isOneColumnOfText(text: string, delimiter: string): boolean {
  if (delimiter !== ',') return false
  const lines = text.split(/\r\n|\n|\r/, 50).filter(line => line.trim() !== '')
  const [header = '', ...rows] = lines
  return (
    !header.includes(',') &&
    !lines.some(line => line.includes('"')) &&
    rows.length > 0 &&
    rows.every(row => !/,(?! )/.test(row))
  )
}
