import { patternOf } from './pattern.ts'
import type { Ending, Origin, RowError } from './row.ts'

/** An end that gives reasons. */
export type BadEnd = Extract<Ending, { status: 'invalid' | 'failed' | 'in_doubt' }>

/** What tells the reasons of one end from those of another. */
export interface EndedBadly {
  readonly status: BadEnd['status']
  readonly httpStatus?: number
}

/** Rows that ended for the same reason, but for what differs from row to row. */
export interface ReasonGroup {
  readonly status: BadEnd['status']
  /** The column or field, and what is wrong: as the rows say it, without what changes where they do not say the same. */
  reason: string
  /** The pattern of what the service answered; undefined where nothing is known of that. */
  readonly answer: string | undefined
  count: number
  /** The first of them. */
  readonly examples: Example[]
  /** It stands for all reasons that came too late for a group of their own. */
  readonly isRest?: true
}

export interface Example {
  readonly origin: Origin
  readonly error: RowError
}

/** What is said of a row, and under which key. */
interface Said extends Pick<ReasonGroup, 'status' | 'reason' | 'answer' | 'isRest'> {
  readonly key: string
  readonly pattern: string
}

const mostGroups = 1000
const mostExamples = 3
const mostPatterns = 1000

/** Why rows came to nothing, in groups; bounded, however many rows there are. */
export class Reasons {
  readonly groups = new Map<string, ReasonGroup>()
  /** Our own messages come again and again. */
  readonly #patterns = new Map<string, string>()

  /** Takes one thing that is wrong with a row, and gives its group; `answer` is the pattern of what the service said to it. */
  take(end: EndedBadly, { error, origin }: Example, answer: string | undefined): ReasonGroup {
    const { key, reason, pattern, ...about } = this.#unlessFull(this.#said(end, error, answer))
    const group = this.groups.get(key) ?? { ...about, reason, count: 0, examples: [] }
    if (group.reason !== reason) group.reason = pattern
    group.count += 1
    if (group.examples.length < mostExamples) group.examples.push({ error, origin })
    this.groups.set(key, group)
    return group
  }

  #said(
    { status, httpStatus }: EndedBadly,
    { column, path, message }: RowError,
    answer: string | undefined,
  ): Said {
    const at = (words: string) => [column ?? path, words].filter(Boolean).join(' ')
    const pattern = at(this.#patternOf(message))
    const key = [status, httpStatus, pattern, answer].join('\0')
    return { key, status, reason: at(message), pattern, answer }
  }

  /** What is said first by a row that comes late is one with all that comes later still. */
  #unlessFull(said: Said): Said {
    if (this.groups.size < mostGroups || this.groups.has(said.key)) return said
    const { status } = said
    const words = 'other reasons'
    return { key: status, status, reason: words, pattern: words, answer: undefined, isRest: true }
  }

  #patternOf(message: string): string {
    const known = this.#patterns.get(message)
    if (known !== undefined) return known
    const pattern = patternOf(message)
    if (this.#patterns.size >= mostPatterns) this.#patterns.clear()
    this.#patterns.set(message, pattern)
    return pattern
  }
}
