import type { LineError } from '../store/files/lines.ts'
import { labelOf, type RowLabel, shorten, showValue } from './short-texts.ts'

/** A value that `omit` left out, as an outcome or its line has it. */
type LostValue = Pick<LineError, 'path' | 'column' | 'value' | 'code'>
type OmittedExample = RowLabel & { readonly value: string; readonly code?: string }

export type LossFacts = ReturnType<Losses['facts']>

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
    for (const path of new Set(lacking.map(path => path.replaceAll(/\b\d+\b/g, '#'))))
      countIn(this.#notInAnswer, shorten(path, longestText))
  }

  /** The losses that occurred most, first; all texts are cut. */
  facts() {
    return {
      /** Values that a rule with `omit` left out, by column, or by path if there is none. */
      omitted: mostFirst([...this.#omitted.values()]),
      /** Fields that were sent and that answers lack, by path with `#` for positions in lists. */
      notInAnswer: mostFirst([...this.#notInAnswer].map(([path, count]) => ({ path, count }))),
    }
  }
}

const mostFirst = <T extends { readonly count: number }>(counted: readonly T[]): T[] =>
  counted.toSorted((a, b) => b.count - a.count)

/** Counts a name, unless there are too many others. */
export function countIn(counts: Map<string, number>, name: string): void {
  if (counts.has(name) || counts.size < mostCounted) counts.set(name, (counts.get(name) ?? 0) + 1)
}
