import { replacedName } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import type { Describe } from '../../model/problem.ts'
import { type Doubt, resolvedLine } from '../lines.ts'
import type { Resolution } from '../resolve.ts'
import { columnsOf } from './columns.ts'
import type { Query } from './database.ts'
import { digestOf } from './digest.ts'
import type { FoundImport } from './found-import.ts'

/** A row in doubt; a later line of its key has another `seq`. */
interface SeenDoubt {
  readonly name: Buffer
  readonly seq: number
  readonly line: string
}

/** Rows in doubt, before they are read one by one. */
export interface DoubtFacts {
  readonly count: number
  /** The last of them. */
  readonly upTo: number
  /** For so long a worker may still hold the call of one of them. */
  readonly heldMs: number
  /** Calls without an outcome: their worker may be gone, and nobody took over yet. */
  readonly underWay: number
}

export async function doubtFacts({ database, id }: FoundImport, key?: string): Promise<DoubtFacts> {
  const [facts] = await database.query<DoubtFacts>(
    `SELECT count(*), coalesce(max(line), 0) AS "upTo",
            greatest(0, ceil(1000 * extract(epoch FROM max(held_until) - clock_timestamp())))::float AS "heldMs",
            (SELECT count(*) FROM rowlift.run r JOIN rowlift.entry o ON o.run = r.id AND o.state = 'o' WHERE r.import = $1) AS "underWay"
       FROM rowlift.entry WHERE import = $1 AND state = 'd' AND ($2::bytea IS NULL OR name = $2)`,
    [id, nameOf(key)],
  )
  return facts ?? { count: 0, upTo: 0, heldMs: 0, underWay: 0 }
}

/** What is known of a key that is not in doubt, as a checkpoint says it; `open`: its call is under way. */
export async function stateOf({ database, id }: FoundImport, key: string): Promise<string | undefined> {
  const [entry] = await database.query<{ state: string }>(
    'SELECT state FROM rowlift.entry WHERE import = $1 AND name = $2',
    [id, nameOf(key)],
  )
  return entry && ({ s: 'settled', o: 'open' }[entry.state] ?? 'refused')
}

const atOnce = 1_000

/** In the order in which they came into doubt. */
async function* pages({ database, id }: FoundImport, key: string | undefined, upTo: number) {
  for (let after = 0; ; ) {
    const page = await database.query<SeenDoubt>(
      `SELECT e.name, e.line AS seq, l.line FROM rowlift.entry e JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.state = 'd' AND ($2::bytea IS NULL OR e.name = $2) AND e.line > $3 AND e.line <= $4
        ORDER BY e.line LIMIT ${atOnce}`,
      [id, nameOf(key), after, upTo],
    )
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.seq
  }
}

export async function* doubtsIn(found: FoundImport, upTo: number, key?: string): AsyncGenerator<Doubt> {
  for await (const page of pages(found, key, upTo)) yield* page.map(({ line }) => JSON.parse(line) as Doubt)
}

export interface SettleContext {
  readonly run: string
  readonly now: () => Date
  readonly describe: Describe
}

/** Settles rows by hand, unless they have another line by now; returns how many. Throws a UsageError. */
export async function settleDoubts(
  found: FoundImport,
  upTo: number,
  { key, recordId }: Resolution,
  { now, ...context }: SettleContext,
): Promise<number> {
  let settled = 0
  for await (const page of pages(found, key, upTo)) {
    const doubts = page.map(({ name, seq, line }) => {
      const doubt = JSON.parse(line) as Doubt
      const replaced = doubt.replaces === undefined ? null : digestOf(replacedName(doubt))
      return { name, seq, replaced, line: resolvedLine(doubt, recordId, { ...context, at: now() }) }
    })
    settled += await found.database.transaction(async query => {
      if (recordId !== undefined) await claimRecord(query, found, recordId, page[0]?.name)
      return writeLines(query, found, recordId, doubts)
    })
  }
  return settled
}

type ByHand = SeenDoubt & { readonly replaced: Buffer | null }

async function writeLines(
  query: Query,
  { id }: FoundImport,
  recordId: string | undefined,
  doubts: readonly ByHand[],
): Promise<number> {
  const written = await query<{ name: Buffer; seq: number }>(
    `WITH u AS (SELECT * FROM unnest($4::bytea[], $5::bigint[], $6::text[]) AS u(name, seq, line)),
     put AS (
       UPDATE rowlift.entry e SET state = $2::"char", line = nextval('rowlift.line_seq_seq'), held_until = NULL
         FROM u WHERE e.import = $1 AND e.name = u.name AND e.state = 'd' AND e.line = u.seq
       RETURNING e.name, e.line AS seq, e.run, e.chunk, e.row),
     lines AS (
       INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
       SELECT put.seq, put.run, put.chunk, put.row, $3, u.line FROM put JOIN u USING (name))
     SELECT name, seq FROM put`,
    [
      id,
      ...(recordId === undefined ? ['r', 'failed'] : ['s', 'created']),
      ...columnsOf(doubts, ['name', 'seq', 'line']),
    ],
  )
  await query(
    `UPDATE rowlift.entry e SET line = named.line FROM unnest($2::bytea[], $3::bytea[]) AS u(name, replaced)
       JOIN rowlift.entry named ON named.import = $1 AND named.name = u.name
      WHERE e.import = $1 AND e.name = u.replaced AND e.state IN ('f', 'r')`,
    [
      id,
      ...columnsOf(
        doubts.filter(({ replaced }) => replaced),
        ['name', 'replaced'],
      ),
    ],
  )
  return written.length
}

/** Gives a record to the row of an entry. Throws a UsageError where another row has it, unless rows may share records. */
async function claimRecord(
  query: Query,
  { id, name: importName, database, opening }: FoundImport,
  recordId: string,
  name: Buffer | undefined,
): Promise<void> {
  const [owner] = await query<{ is_other: boolean; source: string; row: number }>(
    `INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
     SELECT import, $2::bytea, name, source, row, run FROM rowlift.entry WHERE import = $1 AND name = $3
     ON CONFLICT (import, id) DO UPDATE SET name = r.name
     RETURNING name <> $3 AS is_other, row, (SELECT sources -> r.source ->> 'name' FROM rowlift.run WHERE id = r.run) AS source`,
    [id, digestOf(recordId.toLowerCase()), name],
  )
  if (!owner?.is_other || opening.use_created === true) return
  const row = { source: owner.source, row: owner.row }
  throw new UsageError('record_taken', { log: `${database.name}, import ${importName}`, row, recordId })
}

const nameOf = (key: string | undefined) => (key === undefined ? null : digestOf(key))
