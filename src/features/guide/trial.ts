import type { PreparedImport } from '../../run/prepared-import.ts'
import type { RowIndex, StoredRow } from './row-index.ts'

const most = 5

/** Chooses the rows that differ most: the first one, then whichever is least like those that are chosen. */
export function chooseRows(index: RowIndex, candidates: Iterable<number>): number[] {
  const left = new Map(
    [...candidates].flatMap(row => index.at(row) ?? []).map(row => [row.row, traitsOf(row)]),
  )
  const chosen = new Map<number, readonly number[]>()
  const isLike = (traits: readonly number[]) =>
    Math.min(...[...chosen.values()].map(other => difference(traits, other)))
  while (chosen.size < most && left.size > 0) {
    const [next] = [...left].sort(([a, one], [b, other]) => isLike(other) - isLike(one) || a - b)
    if (next === undefined) break
    chosen.set(...next)
    left.delete(next[0])
  }
  return [...chosen.keys()]
}

/** The size of each cell in steps, and how many values were left out or are sent as they are. */
const traitsOf = ({ cells, notes = [] }: StoredRow) => [
  ...cells.map(cell => (cell === '' ? -2 : Math.min(3, Math.floor(Math.log10(cell.length) * 2)))),
  4 * notes.length,
]

const difference = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, trait, at) => sum + Math.abs(trait - (other[at] ?? 0)), 0)

/** The import with rows of one of its sources alone; all of them by default. */
export function onlyRows(
  prepared: PreparedImport,
  path: string,
  wanted?: ReadonlySet<number>,
): PreparedImport {
  const sources = prepared.sources.map(source => ({
    ...source,
    async *rows(...how: Parameters<typeof source.rows>) {
      if (source.path !== path) return
      let left = wanted?.size ?? Number.POSITIVE_INFINITY
      for await (const batch of source.rows(...how)) {
        const rows = batch.filter(({ row }) => wanted?.has(row) ?? true)
        left -= rows.length
        yield rows
        if (left <= 0) return
      }
    },
  }))
  return { ...prepared, totalBytes: undefined, sources }
}
