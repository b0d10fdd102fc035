import type { Outcome } from '../../model/outcome.ts'
import type { RowPlace } from '../../model/row.ts'
import { Batches } from './batches.ts'
import { columnsOf } from './columns.ts'
import type { Database, Query } from './database.ts'
import {
  type LineOf,
  type OutcomeRow,
  outcomeRow,
  type PendingOutcome,
  withTakenRecord,
} from './outcome-rows.ts'
import type { SourceVersion } from './registration.ts'

export interface OutcomesOf {
  readonly importId: number
  readonly sources: readonly SourceVersion[]
  readonly useCreated: boolean
  readonly line: LineOf
}

/** Writes what became of rows. The outcome of a call is taken from any epoch, that of another row only from who holds its chunk. */
export class Outcomes {
  readonly #database: Database
  readonly #of: OutcomesOf
  readonly #calls: Batches<PendingOutcome, Outcome>
  readonly #others: Batches<PendingOutcome, Outcome>

  constructor(database: Database, of: OutcomesOf) {
    this.#database = database
    this.#of = of
    this.#calls = new Batches(calls => this.#writeCalls(calls))
    this.#others = new Batches(others => this.#writeOthers(others))
  }

  /** Resolves with the outcome as it was recorded. */
  addCall(pending: PendingOutcome): Promise<Outcome> {
    return this.#calls.add(pending)
  }

  addOther(pending: PendingOutcome): Promise<Outcome> {
    return this.#others.add(pending)
  }

  async drained(): Promise<void> {
    await this.#calls.drained()
    await this.#others.drained()
  }

  /** A row that came back has two entries, which are written together or not at all. */
  #writeCalls(calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const write = (query: Query) => this.#settleCalls(query, calls)
    const isReturned = calls.some(({ outcome }) => outcome.identity.replaces !== undefined)
    return isReturned ? this.#database.transaction(write) : write(this.#database.query)
  }

  async #settleCalls(query: Query, calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const recorded = new Map<PendingOutcome, Outcome>()
    for (const turn of inTurns(calls))
      for (const [at, outcome] of (await this.#settleTurn(query, turn)).entries())
        recorded.set(turn[at] as PendingOutcome, outcome)
    return calls.map(call => recorded.get(call) as Outcome)
  }

  /** Those whose record another row has are written once more, without it. */
  async #settleTurn(query: Query, calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const { line, useCreated } = this.#of
    const rows = calls.map(call => outcomeRow(call, line))
    const taken = await this.#insertCalls(query, rows)
    const recorded = calls.map((call, at) => {
      const sameAs = taken.get(at)
      return sameAs === undefined ? call : withTakenRecord(call, sameAs, useCreated)
    })
    if (taken.size > 0) {
      const others = recorded.filter((_, at) => taken.has(at))
      await this.#insertCalls(
        query,
        others.map(call => ({ ...outcomeRow(call, line), record: null })),
      )
    }
    await this.#noteReplaced(query, rows)
    return recorded.map(({ outcome }) => outcome)
  }

  /**
   * Gives each record to the first row that names it, and returns who has it where that is another one; such rows are not written. A
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
      [this.#of.importId, ...columnsOf(rows, callColumns)],
    )
    const nameOf = (source: number) => this.#of.sources[source]?.name ?? ''
    return new Map(taken.map(({ at, source, row }) => [at, { source: nameOf(source), row }]))
  }

  /** A row that came back from a rejects file is known by its old name as well. */
  async #noteReplaced(query: Query, rows: readonly OutcomeRow[]): Promise<void> {
    const replacing = rows.filter(({ replaced }) => replaced !== null)
    if (replacing.length === 0) return
    await query(
      `INSERT INTO rowlift.entry AS e (import, name, state, line)
       SELECT DISTINCT ON (u.replaced) $1::int, u.replaced, 'f', named.line FROM unnest($2::bytea[], $3::bytea[]) AS u(name, replaced)
         JOIN rowlift.entry named ON named.import = $1 AND named.name = u.name ORDER BY u.replaced
       ON CONFLICT (import, name) DO UPDATE SET line = excluded.line WHERE e.state IN ('f', 'r')`,
      [this.#of.importId, ...columnsOf(replacing, ['name', 'replaced'])],
    )
  }

  /** A statement whose answer was lost may have written its lines. */
  async #writeOthers(others: readonly PendingOutcome[]): Promise<Outcome[]> {
    const rows = others.map(other => outcomeRow(other, this.#of.line))
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
          this.#of.importId,
          ...columnsOf(rows, ['name', 'run', 'chunk', 'epoch', 'row', 'status', 'line']),
          attempt > 0,
          rows[0]?.run,
        ],
      )
    })
    return others.map(({ outcome }) => outcome)
  }
}

/** A statement changes an entry once: what is told of a key again, as by a worker that comes late, is in a later one. */
function inTurns(calls: readonly PendingOutcome[]): PendingOutcome[][] {
  const turns: PendingOutcome[][] = []
  const counts = new Map<string, number>()
  for (const call of calls) {
    const { key } = call.outcome.identity
    const turn = counts.get(key) ?? 0
    counts.set(key, turn + 1)
    turns[turn] ??= []
    turns[turn].push(call)
  }
  return turns
}

const callColumns = [
  'name',
  'run',
  'chunk',
  'epoch',
  'source',
  'row',
  'state',
  'status',
  'line',
  'record',
] as const satisfies readonly (keyof OutcomeRow)[]

/** A UUID is the same in capitals. */
