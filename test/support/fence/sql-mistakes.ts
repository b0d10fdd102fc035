import type { Patch } from './gated.ts'
import type { Trace } from './replay.ts'
import type { Scene } from './statements.ts'

type Edit = readonly [from: string, to: string]

/** A predicate that is missing from a statement, and where that shows. */
export interface SqlMistake {
  readonly statement: 'claim' | 'takeover' | 'renewal' | 'intent' | 'withdrawal' | 'outcome' | 'end' | 'line'
  readonly play: Play
  /** Of a trace that finds it, for a mistake of each statement. */
  readonly seed?: number
  /** A predicate that stands twice is taken out in both places, and two that say the same together. */
  readonly edits: readonly Edit[]
}

const row = { chunk: 0, key: 0 }
const ofSameKey = { chunk: 1, key: 0 }
const ofOtherKey = { chunk: 0, key: 1 }
const oneRow: Scene = { rows: [row], claims: 999, runs: 3, mode: 'at-most-once', person: true }
const twoChunks: Scene = { ...oneRow, rows: [row, ofSameKey], runs: 1 }
const resent: Scene = { ...oneRow, mode: 'at-least-once' }

/** What is played. Runs and claims are bounded by the moves of a trace. */
export const plays = {
  'one row': { scene: oneRow },
  'one row, doubts sent again': { scene: resent },
  'one row, doubts sent again, late answers': {
    scene: resent,
    seldom: /records|uploads|spools|tries|renews|frees|says|killed|registered/,
  },
  'rows with keys of their own': { scene: { ...oneRow, rows: [row, ofOtherKey, { chunk: 1, key: 2 }] } },
  'a key in two chunks': { scene: twoChunks },
  'a key in two chunks, doubts sent again': { scene: { ...twoChunks, mode: 'at-least-once' } },
  'a clock that jumps': { scene: { ...oneRow, person: false, jumps: true } },
  'two lanes of one process': { scene: { ...oneRow, runs: 1 }, isOneProcess: true },
  'two lanes of one process, doubts sent again': { scene: { ...resent, runs: 1 }, isOneProcess: true },
} satisfies Readonly<Record<string, Pick<Trace, 'scene' | 'isOneProcess' | 'seldom'>>>

export type Play = keyof typeof plays

