import { SourceError, type SourceProblems } from '../../model/errors.ts'
import { iconv } from '../../model/package.ts'
import { csvParser, isEmptyLine } from '../csv.ts'
import { delimiterOf, formatFor, type SourceSettings } from '../source.ts'

/** The first one wins a tie. */
export const delimiters = [',', ';', '\t', '|', '^', '`'] as const

/** The records of a text that are not empty; a last one that is cut off is left out. */
export async function recordsOf(text: string, delimiter: string, isWhole: boolean): Promise<string[][]> {
  const records: string[][] = []
  const parser = csvParser(delimiter, cells => isEmptyLine(cells) || records.push(cells))
  await new Promise<void>(done => {
    parser.once('error', () => done()).once('end', () => done())
    parser.write(text, () => {
      if (!isWhole) done()
    })
    if (isWhole) parser.end()
  })
  return records
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
