// The statement that most of a run is made of: outcomes of calls that were answered and intents of those that start, in one commit.
import { type CallEntry, heldUntil } from './entries.ts'
import { parametersOf, type Query } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

/** The intent of a call, as the table `entry` has it. */
export interface IntentRow extends Pick<CallEntry, 'name' | 'source' | 'row' | 'seq'> {
  readonly chunk: number
  readonly epoch: number
  readonly line: string
}

// read in a third of the time of JSON
const u = parametersOf(3, 'name bytea, chunk int, epoch int, source int, row int, seq bigint, line text')
const told = parametersOf(
  3 + u.names.length,
  'name bytea, run int, chunk int, epoch int, source int, row int, state text, status text, line text, record bytea',
)

/**
 * Intents: only what the chunk's epoch and live lease allow, and what no other row has. An entry that is open and this row's own is that
 * of an earlier attempt, or of a statement whose answer was lost.
 *
 * Outcomes: each record goes to the first row that names it; those whose record another one has are not written. A record is final. Anything
 * else counts for the key only from the call that the entry is about, also after a takeover; a row whose key another one has got
 * meanwhile has its own line. A call whose answer was lost may be with the service still: its doubt is held, too. Chunks are locked before
 * entries, as a takeover does it.
 */
const statement = `
  WITH u AS (SELECT * FROM ${u.sql} AS u(${u.names})),
  held AS (
    SELECT c.no, c.epoch FROM rowlift.chunk c
     WHERE c.run = $2 AND NOT c.is_done AND c.lease > clock_timestamp()
       AND (c.no, c.epoch) IN (SELECT chunk, epoch FROM u) ORDER BY c.no FOR SHARE),
  granted AS (
    INSERT INTO rowlift.entry AS e (import, name, run, chunk, epoch, source, row, line, intent, state)
    SELECT $1::int, u.name, $2::int, u.chunk, u.epoch, u.source, u.row, u.seq, u.line, 'o'
      FROM u JOIN held ON held.no = u.chunk AND held.epoch = u.epoch ORDER BY u.name
    ON CONFLICT (import, name) DO UPDATE SET state = 'o', run = excluded.run, chunk = excluded.chunk,
      epoch = excluded.epoch, source = excluded.source, row = excluded.row, intent = excluded.intent
    WHERE (e.run, e.source, e.row, e.epoch) = (excluded.run, excluded.source, excluded.row, excluded.epoch) AND e.state = 'o'
       OR e.state IN ('f', 'r', 'd') AND e.line IS NOT DISTINCT FROM excluded.line
          AND (e.run IS DISTINCT FROM excluded.run OR e.state = 'f' OR (e.source, e.row) = (excluded.source, excluded.row))
    RETURNING e.name),
  told AS (
    SELECT * FROM ${told.sql} WITH ORDINALITY AS t(${told.names}, at)
     WHERE (SELECT count(*) FROM held) >= 0),
  owner AS (
    INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
    SELECT DISTINCT ON (record) $1::int, record, name, source, row, run FROM told WHERE record IS NOT NULL ORDER BY record, at
    ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.name, r.source, r.row, xmax = 0 AS is_new),
  o AS (
    SELECT told.*, owner.is_new FROM told LEFT JOIN owner ON owner.id = told.record WHERE owner.name IS NULL OR owner.name = told.name),
  settled AS (
    UPDATE rowlift.entry e SET state = o.state::"char", line = nextval('rowlift.line_seq_seq'), intent = NULL,
      (run, chunk, epoch, source, row) = (o.run, o.chunk, o.epoch, o.source, o.row),
      held_until = CASE WHEN o.state = 'd' THEN greatest(e.held_until, ${heldUntil}) END
      FROM o WHERE e.import = $1 AND e.name = o.name
       AND ((e.run, e.source, e.row, e.epoch) = (o.run, o.source, o.row, o.epoch) AND e.state IN ('o', 'd', 'f')
         OR o.state = 's' AND e.state <> 's')
    RETURNING e.name, e.line AS seq, o.run, o.chunk, o.row, o.status, o.line),
  lines AS (
    INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
    SELECT seq, run, chunk, row, status, line FROM settled
    UNION ALL
    SELECT nextval('rowlift.line_seq_seq'), o.run, o.chunk, o.row, o.status, o.line
      FROM o JOIN rowlift.entry e ON e.import = $1 AND e.name = o.name
     WHERE o.name NOT IN (SELECT name FROM settled)
       AND (o.is_new OR (e.run, e.source, e.row) IS DISTINCT FROM (o.run, o.source, o.row)))
  SELECT name, NULL::int AS at, NULL::int AS source, NULL::int AS row FROM granted
  UNION ALL
  SELECT NULL, told.at, owner.source, owner.row FROM told JOIN owner ON owner.id = told.record AND owner.name <> told.name`

/**
 * Writes a group, in which no key is twice. Returns the names whose calls may go out, and the rows that have the records of outcomes, by
 * the places of those in the group.
 */
export async function writeRows(
  query: Query,
  run: JoinedRun,
  intents: readonly IntentRow[],
  calls: readonly object[],
) {
  const ended = await query<{ name: string | null; at: number; source: number; row: number }>(statement, [
    ...[run.importId, run.id, ...u.texts(intents), ...told.texts(calls)],
  ])
  const taken = ended.filter(({ name }) => name === null)
  return {
    granted: ended.flatMap(({ name }) => name ?? []),
    owners: new Map(taken.map(owner => [owner.at - 1, placeIn(run, owner)])),
  }
}
