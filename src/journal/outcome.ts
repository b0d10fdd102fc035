import type { Effort, Outcome, RowError } from '../model/outcome.ts'
import { type Describe, problem } from '../model/problem.ts'
import type { Body, Refs, RowIdentity } from '../model/row.ts'
import { unreachable } from '../model/values.ts'
import type { RecordType } from '../records/kinds.ts'

/** The line that opens a run (DESIGN 4): it has no status. */
export interface Opening {
  readonly run: string
  readonly at: string
  readonly rowlift: string
  readonly base_url: string
  readonly organization_id: number
  readonly record: RecordType
  readonly mapping: string
  readonly mapping_sha256: string
  readonly key_columns: readonly string[]
  /** The columns by which rows may name each other, whose values stand in `ref`. */
  readonly ref_columns?: readonly string[]
  readonly use_created: boolean | null
  readonly delivery: string
  readonly sources: readonly string[]
}

/** A line of the result log, as far as a later run needs it. */
export interface ResultLine extends OldNames {
  readonly run: string
  readonly status?: string
  readonly key?: string
  readonly hash?: string
  readonly record_id?: string
  /** Of a line that opens a run. */
  readonly base_url?: string
  readonly organization_id?: number
  readonly key_columns?: readonly string[]
  readonly ref_columns?: readonly string[]
  readonly ref?: Refs | undefined
  /** A person settled the row. */
  readonly by_hand?: boolean
  /** Of a row that came from a file of rejected rows: the row that it replaces. */
  readonly replaces?: string | undefined
}

/** What 0.1 wrote of a row from a file of rejected rows: it kept its key, and `alias` was the key that its columns gave. */
export interface OldNames {
  readonly repaired?: boolean | undefined
  readonly alias?: string | undefined
}

/** One thing that is wrong with a row, as a line says it: `code` for programs (0.1 wrote none), `message` for people. */
export interface LineError {
  readonly path?: string | undefined
  readonly column?: string | undefined
  readonly value?: unknown
  readonly code?: string | undefined
  /** Missing where a call was under way when its run ended, and the log has no line of it yet. */
  readonly message?: string | undefined
  /** The start of the service's answer. */
  readonly body?: string | undefined
}

/** The errors of an outcome as its line has them. */
export const lineErrors = (errors: readonly RowError[], describe: Describe): LineError[] =>
  errors.map(error => {
    const { path, column, value, code, body } = error
    return { path, column, value, code, message: describe(error), body }
  })

/** A row in doubt, as the result log tells of it. */
export interface Doubt extends RowIdentity, OldNames {
  readonly run: string
  readonly at: string
  readonly status: 'in_doubt'
  readonly record_type: RecordType
  readonly errors: readonly LineError[]
  /** What was sent. */
  readonly body: Body
}

/** The statuses that a call comes to. */
const endsOfCalls: readonly (string | undefined)[] = ['created', 'existing', 'failed', 'in_doubt']

/** Whether a status, or a line of the log, tells what became of a call. */
export const settlesCall = ({ status }: { readonly status?: string }): boolean => endsOfCalls.includes(status)

/** The fields that an outcome adds to a line, without its body, in the order of the log. */
function outcomeFields(
  outcome: Outcome,
  record: RecordType,
  describe: Describe,
): Readonly<Record<string, unknown>> {
  switch (outcome.status) {
    case 'created':
    case 'existing':
      return {
        status: outcome.status,
        record_type: record,
        record_id: outcome.recordId,
        ...effortFields(outcome),
      }
    case 'failed':
    case 'in_doubt':
      return {
        status: outcome.status,
        record_type: record,
        ...effortFields(outcome),
        errors: lineErrors(outcome.errors, describe),
      }
    case 'duplicate':
      return { status: outcome.status, same_as: outcome.sameAs }
    case 'invalid':
      return { status: outcome.status, errors: lineErrors(outcome.errors, describe) }
    case 'valid':
      return { status: outcome.status }
    case 'done':
      return { status: outcome.status, changed: outcome.changed || undefined }
    case 'held':
      return { status: 'in_doubt' }
    default:
      return unreachable(outcome)
  }
}

const effortFields = (outcome: Effort) => ({
  http_status: outcome.httpStatus, // undefined is not written
  attempts: outcome.attempts,
  throttled: outcome.throttled,
  duration_ms: outcome.durationMs,
})

/** A line whose last field is a body, which is JSON text already. */
export const withBody = (fields: object, body: string): string =>
  `${JSON.stringify(fields).slice(0, -1)},"body":${body}}`

const lineOf = (fields: object, outcome: Outcome): string =>
  'body' in outcome ? withBody(fields, outcome.body) : JSON.stringify(fields)

/**
 * One line of the result log, without its line end. Its parts are spread once: an object spread into another one costs
 * three times the rest.
 */
export const resultLine = (
  run: string,
  at: Date,
  outcome: Outcome,
  record: RecordType,
  describe: Describe,
): string => {
  const fields = outcomeFields(outcome, record, describe)
  return lineOf({ run, at: at.toISOString(), ...nameFields(outcome.identity), ...fields }, outcome)
}

/** One line of a dry run's preview, without its line end. */
export const previewLine = (outcome: Outcome, record: RecordType, describe: Describe): string =>
  lineOf({ ...nameFields(outcome.identity), ...outcomeFields(outcome, record, describe) }, outcome)

/** The fields that say which row a line is about. */
export const nameFields = ({ source, row, line, key, hash, ref, replaces }: RowIdentity) => ({
  source,
  row,
  line,
  key,
  hash,
  ref,
  replaces,
})

/** The same of a row that a line of an earlier run tells of. */
export const earlierNameFields = (doubt: RowIdentity & OldNames) => ({
  ...nameFields(doubt),
  repaired: doubt.repaired,
  alias: doubt.alias,
})

/** The line by which a person settles a row in doubt: with the record that was made, or without one. */
export function settledLine(
  run: string,
  at: Date,
  doubt: Doubt,
  recordId: string | undefined,
  describe: Describe,
): string {
  const { record_type } = doubt
  const end =
    recordId === undefined
      ? { status: 'failed', record_type, errors: lineErrors([problem('settled_not_created')], describe) }
      : { status: 'created', record_type, record_id: recordId }
  return JSON.stringify({ run, at: at.toISOString(), ...earlierNameFields(doubt), ...end, by_hand: true })
}

/** The line that puts in doubt a row whose call was under way when its run ended. */
export const abandonedLine = (doubt: Doubt, describe: Describe): string =>
  JSON.stringify({ ...doubt, errors: lineErrors([problem('run_killed')], describe) })

/** Whether an outcome is written to the result log: not if an earlier run wrote it. */
export function isLogged(outcome: Outcome): boolean {
  return outcome.status === 'duplicate'
    ? !outcome.isLogged
    : outcome.status !== 'done' && outcome.status !== 'held'
}
