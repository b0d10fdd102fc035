import type { Outcome } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import { describeProblem } from '../../output/words.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { givesRecord, type OrphanedCall, resultLine } from '../../store/files/lines.ts'
import { type EntryState, noteReplaced, replacedOf } from './entries.ts'
import { type IntentRow, writeRows } from './group.ts'
import { digestOf, firstOfEach, type Query } from './query.ts'
import type { JoinedRun } from './run.ts'

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
   * Writes the outcomes of calls, of any epoch, and with the same commit the intents of others. Returns outcomes as they were recorded,
   * and the names that may be sent. A row that came back has two entries, which are written together or not at all.
   */
  async function writeGroup(calls: readonly PendingOutcome[], intents: readonly IntentRow[] = []) {
    const recorded = new Map<PendingOutcome, Outcome>()
    const granted = new Set<string>()
    const write = async (query: Query) => {
      recorded.clear()
      granted.clear()
      for (let [left, starting] = [calls, intents]; left.length + starting.length > 0; ) {
        // a statement changes an entry once: a later outcome of a key, as of a worker that comes late, is for the next one
        const turn = firstOfEach(left, ({ outcome }) => outcome.identity.key)
        const rows = turn.map(rowOf)
        const names = new Set(rows.map(({ name }) => name))
        const free = starting.filter(({ name }) => !names.has(name))
        const { owners, ...end } = await writeRows(query, run, free, rows)
        for (const name of end.granted) granted.add(name)
        const settled = turn.map((call, at) => withTakenRecord(call, owners.get(at)))
        const taken = settled.filter((_, at) => owners.has(at))
        if (taken.length > 0) await writeRows(query, run, [], taken.map(rowOf)) // once more, without the record of another row
        await noteReplaced(query, importId, rows)
        for (const [at, call] of turn.entries()) recorded.set(call, settled[at]?.outcome ?? call.outcome)
        left = left.filter(call => !recorded.has(call))
        starting = starting.filter(({ name }) => names.has(name))
      }
    }
    const isReturned = calls.some(({ outcome }) => outcome.identity.replaces !== undefined)
    await (isReturned ? database.transaction(write) : write(database.query))
    return { outcomes: calls.map(call => recorded.get(call) ?? call.outcome), granted }
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

  return { writeGroup, writeOthers }
}
