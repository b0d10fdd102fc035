import type { CallOutcome, Outcome, RowError } from '../../model/outcome.ts'
import { type Describe, problem } from '../../model/problem.ts'
import type { Body, Call, ColumnHistory, RowIdentity, RowPlace } from '../../model/row.ts'
import type { RecordType } from '../../records/kinds.ts'

// The formats of all lines of the result log and the intent log, without their line ends and seals. Begin with ResultLine and resultLine.

/** The line that opens a run. It has no status. */
export interface Opening extends ColumnHistory {
  readonly run: string
  readonly at: string
  readonly rowlift: string
  readonly base_url: string
  readonly organization_id: number
  readonly record: RecordType
  readonly mapping: string
  readonly mapping_sha256: string
  readonly key_columns: readonly string[]
  /** The columns by which rows may name each other; `ref` has their values. */
  readonly ref_columns?: readonly string[]
  readonly use_created: boolean | null
  readonly delivery: string
  readonly sources: readonly string[]
  /** Hashes of the values in the first rows, by columns. */
  readonly first_rows?: Readonly<Record<string, readonly string[]>>
  /** Hashes of rows that read otherwise than when they were sent, and that `--changed-rows` accepted. */
  readonly accepted_rows?: readonly string[] | undefined
  /** The machine of the run. */
  readonly host?: string
  /** Ends of other logs that have none of its rows, as hashes. */
  readonly looked_through?: readonly string[] | undefined
  /** The first runs of logs, or hashes of their paths, that `--new-log` says are of other imports. */
  readonly other_imports?: readonly string[] | undefined
  /** The names of the sheets that were read, by their sources. */
  readonly sheets?: Readonly<Record<string, string>> | undefined
  /** How values are written, by columns: `day first`, `decimal comma`. */
  readonly shapes?: Readonly<Record<string, string>>
  readonly approval?: string | undefined
  readonly existing_sha256?: string | undefined
  /** The run is no import but a command. Its closing line has this field, too. */
  readonly command?: 'resolve' | 'repair' | 'move' | 'forget' | 'rekey' | undefined
  /** In an intent log: how many times its run has replaced the file, if it has. */
  readonly generation?: number
}

/** The line that closes a run. It has no status either. */
export interface Closing {
  readonly run: string
  readonly at: string
  /** Rows by their ends; `rows` is the sum without those that `where` left out. */
  readonly ended: Readonly<Record<string, number>> & { readonly rows: number }
  /** The codes of the expectations that did not hold: later runs are not measured by such a run. */
  readonly unmet?: readonly string[] | undefined
  /** Why the run ended before its sources did: later runs are not measured by it either. */
  readonly stopped?: string | undefined
  readonly command?: Opening['command']
  /** The number of lines that the run wrote, with its opening and this one. */
  readonly lines?: number
}

/**
 * How far a file was on disk when the first line of a group was written into the other one: the number of the last line of its run there, and that
 * line's checksum. For an intent log its generation comes first.
 */
export type SyncPoint = readonly number[]

const statuses = [
  'created',
  'existing',
  'merged',
  'duplicate',
  'invalid',
  'failed',
  'in_doubt',
  'forgotten',
] as const

