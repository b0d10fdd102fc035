import { SourceError, type SourceProblems } from '../../model/errors.ts'
import { iconv } from '../../model/package.ts'
import { csvParser } from '../csv.ts'
import { delimiterOf, formatFor, type SourceSettings } from '../source.ts'

/** The first one wins a tie. */
const delimiters = [',', ';', '\t', '|', '^', '`'] as const

/** The records of a text; a last one that is cut off is left out. */
export async function recordsOf(text: string, delimiter: string, isWhole: boolean): Promise<string[][]> {
  const records: string[][] = []
  const parser = csvParser(delimiter, cells => records.push(cells))
  await new Promise<void>(done => {
    parser.once('error', () => done()).once('end', () => done())
    parser.write(text, () => {
      if (!isWhole) done()
    })
    if (isWhole) parser.end()
  })
  return records
}

/** Returns the delimiter that splits most lines into the same number of cells, more than one; else one that the text lacks. */
export async function sniffDelimiter(text: string, isWhole: boolean): Promise<string> {
  const tried = await Promise.all(
    delimiters.map(async delimiter => {
      const records = text.includes(delimiter) ? await recordsOf(text, delimiter, isWhole) : []
      return { delimiter, score: evenness(records.filter(cells => cells.some(cell => cell.trim() !== ''))) }
    }),
  )
  const [best] = tried.sort((a, b) => b.score - a.score)
  if (best !== undefined && best.score > 0 && !(best.delimiter === ',' && isOneColumn(text))) {
    const twice = best.delimiter.repeat(2)
    return best.delimiter === ',' || text.replaceAll(twice, '').includes(best.delimiter)
      ? best.delimiter
      : twice
  }
  return text.includes(',') ? (delimiters.find(delimiter => !text.includes(delimiter)) ?? ',') : ','
}

/** The number of records with the most common number of cells, or nearly; more cells are better. */
function evenness(records: readonly (readonly string[])[]): number {
  const [width, most] = usualWidth(records.filter(({ length }) => length > 1))
  const near = records.filter(cells => Math.abs(cells.length - width) <= 1 && cells.length > 1).length
  const clean = records.filter(cells => !cells.some(hasStrayQuote)).length
  return most === 0 ? 0 : ((most + near) / 2) * (clean / records.length ** 2) * (1 + Math.log10(width) / 5)
}

/** The most common number of cells, and of how many records; more cells win a tie. */
export function usualWidth(
  records: readonly (readonly string[])[],
): readonly [width: number, records: number] {
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

const encodings =
  'utf-8 windows-1252 windows-1250 windows-1251 windows-1254 macintosh cp850 cp437 cp866 koi8-r utf-16le utf-16be'
const mostText = 100_000

/** Throws a SourceError if another delimiter or encoding gives a header more of the columns that `count` looks for. */
export async function checkReading(
  source: string,
  header: readonly string[] | undefined,
  settings: Pick<SourceSettings, 'format' | 'delimiter' | 'encoding'>,
  count: ((columns: readonly string[]) => number) | undefined,
): Promise<void> {
  if (header === undefined || count === undefined || formatFor(source, settings) !== 'csv') return
  const { delimiter = delimiterOf(source), encoding = 'utf-8' } = settings
  const text = header.join(delimiter).slice(0, mostText)
  let best: SourceProblems['misread_header'] | undefined
  let most = count(header)
  for (const [line, by] of [[text, encoding] as const, ...readAnew(text, encoding)])
    for (const separator of [delimiter, ...delimiters.filter(each => line.includes(each))]) {
      const [cells = []] = await recordsOf(line, separator, true)
      const columns = cells.map(cell => cell.trim())
      if (count(columns) <= most) continue
      most = count(columns)
      best = {
        source,
        columns,
        delimiter: separator === delimiter ? undefined : separator,
        encoding: by === encoding ? undefined : by,
      }
    }
  if (best !== undefined) throw new SourceError('misread_header', best)
}

/** The text by other encodings; `twice` if it was made UTF-8 twice. */
function readAnew(text: string, encoding: string): (readonly [text: string, by: string])[] {
  if (/^[\t -~]*$/.test(text)) return []
  const reread = (from: string, to: string) => iconv().decode(iconv().encode(text, from), to)
  const others = encodings.split(' ').map(by => [reread(encoding, by), by] as const)
  return [...others, [reread('windows-1252', 'utf-8'), 'twice'] as const].filter(([other]) => other !== text)
}
