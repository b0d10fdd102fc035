// The knowledge of a ledger about keys and records: the tables `entry` and `record`, as several statements change them.
import { replacedName } from '../../model/content-key.ts'
import type { RowIdentity } from '../../model/row.ts'
import { describeProblem } from '../../output/words.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { type OrphanedCall, orphanDoubt, orphanLine } from '../../store/files/lines.ts'
import { digestOf, type Query } from './query.ts'
import type { JoinedRun } from './run.ts'

/** Free, open intent, in doubt, refused, settled. */
export type EntryState = 'f' | 'o' | 'd' | 'r' | 's'

/** A row of the table `entry`, with its last line. Its name is the digest of the key. */
export interface CallEntry {
  readonly name: string
  readonly state: EntryState
  readonly run: number | null
  readonly source: number
  readonly row: number
  /** The number of its last line. */
  readonly seq: number | null
  readonly line: string | null
}

/** An entry by its last line, which a statement compares. */
type SeenEntry = Pick<CallEntry, 'name' | 'seq'>

/** A worker that was stopped in the middle of a call needs a moment more than the call may take. */
const marginS = 5

/** Selects entries in doubt by their index. */
export const inDoubt = `state = 'd' AND held_until IS NOT NULL`

/** The end of the time for which the call of the entry `e`, which comes in doubt now, may be under way. */
export const heldUntil = `clock_timestamp() + make_interval(secs => ${marginS} + coalesce(
           (SELECT attempt_s FROM rowlift.chunk c WHERE c.run = e.run AND c.no = e.chunk), 0))`

/**
 * Gives entries another state and a line, unless they have another state or line by now; returns how many. Until `held_until` a
 * worker may still hold the call of a doubt, also once a person named its record: that may be taken back.
 */
export async function changeEntries(
  query: Query,
  importId: number,
  { from, to, status }: Record<'from' | 'to', EntryState> & { readonly status: string },
  entries: readonly (SeenEntry & { readonly line: string })[],
): Promise<number> {
  const changed = await query(
    `WITH u AS (SELECT * FROM json_to_recordset($5) AS u(name bytea, seq bigint, line text)),
     put AS (
       UPDATE rowlift.entry e SET state = $3::"char", intent = NULL, line = nextval('rowlift.line_seq_seq'),
         held_until = CASE WHEN $3::"char" = 'd' THEN ${heldUntil} ELSE e.held_until END
         FROM u WHERE e.import = $1 AND e.name = u.name AND e.state = $2::"char" AND e.line IS NOT DISTINCT FROM u.seq
       RETURNING e.name, e.line AS seq, e.run, e.chunk, e.row)
     INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
     SELECT put.seq, put.run, put.chunk, put.row, $4, u.line FROM put JOIN u USING (name) RETURNING seq`,
    [importId, from, to, status, JSON.stringify(entries)],
  )
  return changed.length
}

/** In the place of a body as JSON: the row claims its key, and no call is made. */
export const noCall = 'null'

const isCall = ({ intent }: { readonly intent: string }) =>
  (JSON.parse(intent) as { readonly body: unknown }).body !== null

/** Puts the calls that another worker may have under way in doubt: those of a chunk, in the transaction that takes it, or of the run. */
export async function doubtOpenIntents(query: Query, run: JoinedRun, chunk?: number): Promise<void> {
  const { importId, id, opening } = run
  const open = await query<SeenEntry & { readonly intent: string }>(
    `SELECT name, line AS seq, intent FROM rowlift.entry
      WHERE import = $1 AND run = $2 AND chunk BETWEEN coalesce($3::int, 0) AND coalesce($3, 2147483647) AND state = 'o'
      ORDER BY name FOR UPDATE`,
    [importId, id, chunk],
  )
  const free = open.filter(entry => !isCall(entry)).map(({ name }) => name)
  if (free.length > 0)
    await query(`UPDATE rowlift.entry SET state = 'f', intent = NULL WHERE import = $1 AND name = ANY($2)`, [
      importId,
      free,
    ])
  const calls = open.filter(isCall)
  if (calls.length === 0) return
  const lines = calls.map(({ intent, ...entry }) => {
    const doubt = orphanDoubt(JSON.parse(intent) as OrphanedCall, opening.record)
    return { ...entry, line: withChecksum(orphanLine(doubt, describeProblem)) }
  })
  await changeEntries(query, importId, { from: 'o', to: 'd', status: 'in_doubt' }, lines)
}

/** Returns the name that a row which came back has in rejects files; null if it did not. */
export const replacedOf = (row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): string | null =>
  row.replaces === undefined ? null : digestOf(replacedName(row))

/** Makes rows that came back from a rejects file known by their old names as well. */
export async function noteReplaced(
  query: Query,
  importId: number,
  rows: readonly { readonly name: string; readonly replaced: string | null }[],
): Promise<void> {
  const replacing = rows.filter(({ replaced }) => replaced !== null)
  if (replacing.length === 0) return
  await query(
    `INSERT INTO rowlift.entry AS e (import, name, state, line)
     SELECT DISTINCT ON (u.replaced) $1::int, u.replaced, 'f', named.line FROM json_to_recordset($2) AS u(name bytea, replaced bytea)
       JOIN rowlift.entry named ON named.import = $1 AND named.name = u.name ORDER BY u.replaced
     ON CONFLICT (import, name) DO UPDATE SET line = excluded.line WHERE e.state IN ('f', 'r')`,
    [importId, JSON.stringify(replacing.map(({ name, replaced }) => ({ name, replaced })))],
  )
}

/** A row that has a record, or wants it; the id is a digest. */
export interface RecordOwner extends Pick<CallEntry, 'name' | 'source' | 'row' | 'run'> {
  readonly id: string | null
}

/** Gives each record to a row that claims it, unless another row has it; returns the owners. */
export const claimRecords = (
  query: Query,
  importId: number,
  claims: readonly RecordOwner[],
): Promise<RecordOwner[]> =>
  query(
    `INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
     SELECT DISTINCT ON (u.id) $1::int, u.*
       FROM json_to_recordset($2) AS u(id bytea, name bytea, source int, row int, run int) ORDER BY u.id
     ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.name, r.source, r.row, r.run`,
    [importId, JSON.stringify(claims)],
  )
