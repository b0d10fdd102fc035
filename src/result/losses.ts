import type { LineError } from '../store/files/lines.ts'
import { labelOf, type RowLabel, shorten, showValue } from './short-texts.ts'

/** Values that are not in the records of their rows, most first; all texts are cut. */
export interface LossFacts {
  /** Left out by a rule with `omit`, by column, or by path where there is none; with the first examples. */
  readonly omitted: readonly {
    readonly column: string
    readonly count: number
    readonly examples: readonly OmittedExample[]
  }[]
  /** Sent, and not in the answer, by path with `#` for positions in lists. */
  readonly notInAnswer: readonly { readonly path: string; readonly count: number }[]
}

export interface OmittedExample extends RowLabel {
  readonly value: string
  readonly code?: string
}

/** A value that `omit` left out, as an outcome or its line says it. */
type LostValue = Pick<LineError, 'path' | 'column' | 'value' | 'code'>

const mostCounted = 1000
const mostExamples = 3
const longestText = 200

/** Counts values that did not reach their record, in bounded memory. */
export class Losses {
  readonly #omitted = new Map<string, { column: string; count: number; examples: OmittedExample[] }>()
  readonly #notInAnswer = new Map<string, number>()
  incompleteAnswers = 0

  add(row: RowLabel, omitted: readonly LostValue[] = [], lacking: readonly string[] = []): void {
    for (const { column, path = '', value, code = '' } of omitted) {
      const name = shorten(column ?? path, longestText)
      const values = this.#omitted.get(name) ?? { column: name, count: 0, examples: [] }
      values.count += 1
      if (values.examples.length < mostExamples)
        values.examples.push({ ...labelOf(row), value: showValue(value, longestText), code })
      if (this.#omitted.size < mostCounted) this.#omitted.set(name, values)
    }
    if (lacking.length > 0) this.incompleteAnswers += 1
    for (const each of new Set(lacking.map(path => path.replaceAll(/\b\d+\b/g, '#')))) {
      const path = shorten(each, longestText)
      if (this.#notInAnswer.has(path) || this.#notInAnswer.size < mostCounted)
        this.#notInAnswer.set(path, (this.#notInAnswer.get(path) ?? 0) + 1)
    }
  }

  facts(): LossFacts {
    return {
      omitted: mostFirst([...this.#omitted.values()]),
      notInAnswer: mostFirst([...this.#notInAnswer].map(([path, count]) => ({ path, count }))),
    }
  }

  /** The counts for programs. */
  fields() {
    const { omitted, notInAnswer } = this.facts()
    return {
      omitted: Object.fromEntries(omitted.map(({ column, count }) => [column, count])),
      not_in_answer: Object.fromEntries(notInAnswer.map(({ path, count }) => [path, count])),
    }
  }
}

export const mostFirst = <T extends { readonly count: number }>(found: readonly T[]): T[] =>
  found.toSorted((a, b) => b.count - a.count)
