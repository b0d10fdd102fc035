import type { Problem } from './problem.ts'
import type { Before, RowIdentity, RowPlace } from './row.ts'

/** The meaning of a failed attempt for its row. */
export const faults = ['never_reached', 'throttled', 'refused', 'unauthorized', 'ambiguous'] as const
export type Fault = (typeof faults)[number]

export type RowError = Problem & {
  readonly path?: string
  readonly column?: string
  readonly value?: unknown
  readonly body?: string
}

interface OfRow {
  readonly identity: RowIdentity
  readonly before?: Before | undefined
}

export interface Effort {
  readonly httpStatus?: number
  readonly attempts: number
  /** The number of attempts that the service asked to repeat later. */
  readonly throttled?: number
  readonly durationMs: number
}

interface Unsettled extends OfRow, Effort {
  readonly fault: Fault
  readonly byRule?: true
  readonly errors: readonly RowError[]
}

/** The row has its record; an existing one was there before. */
interface Created extends OfRow, Effort {
  readonly status: 'created' | 'existing'
  readonly recordId: string
  /** The paths of fields that were sent and that the answer lacks. */
  readonly notInAnswer?: readonly string[]
}
interface Failed extends Unsettled {
  readonly status: 'failed'
}
/** The service may have made the record. */
interface InDoubt extends Unsettled {
  readonly status: 'in_doubt'
  readonly body: string
}
interface Duplicate extends OfRow {
  readonly status: 'duplicate'
  readonly sameAs: RowPlace
  readonly isLogged: boolean
}
interface Invalid extends OfRow {
  readonly status: 'invalid'
  readonly errors: readonly RowError[]
}
/** An earlier run created the record; `changed`: the content differs now. */
interface Done extends OfRow {
  readonly status: 'done'
  readonly changed: boolean
}
/** An earlier run left the row in doubt, and this one does not resend it. */
interface Held extends OfRow {
  readonly status: 'held'
}
/** A dry run would send this JSON text. */
interface Valid extends OfRow {
  readonly status: 'valid'
  readonly body: string
}

export type CallOutcome = Created | Failed | InDoubt

export type Outcome = CallOutcome | Duplicate | Invalid | Done | Held | Valid
