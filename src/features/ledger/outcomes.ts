import type { Outcome } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import { describeProblem } from '../../output/words.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { givesRecord, type OrphanedCall, resultLine } from '../../store/files/lines.ts'
import { type EntryState, heldUntil, noteReplaced, replacedOf } from './entries.ts'
import { digestOf, firstOfEach, type Query } from './query.ts'
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

const stateOf = (outcome: Outcome): EntryState =>
  givesRecord(outcome) ? 's' : outcome.status === 'in_doubt' ? 'd' : 'r'

/** Writes outcomes into a run of the ledger. */
export function outcomeWriter(run: JoinedRun) {
  const { database, importId, opening } = run

  /** Returns an outcome as the statements have it; names and ids are digests. */
  function rowOf({ outcome, at, run, runId, chunk, epoch, source }: PendingOutcome) {
    const { identity, status } = outcome
    const context = { record: opening.record, describe: describeProblem, run: runId, at: new Date(at) }
    return {
      ...{ run, chunk, epoch, source, row: identity.row, status },
      name: digestOf(identity.key),
      state: stateOf(outcome),
      line: withChecksum(resultLine(outcome, context)),
      record: 'recordId' in outcome && status !== 'merged' ? digestOf(outcome.recordId.toLowerCase()) : null,
      replaced: replacedOf(identity),
    }
  }

  /**
   * Writes the outcomes of calls, of any epoch; returns them as they were recorded. A row that came back has two entries, which are
   * written together or not at all.
   */
  async function writeCalls(calls: readonly PendingOutcome[]): Promise<Outcome[]> {
    const recorded = new Map<PendingOutcome, Outcome>()
    const write = async (query: Query) => {
      recorded.clear()
      for (let left = calls; left.length > 0; left = left.filter(call => !recorded.has(call))) {
        // a statement changes an entry once: a later outcome of a key, as of a worker that comes late, is for the next one
        const turn = firstOfEach(left, ({ outcome }) => outcome.identity.key)
        const owners = await insertCalls(query, turn)
        const settled = turn.map((call, at) => withTakenRecord(call, owners.get(at)))
        const taken = settled.filter((_, at) => owners.has(at))
        if (taken.length > 0) await insertCalls(query, taken) // once more, without the record of another row
        await noteReplaced(query, importId, turn.map(rowOf))
        for (const [at, call] of turn.entries()) recorded.set(call, settled[at]?.outcome ?? call.outcome)
      }
    }
    const isReturned = calls.some(({ outcome }) => outcome.identity.replaces !== undefined)
    await (isReturned ? database.transaction(write) : write(database.query))
    return calls.map(call => recorded.get(call) ?? call.outcome)
  }

  /**
   * Gives each record to the first row that names it. Rows whose record another one has are not written, and returned with that. A
   * record is final. Anything else counts for the key only from the call that the entry is about, also after a takeover; a row whose key
   * another one has got meanwhile has its own line. A call whose answer was lost may be with the service still: its doubt is held, too.
   */
  async function insertCalls(query: Query, calls: readonly PendingOutcome[]): Promise<Map<number, RowPlace>> {
    const taken = await query<{ at: number; source: number; row: number }>(
      `WITH u AS (
         SELECT * FROM json_to_recordset($2) AS u(at int, name bytea, run int, chunk int, epoch int, source int, row int,
           state text, status text, line text, record bytea)),
       owner AS (
         INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
         SELECT DISTINCT ON (record) $1::int, record, name, source, row, run FROM u WHERE record IS NOT NULL ORDER BY record, at
         ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.name, r.source, r.row, xmax = 0 AS is_new),
       o AS (
         SELECT u.*, owner.is_new FROM u LEFT JOIN owner ON owner.id = u.record WHERE owner.name IS NULL OR owner.name = u.name),
       settled AS (
         UPDATE rowlift.entry e SET state = o.state::"char", line = nextval('rowlift.line_seq_seq'), intent = NULL,
           (run, chunk, epoch, source, row) = (o.run, o.chunk, o.epoch, o.source, o.row),
           held_until = CASE WHEN o.state = 'd' THEN greatest(e.held_until, ${heldUntil}) END
           FROM o WHERE e.import = $1 AND e.name = o.name
            AND ((e.run, e.source, e.row, e.epoch) = (o.run, o.source, o.row, o.epoch) AND e.state IN ('o', 'd', 'f')
              OR o.state = 's' AND e.state <> 's')
         RETURNING e.name, e.line AS seq),
       lines AS (
         INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
         SELECT coalesce(s.seq, nextval('rowlift.line_seq_seq')), o.run, o.chunk, o.row, o.status, o.line
           FROM o LEFT JOIN settled s USING (name) JOIN rowlift.entry e ON e.import = $1 AND e.name = o.name
          WHERE s.seq IS NOT NULL OR o.is_new OR (e.run, e.source, e.row) IS DISTINCT FROM (o.run, o.source, o.row))
       SELECT u.at, owner.source, owner.row FROM u JOIN owner ON owner.id = u.record AND owner.name <> u.name`,
      [importId, JSON.stringify(calls.map((call, at) => ({ ...rowOf(call), at })))],
    )
    return new Map(taken.map(owner => [owner.at, placeIn(run, owner)]))
  }

  /**
   * The outcome of a call whose record another row has: merged, if the service looks for similar records, or an export shows it. Otherwise the
   * answer may be that of another call, and the row is in doubt.
   */
  function withTakenRecord(pending: PendingOutcome, sameAs: RowPlace | undefined): PendingOutcome {
    const { outcome, intent } = pending
    if (sameAs === undefined || (outcome.status !== 'created' && outcome.status !== 'existing'))
      return pending
    if (opening.use_created === true || outcome.export !== undefined) {
      const { unclearAttempts: _, ...found } = outcome // the service found a record that was there
      return { ...pending, outcome: { ...found, status: 'merged', sameAs } }
    }
    const { recordId, notInAnswer: _, ...effort } = outcome
    const errors = [problem('record_id_taken', { recordId, ...sameAs })]
    const body = JSON.stringify((JSON.parse(intent ?? '{}') as Partial<OrphanedCall>).body ?? {})
    return { ...pending, outcome: { ...effort, status: 'in_doubt', fault: 'ambiguous', errors, body } }
  }

  /** Writes the outcomes of rows without a call, of those chunks alone that this worker holds. */
  async function writeOthers(others: readonly PendingOutcome[]): Promise<[]> {
    const rows = JSON.stringify(others.map(rowOf))
    await database.transaction(async (query, attempt) => {
      // an earlier attempt may be about to commit: it has the chunks
      if (attempt > 0)
        await query(
          `SELECT FROM rowlift.chunk WHERE (run, no) IN (SELECT * FROM json_to_recordset($1) AS u(run int, chunk int))
            ORDER BY no FOR UPDATE`,
          [rows],
        )
      await query(
        `WITH u AS (
           SELECT * FROM json_to_recordset($2) AS u(name bytea, run int, chunk int, epoch int, row int, status text, line text)),
         held AS (
           SELECT c.run, c.no, c.epoch FROM rowlift.chunk c
            WHERE (c.run, c.no, c.epoch) IN (SELECT run, chunk, epoch FROM u) ORDER BY c.no FOR SHARE),
         o AS (
           SELECT u.*, nextval('rowlift.line_seq_seq') AS seq
             FROM u JOIN held h ON (h.run, h.no, h.epoch) = (u.run, u.chunk, u.epoch)
            WHERE NOT $3 OR NOT EXISTS (
              SELECT FROM rowlift.line l WHERE l.run = u.run AND l.chunk = u.chunk AND l.row = u.row AND l.line = u.line)),
         lines AS (
           INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
           SELECT seq, run, chunk, row, status, line FROM o)
         INSERT INTO rowlift.entry AS e (import, name, state, line)
         SELECT DISTINCT ON (name) $1::int, name, 'r', seq FROM o WHERE status = 'invalid' ORDER BY name, seq DESC
         ON CONFLICT (import, name) DO UPDATE SET state = 'r', line = excluded.line
          WHERE e.state IN ('f', 'r') AND e.run IS DISTINCT FROM $4`,
        [importId, rows, attempt > 0, others[0]?.run],
      )
    })
    return []
  }

  return { writeCalls, writeOthers }
}
