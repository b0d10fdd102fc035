// Groups of rows without a record by reason, for the summary and the page, in bounded memory.

import type { LineError } from '../store/files/lines.ts'
import { labelOf, type RowLabel, recognizableFields, shorten, showValue } from './short-texts.ts'

export const badStatuses = ['in_doubt', 'failed', 'invalid', 'duplicate', 'held'] as const
export type BadStatus = (typeof badStatuses)[number]

/** Rows without a record for the same reason: one status, column and code, and the same start of the service's answer. */
export interface ReasonGroup {
  readonly status: BadStatus
  readonly httpStatus?: number | undefined
  /** Undefined for the rest, and for lines that 0.1 wrote. */
  readonly code?: string | undefined
  /** The start of the service's answer, without numbers and ids; undefined if there was none. */
  readonly answer?: string | undefined
  /** All reasons after the first 1000. */
  readonly isRest: boolean
  /** The column or field, and what is wrong; without the parameters in which the rows differ. */
  reason: string
  count: number
  /** The number of rows that an earlier run refused, and this one not anew. */
  known: number
  readonly examples: AttentionRow[]
  /** Rows with this as their first error; some of each group, however many there are of others. */
  readonly rows: AttentionRow[]
}

export type Problems = ReturnType<Reasons['problems']>
export type ReasonFacts = Problems['reasons'][number]
export type AttentionRow = ReturnType<typeof attentionRow>

export interface BadOutcome {
  readonly status: BadStatus
  readonly httpStatus?: number | undefined
  readonly errors: readonly LineError[]
  readonly at?: string | undefined
  readonly body?: unknown
  /** An earlier run refused the row, and it reads the same. */
  readonly isKnown?: boolean
}

export interface Advised {
  /** The result log; undefined in a dry run. */
  readonly log: string | undefined
  /** The next run sends rows in doubt, and the service returns the record; or it sends them; or it does not. */
  readonly doubts: 'found_again' | 'sent_again' | 'held'
}

export type Remedy = (group: ReasonGroup, advised: Advised) => string

/** Returns the sentence of a code without its parameters; undefined for a code of another version. */
export type DescribeCode = (code: string) => string | undefined

export const mostShownRows = 5_000

const most = { groups: 1000, examples: 3, errors: 20, reasons: 10, listed: 50, answer: 120 }
const minRows = 5
const maxLength = { value: 200, message: 300, answer: 500 }
const unexplained: readonly LineError[] = [{ message: 'no reason is given' }]

/** Counts rows by reason: a row counts once for each of its reasons. */
export class Reasons {
  readonly groups = new Map<string, ReasonGroup>()
  /** A row has several reasons, so that the counts come to more than the rows. */
  overlap = false
  readonly #describeCode: DescribeCode
  readonly #mostRows: number
  #kept = 0
  #total = 0
  #known = 0

  /** Keeps `mostRows` rows besides the examples, for a page. */
  constructor(describeCode: DescribeCode, mostRows = 0) {
    this.#describeCode = describeCode
    this.#mostRows = mostRows
  }

  add(row: RowLabel, outcome: BadOutcome): void {
    const { isKnown = false } = outcome
    const errors = outcome.errors.length === 0 ? unexplained : distinct(outcome.errors)
    const firstOf = new Map<ReasonGroup, LineError>()
    for (const error of errors) {
      const group = this.#groupOf(outcome, error)
      if (!firstOf.has(group)) firstOf.set(group, error)
    }
    this.#total += 1
    this.#known += Number(isKnown)
    this.overlap ||= firstOf.size > 1
    for (const [group, error] of firstOf) {
      group.count += 1
      group.known += Number(isKnown)
      const hasRoom = this.#kept < this.#mostRows || (this.#mostRows > 0 && group.rows.length < minRows)
      const isKept = error === errors[0] && hasRoom
      if (!isKept && group.examples.length === most.examples) continue
      const example = attentionRow(row, outcome, errors, error)
      if (group.examples.length < most.examples) group.examples.push(example)
      if (isKept) group.rows.push(example)
      this.#kept += Number(isKept)
    }
  }

