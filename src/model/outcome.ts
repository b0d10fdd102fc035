import type { Problem } from './problem.ts'
import type { Before, RowIdentity, RowPlace } from './row.ts'

/** What a failed attempt means for its row. */
export const faults = ['never_reached', 'throttled', 'refused', 'unauthorized', 'ambiguous'] as const
export type Fault = (typeof faults)[number]

/** One thing that is wrong with a row. */
export type RowError = Problem & {
  readonly path?: string
  readonly column?: string
  readonly value?: unknown
  /** The start of the service's answer. */
  readonly body?: string
}

interface OfRow {
  readonly identity: RowIdentity
  readonly before?: Before | undefined
}

/** What a call took. */
export interface Effort {
  readonly httpStatus?: number
  readonly attempts: number
  /** How many of the attempts the service asked to make later. */
  readonly throttled?: number
  readonly durationMs: number
}

interface Unsettled extends OfRow, Effort {
  readonly fault: Fault
  /** A rule of the settings file decided the fault. */
  readonly byRule?: true
  readonly errors: readonly RowError[]
}

/** The row has its record; an existing one was there before. */
interface Created extends OfRow, Effort {
  readonly status: 'created' | 'existing'
  readonly recordId: string
}
interface Failed extends Unsettled {
  readonly status: 'failed'
}
/** The service may have made the record. */
interface InDoubt extends Unsettled {
  readonly status: 'in_doubt'
  /** The JSON text that was sent. */
  readonly body: string
}
interface Duplicate extends OfRow {
  readonly status: 'duplicate'
  readonly sameAs: RowPlace
  /** The log of an earlier run has this duplicate. */
  readonly isLogged: boolean
}
interface Invalid extends OfRow {
  readonly status: 'invalid'
  readonly errors: readonly RowError[]
}
/** An earlier run created the record; `changed`: the row reads differently now. */
interface Done extends OfRow {
  readonly status: 'done'
  readonly changed: boolean
}
/** An earlier run left the row in doubt, and this one leaves it there. */
interface Held extends OfRow {
  readonly status: 'held'
}
/** A dry run would send this JSON text. */
interface Valid extends OfRow {
  readonly status: 'valid'
  readonly body: string
}

/** What became of a call. */
export type CallOutcome = Created | Failed | InDoubt

/** What became of a row. */
export type Outcome = CallOutcome | Duplicate | Invalid | Done | Held | Valid
