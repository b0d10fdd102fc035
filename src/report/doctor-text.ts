// What `rowlift doctor` prints of each check.
import { RowliftError, reasonOf } from '../model/errors.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import { paintFor } from './paint.ts'
import { counted, due, grouped, rows, shellWord, timeOf, visible, visibleJson } from './text.ts'
import { holderName } from './words/run-words.ts'
import { type Catalogue, commandFace, partsOf } from './words/sentence.ts'
import { describeError } from './words.ts'

/** What the checks find. */
export interface Findings {
  node: { version: string; needed: string }
  import: { record: string; rows: number | undefined }
  service: { host: string; through: string | undefined; addresses: string[]; valid_until?: string }
  token: { from: string }
  log: LogFacts
  disk: { median_ms: number; worst_ms: number; rows_per_second: number; is_remote: boolean }
  space: { free_bytes: number; needed_bytes: number }
}

interface LogFacts {
  readonly path: string
  readonly is_shared: boolean
  readonly holder: LockOwner | undefined
  readonly heartbeat: string | undefined
  readonly in_doubt: number
  readonly under_way: number
}

export interface Finding {
  readonly check: keyof Findings
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly facts?: Findings[keyof Findings]
  /** Why there are no facts. */
  readonly error?: unknown
}

/** A sentence, and what to do where it is not fine. */
const words: Catalogue<Findings> = {
  node: ({ version, needed }) => [`Node ${version}`, `install ${needed} or newer`],
  import: ({ record, rows: count }) =>
    count === undefined ? `${record}s` : `about ${rows(count)}: ${record}s`,
  service: ({ host, through, addresses, valid_until: until }) => [
    [
      host,
      ...addresses,
      ...due(through && `through ${through}`, until && `certificate until ${timeOf(until)} UTC`),
    ].join(', '),
    'have the certificate renewed',
  ],
  token: ({ from }) => [`from ${from}`, `others can read it: chmod 600 ${shellWord(from)}`],
  log: ({ path, is_shared, holder, heartbeat, under_way, in_doubt }) => [
    `${path} can be written`,
    due(
      is_shared && `others can read it: chmod 600 ${shellWord(path)}`,
      heartbeat && `locked by ${holderName(holder)}, last heartbeat ${timeOf(heartbeat)} UTC`,
      under_way > 0 && `${counted(under_way, 'call')} of a killed run, whose rows the next run puts in doubt`,
      in_doubt > 0 && `${rows(in_doubt)} in doubt: rowlift resolve ${shellWord(path)}`,
    ).join('; '),
  ],
  disk: ({ median_ms, worst_ms, rows_per_second }) => [
    `a sync takes ${median_ms} ms, at worst ${worst_ms} ms: at most ${grouped(rows_per_second)} rows per second`,
    'a local disk is faster, and its locks are reliable',
  ],
  space: ({ free_bytes, needed_bytes }) => [
    `${megabytes(free_bytes)} free, about ${megabytes(needed_bytes)} needed`,
    'free some, or put the log on another disk',
  ],
}

const megabytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1_000_000))} MB`

/** What to do where the way to the service is closed, by the system's code. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/TIMEDOUT|UNREACH/, 'no answer in 10 s; ask for a way through the firewall, or a proxy (HTTPS_PROXY)'],
  [/407$/, 'give its variable user and password: http://user:password@proxy.example.com:3128'],
  [/EXPIRED/, 'have the certificate renewed'],
  [/SELF_SIGNED|UNABLE_TO/, 'name a file of its authority in NODE_EXTRA_CA_CERTS'],
  [/^/, 'check --base-url, the proxy and the name server'],
]

function messageOf({ check, state, facts, error }: Finding): string {
  if (error instanceof RowliftError) return describeError(error)
  const reason = error === undefined ? '' : visible(reasonOf(error))
  if (facts === undefined) return `${reason}; ${remedies.find(([code]) => code.test(reason))?.[1]}`
  const [what = '', fix] = partsOf(words, { code: check, params: facts }, commandFace)
  return state === 'ok' ? what : due(what, fix).join('; ')
}

const marks = {
  ok: ['green', '✓'],
  warn: ['yellow', '!'],
  fail: ['red', '✗'],
  skipped: ['dim', '-'],
} as const

/** A line for people, or for programs. */
export function findingLine(finding: Finding, isForPeople: boolean, hasColors: boolean): string {
  const { check, state, facts } = finding
  const message = messageOf(finding)
  if (!isForPeople) return visibleJson(`${JSON.stringify({ check, state, ...facts, message })}\n`)
  return `${paintFor(hasColors)(marks[state][0], marks[state][1])} ${check.padEnd(7)} ${message}\n`
}