/** A line of the result log, as it is read. Its checksum vouches for the fields. */
export interface ResultLine
  extends Partial<Opening>,
    Partial<Omit<Closing, 'command'>>,
    Partial<RowIdentity> {
  readonly run: string
  /** The run that wrote the line, if that is another one: it put a call of `run` in doubt. */
  readonly writer?: string
  /** How far the intent log was: in the first line of each group of the result log. */
  readonly intents?: SyncPoint
  /** How far the result log was: in the first line of each group of the intent log. */
  readonly log?: SyncPoint
  readonly status?: (typeof statuses)[number]
  readonly record_id?: string
  /** The key of a row whose record this one has: it is the same row under another name. */
  readonly respells?: string
  /** The row that has the record or the key of this one. */
  readonly same_as?: RowPlace
  readonly http_status?: number | undefined
  readonly attempts?: number
  readonly throttled?: number
  readonly unclear_attempts?: number
  readonly duration_ms?: number
  readonly errors?: readonly LineError[]
  readonly omitted?: readonly LineError[]
  readonly kept?: readonly LineError[]
  /** Paths of fields that the answer lacks. */
  readonly not_in_answer?: readonly string[]
  /** Paths at which the body of a duplicate differs from that of the row with its key. */
  readonly differs?: readonly string[]
  readonly body?: unknown
  /** A person resolved the row. */
  readonly by_hand?: boolean
  /** The run of the line by hand of this key that a person took back: that line does not count any more. */
  readonly corrects?: string
}

export interface DescribedError {
  /** The place in the body, such as `emails.0.email`. */
  readonly path?: string | undefined
  readonly column?: string | undefined
  readonly value?: unknown
  /** Code for programs, stable once released; docs/usage/errors.md lists all codes. */
  readonly code: string
  /** Message for people; its words may change. */
  readonly message: string
  readonly body?: string | undefined
}

/** An error as it is read. That of an orphaned call of which the log has no line yet has no `message`. */
export type LineError = Partial<DescribedError>

/** The errors in the line of an outcome. */
export const lineErrors = (errors: readonly RowError[], describe: Describe): DescribedError[] =>
  errors.map(error => {
    const { path, column, value, code, body } = error
    return { path, column, value, code, message: describe(error), body }
  })

/** A line of the intent log: a call that was in flight when its run ended. */
export interface OrphanedCall extends RowIdentity {
  readonly run: string
  /** The time at which it was written, just before the call. */
  readonly at: string
  readonly body: Body
  /** A repair read it from a damaged line. */
  readonly damaged?: boolean
}

/** The line of a row in doubt. */
export interface Doubt extends OrphanedCall {
  readonly status: 'in_doubt'
  readonly record_type: RecordType
  readonly errors: readonly LineError[]
}

const statusesOfRecords: readonly (string | undefined)[] = ['created', 'existing', 'merged']
const statusesOfCalls: readonly (string | undefined)[] = [...statusesOfRecords, 'failed', 'in_doubt']

/** Checks whether the row of a line has a record. */
export const givesRecord = ({ status }: { readonly status?: string }): boolean =>
  statusesOfRecords.includes(status)

/** Checks whether an outcome or a line is the end of a call. */
export const endsCall = ({ status }: { readonly status?: string }): boolean =>
  statusesOfCalls.includes(status)

/** The fields that name a row, in the order of the log. */
export const identityIn = ({ source, row, line, key, hash, body_hash, ref, replaces }: RowIdentity) => ({
  ...{ source, row, line, key, hash, body_hash, ref, replaces },
})

/** A field of a line, after others, as JSON; nothing if it is undefined. Takes a third of the time of JSON.stringify of all fields. */
const field = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

const identityText = ({ source, row, line, key, hash, body_hash, ref, replaces }: RowIdentity): string =>
  `${field('source', source)},"row":${row},"line":${line}${field('key', key)}${field('hash', hash)}` +
  field('body_hash', body_hash) +
  field('ref', ref) +
  field('replaces', replaces)

/** The fields that an outcome adds to a line, without its body, in the order of the log. */
const outcomeText = (outcome: Outcome, record: RecordType, describe: Describe): string =>
  field('status', statusIn(outcome)) +
  ('attempts' in outcome ? callText(outcome, record) : '') +
  ('sameAs' in outcome ? field('same_as', outcome.sameAs) : '') +
  ('export' in outcome ? field('export', outcome.export) : '') +
  ('candidates' in outcome ? field('candidates', outcome.candidates) : '') +
  ('omitted' in outcome ? field('omitted', outcome.omitted) : '') +
  ('kept' in outcome ? field('kept', outcome.kept) : '') +
  ('notInAnswer' in outcome ? field('not_in_answer', outcome.notInAnswer) : '') +
  ('differs' in outcome ? field('differs', outcome.differs) : '') +
  ('errors' in outcome ? field('errors', outcome.errors && lineErrors(outcome.errors, describe)) : '') +
  (outcome.status === 'done' ? doneText(outcome, record) : '')

