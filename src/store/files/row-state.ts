// The state of one name after the lines of a log: `next` has the rules, and a table of keys has the states packed.
import { type Fingerprint, firstWord, spelledFingerprint } from '../../model/fingerprint.ts'
import type { KeyTable } from '../../model/key-table.ts'
import type { PastState } from '../../model/store.ts'

/** State of one name after the lines so far: a key, or the name of a rejected row. */
export interface RowState {
  /** The row has its record, may have one, or was refused. */
  readonly status: PastState['status']
  /** The hash of the row then. */
  readonly hash: number
  /** 32 bits of the hash of its body; 0 if that is not known, or not kept. */
  readonly body: number
}

/** A line of a row as a change of the state of a name. */
export type StateChange = Pick<RowState, 'hash' | 'body'> & {
  readonly status: RowState['status'] | 'forgotten'
  readonly byHand: boolean
}

/** The state of a name after one more line. A record is final unless it is gone; only a record or a person ends a doubt. */
export function next(before: RowState | undefined, { status, hash, body, byHand }: StateChange): RowState {
  if (status === 'forgotten') return { status: 'refused', hash, body }
  if (before?.status === 'settled') return before
  if (before?.status === 'in_doubt' && status === 'refused' && !byHand) return before
  return { status, hash, body }
}

/** The last one is of refusals after lines were lost. */
const statuses: readonly RowState['status'][] = ['settled', 'in_doubt', 'refused', 'refused']

export const refusedState = statuses.indexOf('refused')

/** Marks a name whose second number is that of the row of this run that owns it. */
export const ownedMark = 2 ** 31

/** The state of a name, which a table has packed into one number, or two with its body. */
export function stateIn(states: KeyTable, name: Fingerprint): RowState | undefined {
  const packed = states.get(name)
  if (packed === undefined) return undefined
  const status = statuses[packed % 4] as RowState['status']
  return { status, hash: (packed % ownedMark) >>> 2, body: states.second(name) ?? 0 }
}

export function setState(
  states: KeyTable,
  name: Fingerprint,
  { status, hash, body }: RowState,
  lacksLines = false,
): void {
  const at = statuses.indexOf(status) + Number(lacksLines && status === 'refused')
  states.set(name, hash * 4 + at, body)
}

/** Notes a line for a name in rejects files. Returns the body that the name had. */
export function noteIn(states: KeyTable, text: string, change: StateChange): number | undefined {
  const name = spelledFingerprint(text)
  const before = stateIn(states, name)
  setState(states, name, next(before, change))
  return before?.body
}

/** 29 bits of a row's hash, which fit into one number with its status. */
export const shortened = (hash: string) => firstWord(hash) >>> 3