  /** The reasons of the most rows, at most ten. */
  get mostFrequent(): ReasonGroup[] {
    return [...this.groups.values()].sort((a, b) => b.count - a.count).slice(0, most.reasons)
  }

  /** The most frequent reasons for programs, without the content of rows. */
  fields() {
    return this.mostFrequent.map(({ status, code, count, reason, examples }) => ({
      status,
      ...(code !== undefined && { code }),
      reason,
      count,
      examples: examples.map(({ source, row, line }) => ({ source, row, line })),
    }))
  }

  /** The reasons of the most new rows, and the rows to look at: first those in doubt, then failed, then invalid ones, conflicts, and rows under another name. */
  problems(remedyOf: Remedy, advised: Advised) {
    const all = [...this.groups.values()].sort(
      (a, b) => b.count - b.known - (a.count - a.known) || b.count - a.count,
    )
    const listed = all.filter(({ isRest }) => !isRest).slice(0, most.listed)
    const sum = (groups: typeof all) => groups.reduce((rows, { count }) => rows + count, 0)
    const rows = badStatuses.flatMap(status =>
      all.flatMap(group => (group.status === status ? group.rows : [])),
    )
    return {
      /** The most frequent reason first; `otherReasons` rows have others. */
      reasons: listed.map(group => ({ ...reasonFacts(group), remedy: remedyOf(group, advised) })),
      otherReasons: sum(all) - sum(listed),
      overlap: this.overlap,
      /** The rows to look at, as many of each reason as a page can hold. */
      attention: { total: this.#total, known: this.#known, rows },
    }
  }

  #groupOf({ status, httpStatus }: BadOutcome, error: LineError): ReasonGroup {
    const { code, message = this.#describeCode(code ?? ''), body } = error
    const place = error.column ?? error.path
    const answer = body === undefined ? undefined : answerStart(body)
    const key = [status, httpStatus, place, code ?? message, answer].join('\0')
    const isRest = this.groups.size >= most.groups && !this.groups.has(key)
    const name = isRest ? status : key
    const reason = isRest ? 'other reasons' : at(place, message)
    const group = this.groups.get(name) ?? {
      ...{ status, isRest, reason, ...(!isRest && { httpStatus, code, answer }) },
      ...{ count: 0, known: 0, examples: [], rows: [] },
    }
    this.groups.set(name, group)
    if (code !== undefined && group.reason !== reason)
      group.reason = at(place, this.#describeCode(code) ?? message)
    return group
  }
}

const at = (place: string | undefined, words: string | undefined) => [place, words].filter(Boolean).join(' ')

const variable =
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[^\s"'<>()@]{1,64}@[^\s"'<>()@]{1,255}|\d+/gi

/** The start of an answer without what differs from row to row: ids, addresses and numbers. */
const answerStart = (text: string): string =>
  text
    .slice(0, 4 * most.answer)
    .replaceAll(variable, '…')
    .slice(0, most.answer)

const reasonFacts = ({ status, code, count, known, reason, answer, examples }: ReasonGroup) => ({
  ...{ status, code, rows: count, known, answer, examples },
  reason: shorten(reason, maxLength.message),
})

/** A list in one cell may have the same error many times. */
function distinct(errors: readonly LineError[]): readonly LineError[] {
  const byName = new Map<string, LineError>()
  for (const error of errors) {
    const name = `${error.column ?? error.path}\n${error.message}`
    if (!byName.has(name)) byName.set(name, error)
  }
  return [...byName.values()].slice(0, most.errors)
}

/** A row to look at; all texts are cut to a length that can be shown. */
function attentionRow(
  row: RowLabel,
  { status, at: time, body }: BadOutcome,
  errors: readonly LineError[],
  { column, path, value }: LineError,
) {
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
    /** Texts by which a person finds a row in doubt in the service, from what was sent. */
    recognizedBy: recognizedBy(body).map(text => shorten(text, maxLength.value)),
  }
}

function recognizedBy(body: unknown): string[] {
  const { name, emails, phones, dueDate, parentName } = recognizableFields(body)
  return [name ?? [], emails, phones, dueDate?.replace('T00:00:00', '') ?? [], parentName ?? []]
    .flat()
    .slice(0, 10)
}
