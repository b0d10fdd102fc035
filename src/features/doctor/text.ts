// What `rowlift doctor` prints of each check.
import type { LockOwner } from '../../model/lock-owner.ts'
import { counted, due, grouped, rows, shellWord, timeOf, visible, visibleJson } from '../../output/text.ts'
import { holderName } from '../../output/words/run-words.ts'
import { list } from '../../output/words/sentence.ts'
import { describeError } from '../../output/words.ts'

/** Findings of the checks. */
export interface Findings {
  node: { version: string; needed: string }
  /** `lacks` is a result log for lookups that is not there. */
  import: { record: string; rows: number | undefined; lacks: string | undefined }
  service: { host: string; addresses: string[]; through: string | undefined; ms: number } & Partial<TlsFacts>
  token: { from: string }
  log: { path: string; is_shared: boolean; lock: LogLock | undefined; in_doubt: number; under_way: number }
  disk: { median_ms: number; worst_ms: number; rows_per_second: number; is_remote: boolean }
  space: { free_bytes: number; needed_bytes: number }
}
type TlsFacts = { tls: string; valid_until: string }
type LogLock = { is_held: boolean; holder: LockOwner | undefined; heartbeat: string }

export interface Finding {
  readonly check: keyof Findings
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly facts?: Findings[keyof Findings]
  /** Why there are no facts. */
  readonly error?: unknown
}

/** A sentence, and what to do if it is not fine. */
const words: { readonly [C in keyof Findings]: (facts: Findings[C]) => readonly string[] } = {
  node: ({ version, needed }) => [`Node ${version}`, `install ${needed} or newer`],
  import: ({ record, rows: count, lacks }) => [
    count === undefined ? `${record}s` : `about ${rows(count)}: ${record}s`,
    `run the import that writes ${lacks} first`,
  ],
  service: ({ host, addresses, through, ms, tls, valid_until: end }) => [
    list([host, ...addresses, `${ms} ms`, ...due(through && `through ${through}`, tls, certificate(end))]),
    'have the certificate renewed',
  ],
  token: ({ from }) => [`from ${from}`, `others can read it: chmod 600 ${shellWord(from)}`],
  log: ({ path, is_shared, lock, under_way, in_doubt }) => [
    `${path} can be written`,
    due(
      is_shared && `others can read it: chmod 600 ${shellWord(path)}`,
      lock &&
        `${lock.is_held ? 'wait for the run that holds it' : 'the next run takes the lock of a dead one'}: ${holderName(lock.holder)}, last heartbeat ${timeOf(lock.heartbeat)}`,
      in_doubt > 0 &&
        `${rows(in_doubt)} in doubt${under_way > 0 ? `, with ${counted(under_way, 'call')} of a killed run` : ''}: rowlift resolve ${shellWord(path)}`,
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

const certificate = (end: string | undefined) => end && `certificate to ${timeOf(end)}`
const megabytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1_000_000))} MB`

function messageOf({ check, state, facts, error }: Finding): string {
  if (facts === undefined) return describeError(error)
  const say = words[check] as (facts: unknown) => readonly string[]
  const [what = '', fix] = say(facts).map(visible)
  return state === 'ok' ? what : due(what, fix).join('; ')
}

const marks = { ok: '✓', warn: '!', fail: '✗', skipped: '-' }

/** A line for people, or for programs. */
export function findingLine(finding: Finding, isForPeople: boolean): string {
  const { check, state, facts } = finding
  const message = messageOf(finding)
  if (isForPeople) return `${marks[state]} ${check.padEnd(7)} ${message}\n`
  return visibleJson(`${JSON.stringify({ check, state, ...facts, message })}\n`)
}
