import type { Describe } from '../../model/problem.ts'
import type { RecordType } from '../../records/kinds.ts'
import { type OrphanedCall, orphanDoubt, orphanLine } from '../lines.ts'
import { columnsOf } from './columns.ts'
import type { Query } from './database.ts'

/** Whose calls: of a chunk, or of a whole run. */
interface Whose {
  readonly importId: number
  readonly run: number
  readonly chunk: number | undefined
  readonly record: RecordType
}

/** A worker that was stopped in the middle of a call needs a moment more than the call may take. */
const marginS = 5

interface OpenIntent {
  readonly name: Buffer
  readonly chunk: number
  readonly row: number
  readonly intent: string
}

/**
 * Puts the calls that another worker may have under way in doubt, in the transaction that takes its chunk. Until `held_until`
 * that worker may still hold such a call.
 */
export async function doubtOpenIntents(
  query: Query,
  { importId, run, chunk, record }: Whose,
  describe: Describe,
): Promise<void> {
  const open = await query<OpenIntent>(
    `SELECT name, chunk, row, intent FROM rowlift.entry
      WHERE import = $1 AND run = $2 AND state = 'o' AND ($3::int IS NULL OR chunk = $3) ORDER BY name FOR UPDATE`,
    [importId, run, chunk],
  )
  if (open.length === 0) return
  const lines = open.map(({ intent }) =>
    orphanLine(orphanDoubt(JSON.parse(intent) as OrphanedCall, record), describe),
  )
  await query(
    `WITH doubt AS (SELECT * FROM unnest($3::bytea[], $4::int[], $5::int[], $6::text[]) AS u(name, chunk, row, line)),
     put AS (
       UPDATE rowlift.entry e SET state = 'd', intent = NULL,
         line = nextval('rowlift.line_seq_seq'),
         held_until = clock_timestamp() + make_interval(secs => ${marginS} + coalesce(
           (SELECT attempt_s FROM rowlift.chunk c WHERE c.run = $2 AND c.no = e.chunk), 0))
        FROM doubt WHERE e.import = $1 AND e.name = doubt.name RETURNING e.name, e.line)
     INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
     SELECT put.line, $2, doubt.chunk, doubt.row, 'in_doubt', doubt.line FROM put JOIN doubt USING (name)`,
    [importId, run, ...columnsOf(open, ['name', 'chunk', 'row']), lines],
  )
}
