import type { Denial } from '../../model/store.ts'
import { columnsOf } from './columns.ts'
import type { Query } from './database.ts'
import type { JoinedRun } from './registration.ts'

interface Sender {
  /** The name that the row was rejected by; null where it never was. */
  readonly replaced: Buffer | null
  readonly name: Buffer
  readonly source: number
  readonly row: number
}

/**
 * A rejected row and its repaired copy may have different keys, and only the first of them that asks is sent in a run. Returns the
 * others. Owners stand among those of records, under a name that is of this run alone.
 */
export async function otherCopies<Each extends Sender>(
  query: Query,
  run: JoinedRun,
  senders: readonly Each[],
): Promise<Map<Each, Denial>> {
  const copies = senders.filter(({ replaced }) => replaced !== null)
  if (copies.length === 0) return new Map()
  const owners = await query<{ id: Buffer; source: number; row: number }>(
    `INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
     SELECT DISTINCT ON (u.id) $1::int, u.id, u.name, u.source, u.row, $2::int
       FROM unnest($3::bytea[], $4::bytea[], $5::int[], $6::int[]) AS u(id, name, source, row) ORDER BY u.id
     ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.source, r.row`,
    [run.importId, run.id, ...columnsOf(copies, ['replaced', 'name', 'source', 'row'])],
  )
  return new Map(
    copies.flatMap(copy => {
      const owner = owners.find(({ id }) => copy.replaced?.equals(id))
      if (owner === undefined || (owner.source === copy.source && owner.row === copy.row)) return []
      const sameAs = { source: run.sources[owner.source]?.name ?? '', row: owner.row }
      return [[copy, { sameAs }] as const]
    }),
  )
}
