import { recordsOf } from './sniff-delimiter.ts'
import { knownNames } from './sniff-header-words.ts'

/** How quotes were used that CSV does not know: around whole records, or single ones around cells. */
export type OddQuotes = 'around_records' | 'single'

const mostLooked = 50

/** Tells odd quotes by the first records, as the delimiter has taken them apart. */
export async function sniffQuotes(all: readonly (readonly string[])[]): Promise<OddQuotes | undefined> {
  const records = all.filter(cells => cells.some(cell => cell.trim() !== '')).slice(0, mostLooked)
  const [first = []] = records
  if (first.length > 1 && first.every(cell => /^'.*'$/.test(cell.trim()))) return 'single'
  if (records.length < 2 || records.some(cells => cells.length !== 1)) return undefined
  const text = records.map(([cell = '']) => cell).join('\n')
  for (const delimiter of [',', ';', '\t']) {
    const inner = await recordsOf(text, delimiter, true)
    const [header = []] = inner
    const isEven = inner.length === records.length && inner.every(({ length }) => length === header.length)
    if (isEven && header.length > 1 && knownNames(header) > 1) return 'around_records'
  }
  return undefined
}
