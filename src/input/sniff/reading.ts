import { iconv } from '../../model/encoding.ts'
import { SourceError } from '../../model/errors.ts'
import { delimiterOf, type SourceSettings } from '../source.ts'
import { delimiters, recordsOf } from './delimiter.ts'

const encodings =
  'utf-8 windows-1252 windows-1250 windows-1251 windows-1254 macintosh cp850 cp437 cp866 koi8-r utf-16le utf-16be'
const mostText = 100_000

/** Throws a SourceError if another delimiter or encoding gives a header more of the columns that `count` looks for. */
export async function checkReading(
  source: string,
  header: readonly string[],
  { delimiter = delimiterOf(source), encoding = 'utf-8' }: Pick<SourceSettings, 'delimiter' | 'encoding'>,
  count: (columns: readonly string[]) => number,
): Promise<void> {
  const text = header.join(delimiter).slice(0, mostText)
  let best: { columns: readonly string[]; separator: string; by: string } | undefined
  let most = count(header)
  for (const [line, by] of [[text, encoding] as const, ...readAnew(text, encoding)])
    for (const separator of [delimiter, ...delimiters.filter(each => line.includes(each))]) {
      const [cells = []] = await recordsOf(line, separator, true)
      const columns = cells.map(cell => cell.trim())
      if (count(columns) <= most) continue
      most = count(columns)
      best = { columns, separator, by }
    }
  if (best === undefined) return
  throw new SourceError('misread_header', {
    source,
    columns: best.columns,
    delimiter: best.separator === delimiter ? undefined : best.separator,
    encoding: best.by === encoding ? undefined : best.by,
  })
}

/** The text by other encodings; `twice` if it was made UTF-8 twice. */
function readAnew(text: string, encoding: string): (readonly [text: string, by: string])[] {
  if (/^[\t -~]*$/.test(text)) return []
  const reread = (from: string, to: string) => iconv().decode(iconv().encode(text, from), to)
  const others = encodings.split(' ').map(by => [reread(encoding, by), by] as const)
  return [...others, [reread('windows-1252', 'utf-8'), 'twice'] as const].filter(([other]) => other !== text)
}
