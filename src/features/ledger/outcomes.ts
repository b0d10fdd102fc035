import { replacedName } from '../../model/content-key.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Describe, problem } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import type { RecordType } from '../../records/kinds.ts'
import { givesRecord, type OrphanedCall, resultLine } from '../../store/files/lines.ts'
import type { Database } from './database.ts'
import type { EntryState } from './past.ts'
import { Batches, columnsOf, digestOf, type Query } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

/** The outcome of a row on its way into the ledger. It is plain JSON, so that it can wait in a spool. */
export interface PendingOutcome {
  readonly outcome: Outcome
  readonly at: string
  /** The run, its chunk and epoch in which the call went out. */
  readonly run: number
  /** The id of the run in lines. */
  readonly runId: string
  readonly chunk: number
  readonly epoch: number
  readonly source: number
  /** The line of a call in the intent log. */
  readonly intent?: string | undefined
}

interface LineOf {
  readonly record: RecordType
  readonly describe: Describe
}

/** A row for the statements that write outcomes. */
type OutcomeRow = ReturnType<typeof outcomeRow>

/** Writes what became of rows. The outcome of a call is taken from any epoch, that of another row only from who holds its chunk. */
export class Outcomes {
  readonly #database: Database
  readonly #run: JoinedRun
  readonly #useCreated: boolean
  readonly #line: LineOf
  /** The outcomes of calls. An outcome resolves as it was recorded. */
  readonly calls: Batches<PendingOutcome, Outcome>
  readonly others: Batches<PendingOutcome, Outcome>

  constructor(
    database: Database,
    run: JoinedRun,
    { useCreated, describe }: { readonly useCreated: boolean; readonly describe: Describe },
  ) {
    this.#database = database
    this.#run = run
    this.#useCreated = useCreated
    this.#line = { record: run.opening.record, describe }
    this.calls = new Batches(calls => this.#writeCalls(calls))
    this.others = new Batches(others => this.#writeOthers(others))
  }

  async drained(): Promise<void> {
    await this.calls.drained()
    await this.others.drained()
  }

  /** A row that came back has two entries, which are written together or not at all. */
  #writeCalls(calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const write = (query: Query) => this.#settleCalls(query, calls)
    const isReturned = calls.some(({ outcome }) => outcome.identity.replaces !== undefined)
    return isReturned ? this.#database.transaction(write) : write(this.#database.query)
  }

  async #settleCalls(query: Query, calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const recorded = new Map<PendingOutcome, Outcome>()
    for (let left = calls; left.length > 0; left = left.filter(call => !recorded.has(call)))
      await this.#settleTurn(query, firstOfEachKey(left), recorded)
    return calls.map(call => recorded.get(call) as Outcome)
  }

