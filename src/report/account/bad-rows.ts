import { patternOf } from '../../model/pattern.ts'
import { type ReasonGroup, Reasons } from '../../model/reasons.ts'
import type { RowError } from '../../model/row.ts'
import type { Attention, AttentionRow, ReasonFacts, RowLabel } from '../page/facts.ts'
import { type Advised, remedyOf, type Trouble } from '../remedies.ts'
import { SharedRoom } from './shared-room.ts'
import { shortened, shownValue } from './shown-text.ts'

/** A row that has no record, and why. */
export interface BadRow extends RowLabel {
  readonly status: AttentionRow['status']
  readonly httpStatus: number | undefined
  readonly errors: readonly RowError[]
  /** Texts of the row that an answer may hold, as far as they are known. */
  readonly texts: readonly string[]
  readonly at: string | undefined
}

/** A reason, and the column in which it stands. */
export interface ColumnReason {
  readonly column: string
  readonly reason: ReasonFacts
}

const mostRows = 5_000
const mostReasons = 50
const mostExamples = 3
const longest = { key: 500, value: 200, message: 300, answer: 500 }
const unexplained: readonly RowError[] = [{ message: 'no reason is given' }]

/** Why rows have no record, in groups, and the first rows of each; bounded, however many rows there are. */
export class BadRows {
  readonly #reasons = new Reasons()
  readonly #about = new Map<ReasonGroup, { readonly trouble: Trouble; readonly column: string }>()
  /** Each row once, by the first thing that is wrong with it. */
  readonly #rows = new SharedRoom<ReasonGroup, AttentionRow>(mostRows)
  readonly #examples = new Map<ReasonGroup, AttentionRow[]>()
  #total = 0

  take(given: BadRow): void {
    this.#total += 1
    const row = given.errors.length === 0 ? { ...given, errors: unexplained } : given
    for (const [at, error] of distinct(row.errors).entries()) {
      const group = this.#groupOf(row, error)
      const shown = () => attentionRow(row, error)
      const examples = this.#examples.get(group) ?? []
      if (examples.length < mostExamples) this.#examples.set(group, [...examples, shown()])
      if (at === 0) this.#rows.offer(group, shown)
    }
  }

  /** The rows to look at: those in doubt, then those that failed, then those that are invalid. */
  attention(): Attention {
    const groups = this.#groups()
    const rows = (['in_doubt', 'failed', 'invalid'] as const).flatMap(status =>
      groups.filter(group => group.status === status).flatMap(group => this.#rows.of(group)),
    )
    return { total: this.#total, rows }
  }

  /** The reasons with the most rows, and how many rows have others. */
  reasons(advised: Advised): { readonly reasons: readonly ReasonFacts[]; readonly otherReasons: number } {
    const groups = this.#groups()
    const shown = groups.filter(({ isRest }) => !isRest).slice(0, mostReasons)
    const sum = (each: readonly ReasonGroup[]) => each.reduce((rows, { count }) => rows + count, 0)
    return {
      reasons: shown.map(group => this.#factsOf(group, advised)),
      otherReasons: sum(groups) - sum(shown),
    }
  }

  /** The same with the column in which each stands; empty where it is the row as a whole. */
  reasonsInColumns(advised: Advised): ColumnReason[] {
    return this.#groups().map(group => ({
      column: this.#about.get(group)?.column ?? '',
      reason: this.#factsOf(group, advised),
    }))
  }

  #groups(): ReasonGroup[] {
    return [...this.#reasons.groups.values()].sort((a, b) => b.count - a.count)
  }

  #groupOf(row: BadRow, error: RowError): ReasonGroup {
    const { status, httpStatus, source, row: number, line, key } = row
    const origin = { source, row: number, line, key, hash: '' }
    const answer = error.body && patternOf(error.body, row.texts)
    const end = { status, ...(httpStatus !== undefined && { httpStatus }) }
    const group = this.#reasons.take(end, { origin, error }, answer)
    group.examples.length = 0 // they may be long; what is shown of them is held here
    if (!this.#about.has(group))
      this.#about.set(group, {
        trouble: { status, httpStatus, message: error.message },
        column: error.column ?? '',
      })
    return group
  }

  #factsOf(group: ReasonGroup, advised: Advised): ReasonFacts {
    const { status, count, reason, answer } = group
    const trouble = this.#about.get(group)?.trouble ?? { status, httpStatus: undefined, message: '' }
    return {
      status,
      rows: count,
      reason: shortened(reason, longest.message),
      answer,
      remedy: remedyOf(trouble, advised),
      examples: this.#examples.get(group) ?? [],
    }
  }
}

/** A list in one cell may be wrong in the same way many times. */
function distinct(errors: readonly RowError[]): RowError[] {
  const [first] = errors
  if (errors.length === 1 && first !== undefined) return [first]
  const byName = new Map(errors.map(error => [`${error.column ?? error.path}\n${error.message}`, error]))
  return [...byName.values()]
}

/** A row as it is shown; `error` is the one by which it is told. */
function attentionRow(
  { source, row, line, key, status, errors, at }: BadRow,
  { column, path, value }: RowError,
): AttentionRow {
  const answer = errors.find(({ body }) => body)?.body
  const named = column ?? path
  return {
    source,
    row,
    line,
    key: shortened(key, longest.key),
    status,
    column: named === undefined ? undefined : shortened(named, longest.value),
    value: shownValue(value, longest.value),
    messages: distinct(errors).map(each => shortened(messageOf(each), longest.message)),
    answer: answer === undefined ? undefined : shortened(answer, longest.answer),
    at,
  }
}

const messageOf = ({ column, path, message }: RowError) => [column ?? path, message].filter(Boolean).join(' ')
