import type { KeyRegistry } from '../engine/key-registry.ts'
import { placeName, type WaitingRow, type WaitingRows } from '../engine/waiting-rows.ts'
import { LogError, UsageError } from '../model/errors.ts'
import { bodyIn } from '../model/outcome.ts'
import type { Body, Row, RowPlace } from '../model/row.ts'
import type { Namesake, NewRow } from '../model/store.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import { namesakesIn } from '../store/files/spellings.ts'
import { spilledLines } from '../store/files/spilled-lines.ts'
import type { FirstRows } from './first-rows.ts'
import { fileOf } from './paths.ts'
import type { PreparedImport } from './prepared-import.ts'

/** The rows of an import that wait until its sources have ended. */
export function waitingRows(
  prepared: PreparedImport,
  { checkpoint, first, keys }: { checkpoint: Checkpoint; first: FirstRows; keys: KeyRegistry },
): WaitingRows {
  const { mapping, sources } = prepared
  const firstRows = new Map(first.rows.map(row => [placeName(row), row]))
  const lines = spilledLines()
  const log = fileOf(prepared.options.results)
  const bodyOf = (row: Row | undefined) => row && bodyIn(mapping.map(row, true))

  /** Reads rows again. One of a pipe is known only if it was one of the first. */
  async function bodiesAt(places: readonly RowPlace[]): Promise<Map<string, Body>> {
    const bodies = new Map<string, Body>()
    const wanted = new Set(places.map(placeName))
    const take = (row: Row) => {
      const body = wanted.delete(placeName(row)) ? bodyOf(row) : undefined
      if (body !== undefined) bodies.set(placeName(row), body)
    }
    for (const row of first.rows) take(row)
    for (const source of sources) {
      const isNeeded = () =>
        source.size !== undefined &&
        places.some(place => place.source === source.path && wanted.has(placeName(place)))
      if (isNeeded())
        for await (const rows of source.rows(() => {})) {
          for (const row of rows) take(row)
          if (wanted.size === 0) return bodies
        }
    }
    return bodies
  }

  /** Throws a LogError if the log cannot be read: calls went out already. */
  async function namesakesOf(rows: readonly NewRow[]): Promise<Map<string, Namesake>> {
    if (log === undefined) return new Map()
    return namesakesIn(log, checkpoint, rows, keys).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
      const { code, params } = error
      throw new LogError('cannot_read', { path: log, reason: 'reason' in params ? params.reason : code })
    })
  }

  return {
    ...{ bodiesAt, namesakesOf },
    get count() {
      return lines.count
    },
    add({ row: { value: _, ...row }, ...waiting }) {
      const saved: SavedRow = { ...row, cells: [...row.cells()] }
      lines.add(JSON.stringify({ ...waiting, row: saved }))
    },
    async *all() {
      for (const each of lines.all()) yield each.map(revived)
    },
    clear: () => lines.clear(),
    firstBody: place => bodyOf(firstRows.get(placeName(place))),
  }
}

type SavedRow = Omit<Row, 'value' | 'cells'> & { readonly cells: readonly (readonly [string, unknown])[] }

function revived(line: string): WaitingRow {
  const { row, ...waiting } = JSON.parse(line) as Omit<WaitingRow, 'row'> & { row: SavedRow }
  const value = (column: string) => {
    const values = row.cells.flatMap(([name, value]) => (name === column ? [value] : []))
    return values.length > 1 ? values : values[0]
  }
  return { ...waiting, row: { ...row, cells: () => row.cells, value } }
}