/** A row in doubt that is held is in doubt; one that gets the record of another name is made. */
function statusIn(outcome: Outcome): string {
  if (outcome.status === 'held' && outcome.errors === undefined) return 'in_doubt'
  return outcome.status === 'done' && outcome.respells ? 'created' : outcome.status
}

const doneText = (
  { changed, noLongerValid, respells }: Extract<Outcome, { status: 'done' }>,
  record: RecordType,
) =>
  field('changed', changed || undefined) +
  field('no_longer_valid', noLongerValid) +
  (respells === undefined
    ? ''
    : field('record_type', record) + field('record_id', respells.recordId) + field('respells', respells.key))

const callText = (outcome: CallOutcome, record: RecordType): string =>
  field('record_type', record) +
  ('recordId' in outcome ? field('record_id', outcome.recordId) : '') +
  field('http_status', outcome.httpStatus) +
  `,"attempts":${outcome.attempts}${field('throttled', outcome.throttled)}` +
  `${field('unclear_attempts', outcome.unclearAttempts)},"duration_ms":${outcome.durationMs}`

/** The body of an outcome, which is JSON already if it was sent. */
function bodyText(outcome: Outcome): string {
  if (outcome.status === 'valid') return field('body', outcome.body)
  return outcome.status === 'in_doubt' ? `,"body":${outcome.body}` : ''
}

const rowLine = (run: string, at: Date, identity: RowIdentity, others: string): string =>
  `{"run":"${run}","at":"${at.toISOString()}"${identityText(identity)}${others}}`

/** The opening of a command: that of the last import, and what it changes. */
export const commandOpening = (
  before: Opening | undefined,
  own: Pick<Opening, 'run' | 'at' | 'rowlift'>,
  change: Pick<Opening, 'command'> & Partial<Opening>,
): Opening => ({ ...own, ...(before as Opening), approval: undefined, ...change, ...own })

/** The opening that counts after one more: a command changes fields of the last import, which stays the last run. */
export const openingAfter = (
  before: Opening | undefined,
  { command, intents, ...opening }: Opening & Pick<ResultLine, 'intents'>,
): Opening =>
  command === undefined || before === undefined
    ? { sheets: before?.sheets, ...opening }
    : { ...opening, run: before.run, at: before.at }

export interface LineContext {
  readonly run: string
  readonly at: Date
  readonly record: RecordType
  readonly describe: Describe
}

export const resultLine = (outcome: Outcome, { run, at, record, describe }: LineContext): string =>
  rowLine(run, at, outcome.identity, outcomeText(outcome, record, describe) + bodyText(outcome))

/** The line of an outcome in the preview of a dry run. */
export function previewLine(outcome: Outcome, record: RecordType, describe: Describe): string {
  const known = field('known', outcome.known)
  const fields = identityText(outcome.identity) + outcomeText(outcome, record, describe) + known
  return `{${fields.slice(1)}${bodyText(outcome)}}`
}

/** End of a row in doubt. */
export interface Ending {
  /** Undefined if no record was made. */
  readonly recordId: string | undefined
  /** The name of the export of the service that shows it. */
  readonly export?: string | undefined
  /** The run of the line by hand that it replaces. */
  readonly corrects?: string | undefined
}

/** A row that a person settles. */
export type ResolvedRow = Pick<Doubt, keyof RowIdentity | 'record_type'>

/** A line by which a person resolved a row, and which a later one may take back. */
export type LineByHand = ResolvedRow & Pick<ResultLine, 'run' | 'record_id'>

