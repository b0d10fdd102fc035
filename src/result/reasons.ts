// Why rows have no record: groups of rows by reason, for the summary and the page, in bounded memory.

import { recognizableFields } from '../model/recognizable-fields.ts'
import type { LineError } from '../store/files/lines.ts'
import { labelOf, type RowLabel, shorten, showValue } from './short-texts.ts'

export type BadStatus = 'in_doubt' | 'failed' | 'invalid'

/** Rows without a record for the same reason: one status, column and code, and the same start of the service's answer. */
export interface ReasonGroup {
  readonly status: BadStatus
  readonly httpStatus: number | undefined
  /** Undefined for the rest. */
  readonly code: string | undefined
  /** The column or field, and what is wrong; without the parameters in which the rows differ. */
  reason: string
  /** The start of the service's answer, without numbers and ids; undefined if there was none. */
  readonly answer: string | undefined
  count: number
  /** The number of rows that an earlier run refused, and this one not anew. */
  known: number
  /** The first of them. */
  readonly examples: AttentionRow[]
  /** Rows with this as their first error; some of each group, however many there are of others. */
  readonly rows: AttentionRow[]
  /** All reasons after the first 1000. */
  readonly isRest?: true
}

export interface Problems {
  /** The most frequent reason first; `otherReasons` rows have others. */
  readonly reasons: readonly ReasonFacts[]
  readonly otherReasons: number
  /** Whether a row has several reasons and counts in each. */
  readonly overlap: boolean
  readonly attention: {
    readonly total: number
    readonly known: number
    /** The first rows of each reason, as many as a page can hold. */
    readonly rows: readonly AttentionRow[]
  }
}

export interface ReasonFacts {
  readonly status: BadStatus
  /** Undefined for lines that 0.1 wrote. */
  readonly code: string | undefined
  readonly rows: number
  /** Of these: refused by an earlier run, and not anew by the last one. */
  readonly known: number
  readonly reason: string
  /** The pattern of what the service answered. */
  readonly answer: string | undefined
  readonly remedy: string
  readonly examples: readonly AttentionRow[]
}

/** All texts are cut to a length that can be shown. */
export interface AttentionRow extends RowLabel {
  readonly status: BadStatus
  /** Of the first error. */
  readonly column: string | undefined
  readonly value: string | undefined
  /** Of all errors. */
  readonly messages: readonly string[]
  /** The start of the service's answer. */
  readonly answer: string | undefined
  readonly at: string | undefined
  /** Of a row in doubt: what was sent of all that a person can look for in the service. */
  readonly recognizedBy: readonly string[]
}

export interface BadOutcome {
  readonly status: BadStatus
  readonly httpStatus?: number | undefined
  readonly errors: readonly LineError[]
  readonly at?: string | undefined
  readonly body?: unknown
  /** Whether an earlier run refused it, and this one has nothing new of it. */
  readonly isKnown?: boolean
}

/** What advice depends on besides. */
export interface Advised {
  /** The result log; undefined in a dry run. */
  readonly log: string | undefined
  /** What the next run does with rows in doubt: sends them, and the service finds its record; sends them; or not. */
  readonly doubts: 'found_again' | 'sent_again' | 'held'
}

/** Says what to do about a group of rows. */
export type Remedy = (group: ReasonGroup, advised: Advised) => string

/** Rows without a record that a page can hold. */
export const mostShownRows = 5_000

const most = { groups: 1000, examples: 3, errors: 20, reasons: 10, listed: 50, answer: 120 }
const minRows = 5
const maxLength = { value: 200, message: 300, answer: 500 }
const unexplained: readonly LineError[] = [{ message: 'no reason is given' }]

/** A row counts once for each of its reasons. */
export class Reasons {
  readonly groups = new Map<string, ReasonGroup>()
  /** Whether a row has several reasons, so that the counts come to more than the rows. */
  overlap = false
  readonly #describeCode: (code: string) => string | undefined
  readonly #mostRows: number
  #kept = 0
  #total = 0
  #known = 0

  /** Keeps so many rows besides the examples; a page has them. */
  constructor(describeCode: (code: string) => string | undefined, mostRows = 0) {
    this.#describeCode = describeCode
    this.#mostRows = mostRows
  }

  add(row: RowLabel, outcome: BadOutcome): void {
    const { isKnown = false } = outcome
    const errors = outcome.errors.length === 0 ? unexplained : distinct(outcome.errors)
    const found = new Map<ReasonGroup, LineError>()
    for (const error of errors) {
      const group = this.#groupOf(outcome, error)
      if (!found.has(group)) found.set(group, error)
    }
    this.#total += 1
    this.#known += Number(isKnown)
    this.overlap ||= found.size > 1
    for (const [at, [group, error]] of [...found].entries()) {
      group.count += 1
      group.known += Number(isKnown)
      const isKept = at === 0 && this.#hasRoomFor(group)
      if (!isKept && group.examples.length === most.examples) continue
      const example = attentionRow(row, outcome, errors, error)
      if (group.examples.length < most.examples) group.examples.push(example)
      if (isKept) group.rows.push(example)
      this.#kept += Number(isKept)
    }
  }

