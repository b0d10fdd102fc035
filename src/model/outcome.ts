import type { Problem } from './problem.ts'
import type { Before, Body, Dependency, RowIdentity, RowPlace, UnreadValues } from './row.ts'

export const faults = ['never_reached', 'throttled', 'refused', 'unauthorized', 'ambiguous'] as const
export type Fault = (typeof faults)[number]

export type RowError = Problem & {
  readonly path?: string
  readonly column?: string
  readonly value?: unknown
  readonly body?: string
}

export type Mapped =
  | ({ readonly body: Body } & UnreadValues)
  | { readonly errors: readonly RowError[] }
  | { readonly waitsOn: readonly Dependency[]; readonly partial?: Body | undefined }

/** The body of a row that passed the mapping. */
export const bodyIn = (mapped: Mapped): Body | undefined => ('body' in mapped ? mapped.body : undefined)

interface OfRow {
  readonly identity: RowIdentity
  readonly before?: Before | undefined
  /** An earlier run refused the row for the same reason, and it reads the same. */
  readonly known?: true
}

export interface Effort {
  readonly httpStatus?: number
  readonly attempts: number
  readonly throttled?: number
  /** Attempts without a clear answer before the last that may have made a record: each may have made another one. */
  readonly unclearAttempts?: number
  readonly durationMs: number
}

interface OfMapped extends OfRow, UnreadValues {}

/** The row has its record; an existing one was there before. If an `export` of the service shows it, no call was made. */
export interface Created extends OfMapped, Effort {
  readonly status: 'created' | 'existing'
  readonly recordId: string
  readonly export?: string
  /** The paths of fields that were sent and that the answer lacks. */
  readonly notInAnswer?: readonly string[]
}
/** The record is that of another row of this import: this row's values are nowhere in the service. */
export interface Merged extends Omit<Created, 'status' | 'notInAnswer'> {
  readonly status: 'merged'
  readonly sameAs: RowPlace
}
interface Failed extends OfMapped, Effort {
  readonly status: 'failed'
  readonly fault: Fault
  readonly byRule?: true
  readonly errors: readonly RowError[]
}
interface InDoubt extends Omit<Failed, 'status'> {
  readonly status: 'in_doubt'
  readonly body: string
}
export interface Duplicate extends OfRow {
  readonly status: 'duplicate'
  readonly sameAs: RowPlace
  readonly isLogged: boolean
  /** Set for a conflict: the paths at which its body differs from that of the other row; none if that is not known. */
  readonly differs?: readonly string[]
  readonly errors?: readonly RowError[]
}
interface Invalid extends OfRow {
  readonly status: 'invalid'
  readonly errors: readonly RowError[]
}
/** An earlier run created the record; `changed`: what would be sent differs now. */
interface Done extends OfRow {
  readonly status: 'done'
  readonly changed: boolean
  /** What would be sent now, of a changed row. */
  readonly body?: Body
  readonly noLongerValid?: true
  /** The row of the log that it is under another name. */
  readonly respells?: { readonly key: string; readonly recordId: string }
}
/** An earlier run left the row in doubt, and this one does not resend it; or it may be a row of an earlier run under another name, or have one of several records, whose ids are the `candidates`. */
interface Held extends OfRow {
  readonly status: 'held'
  readonly candidates?: readonly string[]
  readonly errors?: readonly RowError[]
}
interface Valid extends OfMapped {
  readonly status: 'valid'
  readonly body: Body
}

export type CallOutcome = Created | Merged | Failed | InDoubt

export type Outcome = CallOutcome | Duplicate | Invalid | Done | Held | Valid