/** Each is found; what a test of its own finds, or what cannot come to light between statements, is left out. */
export const sqlMistakes: Readonly<Record<string, SqlMistake>> = {
  'a chunk is claimed before its lease is over': {
    statement: 'claim',
    play: 'one row',
    edits: [[' AND (c.lease IS NULL OR c.lease < clock_timestamp())', '']],
  },
  'a chunk that has ended is claimed': {
    statement: 'claim',
    play: 'one row',
    edits: [['r.id = $1 AND NOT c.is_done', 'r.id = $1']],
  },
  'a chunk is claimed without a lock': {
    statement: 'claim',
    play: 'one row',
    seed: 1,
    edits: [['FOR UPDATE OF c SKIP LOCKED', '']],
  },
  'a claim does not raise the epoch': {
    statement: 'claim',
    play: 'one row',
    edits: [['c.epoch + 1 AS epoch', 'c.epoch + 1 - (c.epoch > 0)::int AS epoch']],
  },
  'a chunk is claimed that another lane has': {
    statement: 'claim',
    play: 'two lanes of one process',
    edits: [[' AND c.no <> ALL($2)', ' AND $2::int[] IS NOT NULL']],
  },
  'a takeover leaves intents open': {
    statement: 'takeover',
    play: 'one row',
    seed: 1,
    edits: [["AND state = 'o'\n      ORDER BY name", "AND state = 'x' ORDER BY name"]],
  },
  'a takeover takes the intents of all chunks': {
    statement: 'takeover',
    play: 'rows with keys of their own',
    edits: [['coalesce($3, 2147483647)', 'coalesce($3::int * 0, 0) + 2147483647']],
  },
  'a takeover holds no doubt': {
    statement: 'takeover',
    play: 'one row',
    edits: [[`CASE WHEN $3::"char" = 'd' THEN`, 'CASE WHEN false THEN']],
  },
  'leases are renewed under any epoch, of any worker': {
    statement: 'renewal',
    play: 'one row',
    seed: 2,
    edits: [
      ['WHERE run = $5 AND worker = $2', 'WHERE run = $5'],
      ['(no, epoch) IN (SELECT * FROM json', 'no IN (SELECT no FROM json'],
    ],
  },
  'an intent is inserted after the lease': {
    statement: 'intent',
    play: 'one row',
    edits: [['c.run = $2 AND NOT c.is_done AND c.lease > clock_timestamp()', 'c.run = $2 AND NOT c.is_done']],
  },
  'an intent is inserted under any epoch': {
    statement: 'intent',
    play: 'one row',
    seed: 7,
    edits: [
      ['(c.no, c.epoch) IN (SELECT chunk, epoch FROM u)', 'c.no IN (SELECT chunk FROM u)'],
      [' AND held.epoch = u.epoch', ''],
    ],
  },
  'an intent takes the place of an open one': {
    statement: 'intent',
    play: 'a key in two chunks',
    edits: [
      [
        '(e.run, e.source, e.row, e.epoch) = (excluded.run, excluded.source, excluded.row, excluded.epoch) AND ',
        '',
      ],
    ],
  },
  'an intent does not ask for the line that was seen': {
    statement: 'intent',
    play: 'one row, doubts sent again',
    edits: [['e.line IS NOT DISTINCT FROM excluded.line', 'true']],
  },
  'an intent asks neither for the line nor for the row': {
    statement: 'intent',
    play: 'a key in two chunks',
    edits: [
      ['e.line IS NOT DISTINCT FROM excluded.line', 'true'],
      ["AND (e.run IS DISTINCT FROM excluded.run OR e.state = 'f' OR", 'AND (true OR'],
    ],
  },
  'an intent is withdrawn under any epoch': {
    statement: 'withdrawal',
    play: 'one row, doubts sent again',
    edits: [['AND e.epoch = u.epoch AND e.intent = u.line', 'AND e.intent = u.line']],
  },
  'an intent that is withdrawn takes a doubt with it': {
    statement: 'withdrawal',
    play: 'one row',
    seed: 5,
    edits: [["AND e.intent = u.line AND e.state = 'o'", '']],
  },
  'an outcome counts for the intent of another call': {
    statement: 'outcome',
    play: 'one row, doubts sent again, late answers',
    edits: [['(e.run, e.source, e.row, e.epoch) = (o.run, o.source, o.row, o.epoch) AND e.state', 'e.state']],
  },
  'an outcome counts for what is settled': {
    statement: 'outcome',
    play: 'one row',
    edits: [
      [
        "(o.run, o.source, o.row, o.epoch) AND e.state IN ('o', 'd', 'f')",
        '(o.run, o.source, o.row, o.epoch)',
      ],
    ],
  },
  'an outcome is taken only beside an intent that is granted': {
    statement: 'outcome',
    play: 'one row',
    seed: 4,
    edits: [['(SELECT count(*) FROM held) >= 0', '(SELECT count(*) FROM held) > 0']],
  },
  'a record of an old epoch is not taken': {
    statement: 'outcome',
    play: 'one row, doubts sent again, late answers',
    seed: 1,
    edits: [["OR o.state = 's' AND e.state <> 's')", ')']],
  },
  'a record is written twice': {
    statement: 'outcome',
    play: 'one row',
    edits: [["o.state = 's' AND e.state <> 's'", "o.state = 's'"]],
  },
  'the doubt of a lost answer is not held': {
    statement: 'outcome',
    play: 'one row',
    edits: [["CASE WHEN o.state = 'd' THEN", 'CASE WHEN false THEN']],
  },
  'a chunk is left under any epoch': {
    statement: 'end',
    play: 'one row',
    seed: 13,
    edits: [['AND epoch = $3 AND lease IS NOT NULL', 'AND $3::int IS NOT NULL AND lease IS NOT NULL']],
  },
  'lines of rows without a call are written under any epoch': {
    statement: 'line',
    play: 'a key in two chunks',
    seed: 5,
    edits: [
      [
        '(c.run, c.no, c.epoch) IN (SELECT run, chunk, epoch FROM u)',
        '(c.run, c.no) IN (SELECT run, chunk FROM u)',
      ],
      ['(h.run, h.no, h.epoch) = (u.run, u.chunk, u.epoch)', '(h.run, h.no) = (u.run, u.chunk)'],
    ],
  },
}

/** Takes the predicates out of the one statement that has all of them, and counts how often that was asked for. */
export function patchOf({ edits }: SqlMistake): { readonly patch: Patch; readonly count: () => number } {
  let count = 0
  return {
    patch(sql) {
      if (!edits.every(([from]) => sql.includes(from))) return sql
      count += 1
      return edits.reduce((text, [from, to]) => text.replace(from, () => to), sql)
    },
    count: () => count,
  }
}
