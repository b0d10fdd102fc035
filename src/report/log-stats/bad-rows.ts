import type { LineError } from '../../journal/lines.ts'
import { recognizableFields } from '../../model/recognizable-fields.ts'
import type { AttentionRow, Problems, ReasonFacts, RowLabel } from '../page/facts.ts'
import { type ReasonGroup, Reasons } from '../reasons.ts'
import { type Advised, remedyOf } from '../words/remedies.ts'
import { labelOf, shorten, showValue } from './parse-line.ts'

/** Why a row has no record. */
export interface BadOutcome {
  readonly status: AttentionRow['status']
  readonly httpStatus?: number | undefined
  readonly errors: readonly LineError[]
  readonly at?: string
  readonly body?: unknown
  /** An earlier run refused it, and this one has nothing new of it. */
  readonly isKnown?: boolean
}

/** Further rows are kept only as the first ones of their reason. */
const maxRows = 5_000
const minRows = 5
const maxReasons = 50
const maxExamples = 3
const maxLength = { value: 200, message: 300, answer: 500 }
const unexplained: readonly LineError[] = [{ message: 'no reason is given' }]

/** Groups rows without a record by reason and keeps the first rows of each; bounded, however many rows there are. */
export class BadRows {
  readonly #reasons = new Reasons()
  readonly #details = new Map<ReasonGroup, { known: number; readonly examples: AttentionRow[] }>()
  /** Each row once, by its first error; some of each reason, however many there are of others. */
  readonly #rows = new Map<ReasonGroup, AttentionRow[]>()
  #kept = 0
  #total = 0
  #known = 0

  take(row: RowLabel, outcome: BadOutcome): void {
    const { status, httpStatus, isKnown = false } = outcome
    this.#total += 1
    this.#known += Number(isKnown)
    const errors = outcome.errors.length === 0 ? unexplained : distinct(outcome.errors)
    const groups = this.#reasons.add({ status, httpStatus, identity: { ...labelOf(row), hash: '' }, errors })
    for (const [at, [group, error]] of [...groups].entries()) {
      group.examples.length = 0 // they may be long; the shortened ones are kept here
      const show = () => attentionRow(row, outcome, errors, error)
      const details = this.#details.get(group) ?? { known: 0, examples: [] }
      this.#details.set(group, details)
      details.known += Number(isKnown)
      if (details.examples.length < maxExamples) details.examples.push(show())
      if (at === 0) this.#keep(group, show)
    }
  }

  #keep(group: ReasonGroup, show: () => AttentionRow): void {
    const rows = this.#rows.get(group) ?? []
    if (this.#kept >= maxRows && rows.length >= minRows) return
    this.#rows.set(group, rows)
    rows.push(show())
    this.#kept += 1
  }

  /** The most frequent reasons, and the rows to look at: first those in doubt, then failed, then invalid ones. */
  facts(advised: Advised): Problems {
    const news = (group: ReasonGroup) => group.count - (this.#details.get(group)?.known ?? 0)
    const groups = [...this.#reasons.groups.values()].sort((a, b) => news(b) - news(a) || b.count - a.count)
    const shown = groups.filter(({ isRest }) => !isRest).slice(0, maxReasons)
    const sum = (each: readonly ReasonGroup[]) => each.reduce((rows, { count }) => rows + count, 0)
    const rows = (['in_doubt', 'failed', 'invalid'] as const).flatMap(status =>
      groups.filter(group => group.status === status).flatMap(group => this.#rows.get(group) ?? []),
    )
    return {
      reasons: shown.map(group => this.#factsOf(group, advised)),
      otherReasons: sum(groups) - sum(shown),
      overlap: this.#reasons.overlap,
      attention: { total: this.#total, known: this.#known, rows },
    }
  }

  #factsOf(group: ReasonGroup, advised: Advised): ReasonFacts {
    const { status, code, count, reason, answer } = group
    return {
      status,
      code,
      rows: count,
      known: this.#details.get(group)?.known ?? 0,
      reason: shorten(reason, maxLength.message),
      answer,
      remedy: remedyOf(group, advised),
      examples: this.#details.get(group)?.examples ?? [],
    }
  }
}

/** A list in one cell may have the same error many times. */
function distinct(errors: readonly LineError[]): LineError[] {
  const byName = new Map(errors.map(error => [`${error.column ?? error.path}\n${error.message}`, error]))
  return [...byName.values()]
}

/** A row as the page shows it, with the column and value of `error`. */
function attentionRow(
  row: RowLabel,
  { status, at, body }: BadOutcome,
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
    messages: errors.map(each => shorten(messageOf(each), maxLength.message)),
    answer: answer && shorten(answer, maxLength.answer),
    at,
    recognizedBy: recognizedBy(body).map(text => shorten(text, maxLength.value)),
  }
}

function recognizedBy(body: unknown): string[] {
  const { name, emails, phones, dueDate, parentName } = recognizableFields(body)
  return [name ?? [], emails, phones, dueDate?.replace('T00:00:00', '') ?? [], parentName ?? []]
    .flat()
    .slice(0, 10)
}

const messageOf = ({ column, path, message }: LineError) =>
  [column ?? path, message].filter(Boolean).join(' ')
