import { type CallEvent, noRecordMade } from '../fault-injection.ts'
import type { Line } from '../rowlift.ts'
import type { Mode } from './source.ts'

/** What happened to the calls of an import, in its order, and what the ledger has in the end. */
export interface CallHistory {
  readonly mode: Mode
  readonly events: readonly (CallEvent | DoubtSeen)[]
  /** Records of which a worker has heard; `isDisturbed`: it was killed or stopped, and need not have written it. */
  readonly heard: readonly {
    readonly name: string
    readonly recordId: string
    readonly isDisturbed: boolean
  }[]
  readonly lines: readonly Pick<Line, 'row' | 'status' | 'record_id'>[]
  /** The key under which a row with that name in its body is sent; those of the rows in their order. */
  readonly keyOf: (name: string) => string
  readonly keys: readonly string[]
}

/** The ledger said so when somebody looked. */
export interface DoubtSeen {
  readonly type: 'in doubt'
  readonly rows: readonly number[]
}

/** A call as it is known to those who may call again. */
interface KnownCall {
  readonly call: number
  state: 'invoked' | 'made nothing' | 'unknown'
}

/** What breaks the promise in a history, in words. Where doubts are sent again, a key may have several calls. */
export const breachesIn = (history: CallHistory): string[] => [
  ...(history.mode === 'at-most-once' ? earlyCalls(history) : []),
  ...lostAnswers(history),
]

/**
 * Calls of a key while an earlier one of it is not known to have made nothing: it is under way, has made a record, or nobody knows. So
 * no row in doubt is sent again for which anything may have been made: no person says a word in these trials.
 */
function earlyCalls({ events, keyOf }: CallHistory): string[] {
  const breaches: string[] = []
  const callsOf = new Map<string, KnownCall[]>()
  const byNumber = new Map<number, KnownCall>()
  for (const event of events) {
    if (event.type === 'answered') {
      const known = byNumber.get(event.call)
      if (known) known.state = noRecordMade.has(event.what) ? 'made nothing' : 'unknown'
    } else if (event.type === 'invoked') {
      const key = keyOf(event.name)
      const before = callsOf.get(key) ?? []
      const open = before.find(({ state }) => state !== 'made nothing')
      if (open)
        breaches.push(`key ${key}: call ${event.call} was invoked while call ${open.call} is ${open.state}`)
      const known: KnownCall = { call: event.call, state: 'invoked' }
      callsOf.set(key, [...before, known])
      byNumber.set(event.call, known)
    }
  }
  return breaches
}

/**
 * Calls that came although their row was in doubt already. A worker that stands still between its last look at the clock and the network
 * makes some; where it looks at no clock there are many.
 */
export function lateCalls({ mode, events, keyOf, keys }: CallHistory): string[] {
  if (mode !== 'at-most-once') return []
  const doubts = new Set<string>()
  const late: string[] = []
  for (const event of events)
    if (event.type === 'in doubt') for (const row of event.rows) doubts.add(keys[row - 1] ?? '')
    else if (event.type === 'invoked' && doubts.has(keyOf(event.name)))
      late.push(`key ${keyOf(event.name)}: call ${event.call} was invoked while its row was in doubt`)
  return late
}

/** Records of which a worker has heard are in the ledger; if the worker was killed or stopped, their rows may be in doubt. */
function lostAnswers({ heard, lines, keyOf, keys }: CallHistory): string[] {
  const ids = new Set(lines.map(line => line.record_id))
  const doubtful = new Set(
    lines.filter(({ status }) => status === 'in_doubt').map(({ row }) => keys[(row ?? 0) - 1]),
  )
  return heard
    .filter(({ name, recordId, isDisturbed }) => {
      return !ids.has(recordId) && !(isDisturbed && doubtful.has(keyOf(name)))
    })
    .map(
      ({ name, recordId }) => `key ${keyOf(name)}: a worker heard of ${recordId}, which is not in the ledger`,
    )
}