/** Returns the line if a person resolved the row by it. */
export const byHandIn = (line: ResultLine): LineByHand | undefined =>
  line.by_hand && line.status !== 'forgotten' ? (line as unknown as LineByHand) : undefined

/** The line by which a person resolves a row in doubt, or takes back an earlier such line. */
export function resolvedLine(
  row: ResolvedRow,
  { recordId, export: name, corrects }: Ending,
  { run, at, describe }: Omit<LineContext, 'record'>,
): string {
  const errors = recordId === undefined ? lineErrors([problem('settled_not_created')], describe) : undefined
  const end = { status: errors ? 'failed' : 'created', record_type: row.record_type }
  return JSON.stringify({
    ...{ run, at, ...identityIn(row), ...end },
    ...{ errors, record_id: recordId, by_hand: true, corrects, export: name },
  })
}

/** An orphaned call as a row in doubt: nobody knows whether it made a record. */
export const orphanDoubt = (call: OrphanedCall, record: RecordType): Doubt => ({
  ...{ run: call.run, at: call.at, ...identityIn(call) },
  status: 'in_doubt',
  record_type: record,
  errors: [{ code: call.damaged ? 'damaged_line' : 'run_killed' }],
  body: call.body,
})

/** The line of the result log by which a run puts the row of an orphaned call in doubt. */
export const orphanLine = (doubt: Doubt, describe: Describe, writer?: string): string =>
  JSON.stringify({
    ...doubt,
    writer,
    errors: lineErrors([problem(isDamaged(doubt) ? 'damaged_line' : 'run_killed')], describe),
  })

/** Checks whether a row is in doubt because its line was damaged: its key, or its hash, may be another. */
export const isDamaged = ({ status, errors }: Pick<ResultLine, 'status' | 'errors'>): boolean =>
  status === 'in_doubt' && [errors].flat()[0]?.code === 'damaged_line'

/** Checks whether an outcome is written to the result log: not if an earlier run wrote it. */
export function isLogged(outcome: Outcome): boolean {
  if (outcome.status === 'duplicate') return !outcome.isLogged
  return outcome.status === 'done' ? outcome.respells !== undefined : outcome.status !== 'held'
}

/** The rows that the next run is compared with: without those of a rejects file. Undefined if there were no others. */
export const measuredRows = ({ rows, returned = 0 }: Closing['ended']): number | undefined =>
  returned > 0 && returned >= rows ? undefined : rows - returned

/** The line of the intent log that is on disk before its call goes out. */
export const intentLine = (
  run: string,
  at: Date,
  { identity, json }: Pick<Call, 'identity' | 'json'>,
): string => rowLine(run, at, identity, `,"body":${json}`)

/** The line of the intent log that takes a call back: it ended and cannot have made a record. */
export const removedLine = (run: string, key: string): string => JSON.stringify({ run, key, over: true })

/** Parses a line of either log; undefined for another text. */
export function parseLine(text: string): ResultLine | undefined {
  try {
    const line = JSON.parse(text) as ResultLine | null
    return typeof line?.run === 'string' ? line : undefined
  } catch {
    return undefined
  }
}

/** Parses the line that opens a run, in either log; undefined if it is another one. */
export function parseOpening(text: string): Opening | undefined {
  const line = parseLine(text)
  return line?.rowlift === undefined ? undefined : (line as Opening)
}

/** Checks for the line by which a repair says that lines are missing: the log does not know all rows that have a record. */
export const saysLost = ({ status }: { readonly status?: string }): boolean => status === 'lost'

/** Checks that this version knows the meaning of a line of the result log. */
export const isKnownLine = (line: ResultLine | undefined): boolean =>
  line?.status === undefined
    ? (line?.ended ?? line?.rowlift) !== undefined
    : saysLost(line) || statuses.includes(line.status)
