import { delimiters, recordsOf } from '../../../input/sniff/misread-header.ts'

type Records = readonly (readonly string[])[]

/** Returns the delimiter that splits most lines into the same number of cells, more than one; else one that the text lacks. */
export async function sniffDelimiter(text: string, isWhole: boolean): Promise<string> {
  const tried = await Promise.all(
    delimiters.map(async delimiter => {
      const records = text.includes(delimiter) ? await recordsOf(text, delimiter, isWhole) : []
      return { delimiter, score: evenness(records.filter(cells => cells.some(cell => cell.trim() !== ''))) }
    }),
  )
  const [best] = tried.sort((a, b) => b.score - a.score)
  if (best !== undefined && best.score > 0 && !(best.delimiter === ',' && isOneColumn(text)))
    return best.delimiter
  return text.includes(',') ? (delimiters.find(delimiter => !text.includes(delimiter)) ?? ',') : ','
}

/** The number of records with the most common number of cells, or nearly; more cells are better. */
function evenness(records: Records): number {
  const [width, most] = usualWidth(records.filter(({ length }) => length > 1))
  const near = records.filter(cells => Math.abs(cells.length - width) <= 1 && cells.length > 1).length
  const clean = records.filter(cells => !cells.some(hasStrayQuote)).length
  return most === 0 ? 0 : ((most + near) / 2) * (clean / records.length ** 2) * (1 + Math.log10(width) / 5)
}

/** The most common number of cells, and of how many records; more cells win a tie. */
export function usualWidth(records: Records): readonly [width: number, records: number] {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || b - a)[0] ?? [1, 0]
}

/** Checks for a cell that was quoted, but ends at another delimiter. */
const hasStrayQuote = (cell: string) => /^"[^"]+"[;,\t|^`]/.test(cell)

/** One word above texts with a comma and a blank: a list of names, not two columns. */
function isOneColumn(text: string): boolean {
  const [header = '', ...rows] = text.split(/\r\n|\n|\r/, 50).filter(line => line.trim() !== '')
  return !/[",]/.test(header) && rows.length > 0 && !rows.some(row => /"|,(?! )/.test(row))
}
