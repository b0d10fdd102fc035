import type { SharedStore, StorePosition } from '../../run/prepared-import.ts'
import { required } from '../../run/resolve-options.ts'
import type { Opening } from '../../store/files/lines.ts'
import type { Query } from './query.ts'
import { hasTables, withLedger } from './schema.ts'

/** The time limit of a count of ten million lines. */
export const mostMs = 600_000

/** Reads how far an import is, in one view; one that is not registered is where it begins. Throws a UsageError or a LogError. */
export const withPosition: SharedStore['withPosition'] = ({ settings, ports }, read) => {
  const name = required(settings.import, 'import')
  return withLedger(settings, ports, async database =>
    (await hasTables(database))
      ? database.snapshot(async query => read(await positionOf(query, name)))
      : read(positionWithout(name)),
  )
}

/** The position of an import that has no run. */
const positionWithout = (name: string): StorePosition => ({
  facts: async () => ({ import: name, runs: 0, lines: {}, in_doubt: 0, under_way: 0 }),
  runs: [],
  isOpen: false,
})

/**
 * Reads how far an import is. Whatever becomes of a row adds a line, also if a person settles it, so the counts of lines only grow. They
 * take 10 s for a million lines.
 */
export async function positionOf(query: Query, name: string): Promise<StorePosition> {
  const rows = await query<{ import: number; id: number; opening: string; isOpen: boolean }>(
    `SELECT r.import, r.id, r.opening, r.ended IS NULL AS "isOpen"
       FROM rowlift.run r JOIN rowlift.import i ON i.id = r.import WHERE i.name = $1 ORDER BY r.id`,
    [name],
  )
  const last = rows.at(-1)
  if (last === undefined) return positionWithout(name)
  const runs = rows.map(({ opening }) => JSON.parse(opening) as Opening)
  async function facts() {
    const lines = await query<{ status: string; count: number }>(
      'SELECT status, count(*) FROM rowlift.line WHERE run = ANY($1) GROUP BY status ORDER BY status',
      [rows.map(({ id }) => id)],
      mostMs,
    )
    const [calls] = await query<Record<'in_doubt' | 'under_way', number>>(
      `SELECT count(*) FILTER (WHERE state = 'd') AS in_doubt, count(*) FILTER (WHERE state = 'o') AS under_way
         FROM rowlift.entry WHERE import = $1`,
      [last?.import],
    )
    const counts = Object.fromEntries(lines.map(({ status, count }) => [status, count]))
    return { import: name, runs: runs.length, run: runs.at(-1)?.run ?? '', lines: counts, ...calls }
  }
  return { facts, runs, isOpen: last.isOpen }
}