  #hasRoomFor = ({ rows }: ReasonGroup) =>
    this.#mostRows > 0 && (this.#kept < this.#mostRows || rows.length < minRows)

  /** The reasons of the most rows, at most ten. */
  get mostFrequent(): ReasonGroup[] {
    return [...this.groups.values()].sort((a, b) => b.count - a.count).slice(0, most.reasons)
  }

  /** The most frequent reasons for programs, without what stood in the rows. */
  fields() {
    return this.mostFrequent.map(({ status, code, count, reason, examples }) => ({
      status,
      ...(code !== undefined && { code }),
      reason,
      count,
      examples: examples.map(({ source, row, line }) => ({ source, row, line })),
    }))
  }

  /** The reasons of the most new rows, and the rows to look at: first those in doubt, then failed, then invalid ones. */
  problems(remedyOf: Remedy, advised: Advised): Problems {
    const all = [...this.groups.values()].sort(
      (a, b) => b.count - b.known - (a.count - a.known) || b.count - a.count,
    )
    const listed = all.filter(({ isRest }) => !isRest).slice(0, most.listed)
    const sum = (groups: typeof all) => groups.reduce((rows, { count }) => rows + count, 0)
    const rows = (['in_doubt', 'failed', 'invalid'] as const).flatMap(status =>
      all.flatMap(group => (group.status === status ? group.rows : [])),
    )
    return {
      reasons: listed.map(group => reasonFacts(group, remedyOf(group, advised))),
      otherReasons: sum(all) - sum(listed),
      overlap: this.overlap,
      attention: { total: this.#total, known: this.#known, rows },
    }
  }

  #groupOf({ status, httpStatus }: BadOutcome, error: LineError): ReasonGroup {
    const { code, message, body } = error
    const place = error.column ?? error.path
    const answer = body === undefined ? undefined : answerStart(body)
    const key = [status, httpStatus, place, code ?? message, answer].join('\0')
    const hasRoom = this.groups.size < most.groups || this.groups.has(key)
    const known = this.groups.get(hasRoom ? key : status)
    const group = known ?? (hasRoom ? newGroup(status, error, { httpStatus, answer }) : newGroup(status))
    const reason = at(place, message)
    if (code !== undefined && group.reason !== reason && !group.isRest)
      group.reason = at(place, this.#describeCode(code) ?? message)
    if (known === undefined) this.groups.set(hasRoom ? key : status, group)
    return group
  }
}

const at = (place: string | undefined, words: string | undefined) => [place, words].filter(Boolean).join(' ')

/** Without an error, the group of all other reasons. */
function newGroup(
  status: BadStatus,
  error?: LineError,
  about: Partial<Pick<ReasonGroup, 'httpStatus' | 'answer'>> = {},
): ReasonGroup {
  const reason = error ? at(error.column ?? error.path, error.message) : 'other reasons'
  const { httpStatus, answer } = about
  const group = { status, httpStatus, answer, code: error?.code, reason }
  return { ...group, count: 0, known: 0, examples: [], rows: [], ...(error ? {} : { isRest: true }) }
}

const variable =
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[^\s"'<>()@]{1,64}@[^\s"'<>()@]{1,255}|\d+/gi

/** The start of an answer without what differs from row to row: ids, addresses and numbers. */
const answerStart = (text: string): string =>
  text
    .slice(0, 4 * most.answer)
    .replaceAll(variable, '…')
    .slice(0, most.answer)

function reasonFacts(group: ReasonGroup, remedy: string): ReasonFacts {
  const { status, code, count, known, reason, answer, examples } = group
  const cut = shorten(reason, maxLength.message)
  return { status, code, rows: count, known, answer, remedy, examples, reason: cut }
}

/** A list in one cell may have the same error many times. */
function distinct(errors: readonly LineError[]): readonly LineError[] {
  const byName = new Map<string, LineError>()
  for (const error of errors) {
    const name = `${error.column ?? error.path}\n${error.message}`
    if (!byName.has(name)) byName.set(name, error)
  }
  return [...byName.values()].slice(0, most.errors)
}

function attentionRow(
  row: RowLabel,
  { status, at: time, body }: BadOutcome,
  errors: readonly LineError[],
  { column, path, value }: LineError,
): AttentionRow {
  const answer = errors.find(({ body }) => body)?.body
  const name = column ?? path
  return {
    ...labelOf(row),
    status,
    column: name && shorten(name, maxLength.value),
    value: value === undefined ? undefined : showValue(value, maxLength.value),
    messages: errors.map(each => shorten(at(each.column ?? each.path, each.message), maxLength.message)),
    answer: answer && shorten(answer, maxLength.answer),
    at: time,
    recognizedBy: recognizedBy(body).map(text => shorten(text, maxLength.value)),
  }
}

function recognizedBy(body: unknown): string[] {
  const { name, emails, phones, dueDate, parentName } = recognizableFields(body)
  return [name ?? [], emails, phones, dueDate?.replace('T00:00:00', '') ?? [], parentName ?? []]
    .flat()
    .slice(0, 10)
}