  /** Calls whose record another row has are written once more, without it. */
  async #settleTurn(
    query: Query,
    calls: readonly PendingOutcome[],
    recorded: Map<PendingOutcome, Outcome>,
  ): Promise<void> {
    const rows = calls.map(call => outcomeRow(call, this.#line))
    const taken = await this.#insertCalls(query, rows)
    const others: OutcomeRow[] = []
    for (const [at, call] of calls.entries()) {
      const sameAs = taken.get(at)
      const settled = sameAs === undefined ? call : withTakenRecord(call, sameAs, this.#useCreated)
      if (sameAs !== undefined) others.push({ ...outcomeRow(settled, this.#line), record: null })
      recorded.set(call, settled.outcome)
    }
    if (others.length > 0) await this.#insertCalls(query, others)
    await noteReplaced(query, this.#run.importId, rows)
  }

  /**
   * Gives each record to the first row that names it. Rows whose record another one has are not written, and returned with that. A
   * record is final. Anything else counts for the key only from the call that the entry is about, also after a takeover; a row whose key
   * another one has got meanwhile has its own line.
   */
  async #insertCalls(query: Query, rows: readonly OutcomeRow[]): Promise<Map<number, RowPlace>> {
    const taken = await query<{ at: number; source: number; row: number }>(
      `WITH u AS (
         SELECT * FROM unnest($2::bytea[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::text[], $9::text[], $10::text[],
           $11::bytea[]) WITH ORDINALITY AS u(name, run, chunk, epoch, source, row, state, status, line, record, at)),
       owner AS (
         INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
         SELECT DISTINCT ON (record) $1::int, record, name, source, row, run FROM u WHERE record IS NOT NULL ORDER BY record, at
         ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.name, r.source, r.row, xmax = 0 AS is_new),
       o AS (
         SELECT u.*, owner.is_new FROM u LEFT JOIN owner ON owner.id = u.record WHERE owner.name IS NULL OR owner.name = u.name),
       settled AS (
         UPDATE rowlift.entry e SET state = o.state::"char", line = nextval('rowlift.line_seq_seq'), intent = NULL,
           (run, chunk, epoch, source, row) = (o.run, o.chunk, o.epoch, o.source, o.row),
           held_until = CASE WHEN o.state = 'd' THEN e.held_until END
           FROM o WHERE e.import = $1 AND e.name = o.name
            AND ((e.run, e.source, e.row, e.epoch) = (o.run, o.source, o.row, o.epoch) AND e.state IN ('o', 'd', 'f')
              OR o.state = 's' AND e.state <> 's')
         RETURNING e.name, e.line AS seq),
       lines AS (
         INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
         SELECT coalesce(s.seq, nextval('rowlift.line_seq_seq')), o.run, o.chunk, o.row, o.status, o.line
           FROM o LEFT JOIN settled s USING (name) JOIN rowlift.entry e ON e.import = $1 AND e.name = o.name
          WHERE s.seq IS NOT NULL OR o.is_new OR (e.run, e.source, e.row) IS DISTINCT FROM (o.run, o.source, o.row))
       SELECT u.at - 1 AS at, owner.source, owner.row FROM u JOIN owner ON owner.id = u.record AND owner.name <> u.name`,
      [
        ...[this.#run.importId, ...columnsOf(rows, ['name', 'run', 'chunk', 'epoch', 'source', 'row'])],
        ...columnsOf(rows, ['state', 'status', 'line', 'record']),
      ],
    )
    return new Map(taken.map(owner => [owner.at, placeIn(this.#run, owner)]))
  }

  /** A statement whose answer was lost may have written its lines. */
  async #writeOthers(others: readonly PendingOutcome[]): Promise<Outcome[]> {
    const rows = others.map(other => outcomeRow(other, this.#line))
    await this.#database.transaction(async (query, attempt) => {
      // an earlier attempt may be about to commit: it has the chunks
      if (attempt > 0)
        await query(
          'SELECT FROM rowlift.chunk WHERE (run, no) IN (SELECT * FROM unnest($1::int[], $2::int[])) ORDER BY no FOR UPDATE',
          columnsOf(rows, ['run', 'chunk']),
        )
      await query(
        `WITH held AS (
           SELECT c.run, c.no, c.epoch FROM rowlift.chunk c
            WHERE (c.run, c.no, c.epoch) IN (SELECT * FROM unnest($3::int[], $4::int[], $5::int[])) ORDER BY c.no FOR SHARE),
         o AS (
           SELECT u.*, nextval('rowlift.line_seq_seq') AS seq
             FROM unnest($2::bytea[], $3::int[], $4::int[], $5::int[], $6::int[], $7::text[], $8::text[])
                    AS u(name, run, chunk, epoch, row, status, line)
             JOIN held h ON (h.run, h.no, h.epoch) = (u.run, u.chunk, u.epoch)
            WHERE NOT $9 OR NOT EXISTS (
              SELECT FROM rowlift.line l WHERE l.run = u.run AND l.chunk = u.chunk AND l.row = u.row AND l.line = u.line)),
         lines AS (
           INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
           SELECT seq, run, chunk, row, status, line FROM o)
         INSERT INTO rowlift.entry AS e (import, name, state, line)
         SELECT DISTINCT ON (name) $1::int, name, 'r', seq FROM o WHERE status = 'invalid' ORDER BY name, seq DESC
         ON CONFLICT (import, name) DO UPDATE SET state = 'r', line = excluded.line
          WHERE e.state IN ('f', 'r') AND e.run IS DISTINCT FROM $10`,
        [
          this.#run.importId,
          ...columnsOf(rows, ['name', 'run', 'chunk', 'epoch', 'row', 'status', 'line']),
          attempt > 0,
          rows[0]?.run,
        ],
      )
    })
    return others.map(({ outcome }) => outcome)
  }
}

function outcomeRow(pending: PendingOutcome, line: LineOf) {
  const { outcome, at, run, runId, chunk, epoch, source } = pending
  const { identity, status } = outcome
  return {
    ...{ run, chunk, epoch, source, row: identity.row, status },
    name: digestOf(identity.key),
    state: stateOf(outcome),
    line: resultLine(outcome, { ...line, run: runId, at: new Date(at) }),
    /** The digest of the record's id. */
    record: 'recordId' in outcome ? digestOf(outcome.recordId.toLowerCase()) : null,
    /** The name in rejects files of a row that came back. */
    replaced: identity.replaces === undefined ? null : digestOf(replacedName(identity)),
  }
}

const stateOf = (outcome: Outcome): EntryState =>
  givesRecord(outcome) ? 's' : outcome.status === 'in_doubt' ? 'd' : 'r'

/**
 * The outcome of a call whose record another row has: merged, if the service looks for similar records. Otherwise the
 * answer may be that of another call, and the row is in doubt.
 */
function withTakenRecord(pending: PendingOutcome, sameAs: RowPlace, useCreated: boolean): PendingOutcome {
  const { outcome, intent } = pending
  if (outcome.status !== 'created' && outcome.status !== 'existing') return pending
  if (useCreated) return { ...pending, outcome: { ...outcome, status: 'merged', sameAs } }
  const { recordId, notInAnswer: _, ...effort } = outcome
  const errors = [problem('record_id_taken', { recordId, ...sameAs })]
  const body = JSON.stringify((JSON.parse(intent ?? '{}') as Partial<OrphanedCall>).body ?? {})
  return { ...pending, outcome: { ...effort, status: 'in_doubt', fault: 'ambiguous', errors, body } }
}

/** A statement changes an entry once: a later outcome of a key, as of a worker that comes late, is for the next statement. */
function firstOfEachKey(calls: readonly PendingOutcome[]): PendingOutcome[] {
  const seen = new Set<string>()
  return calls.filter(({ outcome: { identity } }) => !seen.has(identity.key) && seen.add(identity.key))
}

/** A row that came back from a rejects file is known by its old name as well. */
export async function noteReplaced(
  query: Query,
  importId: number,
  rows: readonly Pick<OutcomeRow, 'name' | 'replaced'>[],
): Promise<void> {
  const replacing = rows.filter(({ replaced }) => replaced !== null)
  if (replacing.length === 0) return
  await query(
    `INSERT INTO rowlift.entry AS e (import, name, state, line)
     SELECT DISTINCT ON (u.replaced) $1::int, u.replaced, 'f', named.line FROM unnest($2::bytea[], $3::bytea[]) AS u(name, replaced)
       JOIN rowlift.entry named ON named.import = $1 AND named.name = u.name ORDER BY u.replaced
     ON CONFLICT (import, name) DO UPDATE SET line = excluded.line WHERE e.state IN ('f', 'r')`,
    [importId, ...columnsOf(replacing, ['name', 'replaced'])],
  )
}
