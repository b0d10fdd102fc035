import { replacedName } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import { type Doubt, type LineContext, resolvedLine } from '../../store/files/lines.ts'
import type { ByHand } from '../reconcile/doubts.ts'
import type { FoundImport } from './access.ts'
import { noteReplaced } from './outcomes.ts'
import { columnsOf, digestOf, type Query } from './query.ts'

/** Rows in doubt as a whole, before they are read one by one. */
export interface DoubtFacts {
  readonly count: number
  /** The last of them: a row that comes into doubt again later has another line. */
  readonly upTo: number
  /** How long a worker may still hold the call of one of them. */
  readonly heldMs: number
  /** Calls without an outcome: their worker may be gone, and nobody took over yet. */
  readonly underWay: number
}

const states: Readonly<Record<string, string>> = { s: 'settled', o: 'open' }

/** Counts all rows in doubt, or looks at one. Throws a UsageError if that is not in doubt. */
export async function doubtFacts({ database, id, name }: FoundImport, key?: string): Promise<DoubtFacts> {
  const [facts] = await database.query<DoubtFacts & { state: string | null }>(
    `SELECT count(*), coalesce(max(line), 0) AS "upTo",
            coalesce(greatest(0, 1000 * extract(epoch FROM max(held_until) - clock_timestamp())), 0)::float AS "heldMs",
            (SELECT count(*) FROM rowlift.run r JOIN rowlift.entry o ON o.run = r.id AND o.state = 'o' WHERE r.import = $1) AS "underWay",
            (SELECT state FROM rowlift.entry WHERE import = $1 AND name = $2) AS state
       FROM rowlift.entry WHERE import = $1 AND state = 'd' AND ($2::bytea IS NULL OR name = $2)`,
    [id, nameOf(key)],
  )
  if (facts === undefined) throw new Error('a count has no rows')
  if (key === undefined || facts.count > 0) return facts
  const state = facts.state === null ? undefined : (states[facts.state] ?? 'refused')
  throw new UsageError('not_in_doubt', { log: name, key, state })
}

interface SeenDoubt {
  readonly name: Buffer
  readonly seq: number
  readonly doubt: Doubt
}

const atOnce = 1_000

/** Reads rows in the order in which they came into doubt. */
export async function* doubtsIn(
  { database, id }: FoundImport,
  upTo: number,
  key?: string,
): AsyncGenerator<readonly SeenDoubt[]> {
  for (let after = 0; ; ) {
    const page = await database.query<{ name: Buffer; seq: number; line: string }>(
      `SELECT e.name, e.line AS seq, l.line FROM rowlift.entry e JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.state = 'd' AND ($2::bytea IS NULL OR e.name = $2) AND e.line > $3 AND e.line <= $4
        ORDER BY e.line LIMIT ${atOnce}`,
      [id, nameOf(key), after, upTo],
    )
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map(({ line, ...seen }) => ({ ...seen, doubt: JSON.parse(line) as Doubt }))
    after = last.seq
  }
}

/** Settles rows by hand, unless they have another line by now; returns how many. Throws a UsageError. */
export async function settleDoubts(
  found: FoundImport,
  upTo: number,
  { key, recordId }: ByHand,
  { now, ...context }: Pick<LineContext, 'run' | 'describe'> & { readonly now: () => Date },
): Promise<number> {
  let settled = 0
  for await (const page of doubtsIn(found, upTo, key)) {
    const byHand = page.map(({ name, seq, doubt }) => ({
      ...{ name, seq, line: resolvedLine(doubt, { recordId }, { ...context, at: now() }) },
      replaced: doubt.replaces === undefined ? null : digestOf(replacedName(doubt)),
    }))
    settled += await found.database.transaction(async query => {
      if (recordId !== undefined) await claimRecord(query, found, recordId, page[0]?.name)
      const written = await query(settle, [
        found.id,
        ...(recordId === undefined ? ['r', 'failed'] : ['s', 'created']),
        ...columnsOf(byHand, ['name', 'seq', 'line']),
      ])
      await noteReplaced(query, found.id, byHand)
      return written.length
    })
  }
  return settled
}

const settle = `
WITH u AS (SELECT * FROM unnest($4::bytea[], $5::bigint[], $6::text[]) AS u(name, seq, line)),
put AS (
  UPDATE rowlift.entry e SET state = $2::"char", line = nextval('rowlift.line_seq_seq'), held_until = NULL
    FROM u WHERE e.import = $1 AND e.name = u.name AND e.state = 'd' AND e.line = u.seq
  RETURNING e.name, e.line AS seq, e.run, e.chunk, e.row)
INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
SELECT put.seq, put.run, put.chunk, put.row, $3, u.line FROM put JOIN u USING (name) RETURNING seq`

/** Gives a record to the row of an entry. Throws a UsageError if another row has it, unless rows may share records. */
async function claimRecord(query: Query, found: FoundImport, recordId: string, name?: Buffer): Promise<void> {
  const [owner] = await query<{ is_other: boolean; source: string; row: number }>(
    `INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
     SELECT import, $2::bytea, name, source, row, run FROM rowlift.entry WHERE import = $1 AND name = $3
     ON CONFLICT (import, id) DO UPDATE SET name = r.name
     RETURNING name <> $3 AS is_other, row, (SELECT sources -> r.source ->> 'name' FROM rowlift.run WHERE id = r.run) AS source`,
    [found.id, digestOf(recordId.toLowerCase()), name],
  )
  if (!owner?.is_other || found.opening.use_created === true) return
  const { source, row } = owner
  throw new UsageError('record_taken', { log: found.name, row: { source, row }, recordId })
}

const nameOf = (key: string | undefined) => (key === undefined ? null : digestOf(key))
