import type { KeyRegistry } from '../engine/key-registry.ts'
import { placeName, type WaitingRow, type WaitingRows } from '../engine/waiting-rows.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { LogError, type UsageError } from '../model/errors.ts'
import type { Body, Row, RowPlace } from '../model/row.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import { namesakesIn } from '../store/files/namesakes.ts'
import { SpilledLines } from '../store/files/spilled-lines.ts'
import type { FirstRows } from './first-rows.ts'
import { fileOf } from './paths.ts'
import type { PreparedImport } from './prepared-import.ts'

/** The rows of an import that wait until its sources have ended. */
export function waitingRows(
  prepared: PreparedImport,
  { checkpoint, first, keys }: { checkpoint: Checkpoint; first: FirstRows; keys: KeyRegistry },
): WaitingRows {
  const { mapping } = prepared
  const firstRows = new Map(first.rows.map(row => [placeName(row), row]))
  const lines = new SpilledLines()
  const log = fileOf(prepared.options.results)
  return {
    get count() {
      return lines.count
    },
    add: ({ row, ...waiting }) => lines.add(JSON.stringify({ ...waiting, row: savedRow(row) })),
    async *all() {
      for (const each of lines.all()) yield each.map(revived)
    },
    clear: () => lines.clear(),
    firstBody: place => bodyOf(firstRows.get(placeName(place)), mapping),
    bodiesAt: places => bodiesAt(prepared, first, places),
    namesakesOf: async rows =>
      log === undefined
        ? new Map()
        : namesakesIn(log, checkpoint, rows, key => keys.hasCome(key)).catch(error =>
            throwUnread(log, error),
          ),
  }
}

/** Throws a LogError: calls went out already. */
function throwUnread(path: string, { code, params }: UsageError): never {
  throw new LogError('cannot_read', { path, reason: 'reason' in params ? params.reason : code })
}

type SavedRow = Omit<Row, 'value' | 'cells'> & { readonly cells: readonly (readonly [string, unknown])[] }

const savedRow = ({ value: _, ...row }: Row): SavedRow => ({ ...row, cells: [...row.cells()] })

function revived(line: string): WaitingRow {
  const { row, ...waiting } = JSON.parse(line) as Omit<WaitingRow, 'row'> & { row: SavedRow }
  const value = (column: string) => {
    const values = row.cells.flatMap(([name, value]) => (name === column ? [value] : []))
    return values.length > 1 ? values : values[0]
  }
  return { ...waiting, row: { ...row, cells: () => row.cells, value } }
}

function bodyOf(row: Row | undefined, mapping: Mapping): Body | undefined {
  const mapped = row && mapping.map(row, true)
  return mapped && 'body' in mapped ? mapped.body : undefined
}

/** Reads rows again. One of a pipe is known only if it was one of the first. */
async function bodiesAt(
  { sources, mapping }: PreparedImport,
  first: FirstRows,
  places: readonly RowPlace[],
): Promise<Map<string, Body>> {
  const bodies = new Map<string, Body>()
  const wanted = new Set(places.map(placeName))
  const take = (row: Row) => {
    const body = wanted.delete(placeName(row)) ? bodyOf(row, mapping) : undefined
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
