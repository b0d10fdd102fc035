import type { PreparedImport } from '../../run/prepared-import.ts'
import type { RowIndex } from './row-index.ts'

const most = 5

/** Chooses the rows that differ most: the first one, then whichever is least like those that are chosen. */
export function chooseRows(index: RowIndex, candidates: Iterable<number>): number[] {
  const rows = [...candidates].flatMap(row => index.at(row) ?? [])
  const traits = new Map(rows.map(row => [row.row, traitsOf(row.cells, row.omitted, row.kept)]))
  const [first] = traits.keys()
  const chosen = first === undefined ? [] : [first]
  while (chosen.length < Math.min(most, traits.size)) {
    const distance = (row: number) =>
      Math.min(...chosen.map(other => difference(traits.get(row) ?? [], traits.get(other) ?? [])))
    const [next = 0] = [...traits.keys()]
      .filter(row => !chosen.includes(row))
      .sort((a, b) => distance(b) - distance(a) || a - b)
    chosen.push(next)
  }
  return chosen.sort((a, b) => a - b)
}

/** The size of each cell in steps, and whether values were left out or sent as they are. */
const traitsOf = (cells: readonly string[], omitted?: readonly unknown[], kept?: readonly unknown[]) => [
  ...cells.map(cell => (cell === '' ? -2 : Math.min(3, Math.floor(Math.log10(cell.length) * 2)))),
  omitted === undefined ? 0 : 4,
  kept === undefined ? 0 : 4,
]

const difference = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, trait, at) => sum + Math.abs(trait - (other[at] ?? 0)), 0)

/** The import with these rows of its source alone; the others are not looked at. */
export function onlyRows(
  prepared: PreparedImport,
  path: string,
  wanted: (row: number) => boolean,
  count: number,
) {
  const sources = prepared.sources.map(source => ({
    ...source,
    async *rows(...how: Parameters<typeof source.rows>) {
      if (source.path !== path) return
      let left = count
      for await (const batch of source.rows(...how)) {
        const rows = batch.filter(({ row }) => wanted(row))
        left -= rows.length
        if (rows.length > 0) yield rows
        if (left <= 0) return
      }
    },
  }))
  return { ...prepared, totalBytes: undefined, sources }
}
