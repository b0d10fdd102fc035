import type { LineError } from '../../journal/lines.ts'
import { recognizableFields } from '../../model/recognizable-fields.ts'
import type { AttentionRow, Problems, ReasonFacts, RowLabel } from '../page/facts.ts'
import { type ReasonGroup, Reasons } from '../reasons.ts'
import { type Advised, remedyOf } from '../words/remedies.ts'
import { labelOf, shorten, showValue } from './parse-line.ts'

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

/** `rows` has each row once, by its first error; some of each reason, however many there are of others. */
const nothingShown = () => ({ known: 0, examples: [] as AttentionRow[], rows: [] as AttentionRow[] })
type Shown = ReturnType<typeof nothingShown>

/** Groups rows without a record by reason and keeps the first rows of each; bounded, however many rows there are. */
export class BadRows {
  readonly #reasons = new Reasons()
  readonly #shown = new Map<ReasonGroup, Shown>()
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
      const shown = this.#shownOf(group)
      shown.known += Number(isKnown)
      const isKept = at === 0 && (this.#kept < maxRows || shown.rows.length < minRows)
      if (!isKept && shown.examples.length === maxExamples) continue
      const example = attentionRow(row, outcome, errors, error)
      if (shown.examples.length < maxExamples) shown.examples.push(example)
      if (isKept) shown.rows.push(example)
      this.#kept += Number(isKept)
    }
  }

  #shownOf(group: ReasonGroup): Shown {
    const shown = this.#shown.get(group) ?? nothingShown()
    this.#shown.set(group, shown)
    return shown
  }

  /** The most frequent reasons, and the rows to look at: first those in doubt, then failed, then invalid ones. */
  facts(advised: Advised): Problems {
    const all = [...this.#shown].sort(
      ([a, { known: ofA }], [b, { known: ofB }]) => b.count - ofB - (a.count - ofA) || b.count - a.count,
    )
    const listed = all.filter(([{ isRest }]) => !isRest).slice(0, maxReasons)
    const sum = (groups: typeof all) => groups.reduce((rows, [{ count }]) => rows + count, 0)
    const rows = (['in_doubt', 'failed', 'invalid'] as const).flatMap(status =>
      all.flatMap(([group, shown]) => (group.status === status ? shown.rows : [])),
    )
    return {
      reasons: listed.map(([group, shown]) => reasonFacts(group, shown, advised)),
      otherReasons: sum(all) - sum(listed),
      overlap: this.#reasons.overlap,
      attention: { total: this.#total, known: this.#known, rows },
    }
  }
}

function reasonFacts(group: ReasonGroup, { known, examples }: Shown, advised: Advised): ReasonFacts {
  const { status, code, count, reason, answer } = group
  const remedy = remedyOf(group, advised)
  return {
    ...{ status, code, rows: count, known, answer, remedy, examples },
    reason: shorten(reason, maxLength.message),
  }
}

/** A list in one cell may have the same error many times. */
function distinct(errors: readonly LineError[]): LineError[] {
  const byName = new Map(errors.map(error => [`${error.column ?? error.path}\n${error.message}`, error]))
  return [...byName.values()]
}

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
