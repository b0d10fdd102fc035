import type { LineError } from '../journal/lines.ts'
import { labelOf, shorten, showValue } from './log-stats/parse-line.ts'
import type { LossFacts, OmittedExample, RowLabel } from './page/facts.ts'

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

  counts() {
    const { omitted, notInAnswer } = this.facts()
    return {
      omitted: Object.fromEntries(omitted.map(({ column, count }) => [column, count])),
      notInAnswer: Object.fromEntries(notInAnswer.map(({ path, count }) => [path, count])),
    }
  }
}

export const mostFirst = <T extends { readonly count: number }>(found: readonly T[]): T[] =>
  found.toSorted((a, b) => b.count - a.count)
