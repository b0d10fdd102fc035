import type { LineError } from '../../journal/lines.ts'
import type { Omitted } from '../../model/row.ts'
import type { Losses, OmittedFacts, RowLabel } from '../page/facts.ts'
import { labelOf, shorten, showValue } from './parse-line.ts'

/** What of a row did not arrive, as its outcome or its line says it. */
export interface LossesOfRow {
  readonly omitted?: readonly LineError[] | readonly Omitted[] | undefined
  readonly notInAnswer?: readonly string[] | undefined
}

const mostCounted = 200
const mostExamples = 3
const maxLength = 200

/** Counts the values of rows with a record that `omit` left out or that the answer lacks; bounded. */
export class LossCount {
  readonly #omitted = new Map<string, { count: number; examples: OmittedFacts['examples'] }>()
  readonly #lacking = new Map<string, number>()

  take(row: RowLabel, { omitted = [], notInAnswer = [] }: LossesOfRow): void {
    for (const { column, path = '', value } of omitted) {
      const { count, examples } = this.#omitted.get(column ?? path) ?? { count: 0, examples: [] }
      const isExample = examples.length < mostExamples
      const shown = isExample
        ? [...examples, { ...labelOf(row), value: showValue(value, maxLength) }]
        : examples
      set(this.#omitted, column ?? path, { count: count + 1, examples: shown })
    }
    for (const path of new Set(notInAnswer.map(each => each.replaceAll(/\b\d+\b/g, '#'))))
      set(this.#lacking, path, (this.#lacking.get(path) ?? 0) + 1)
  }

  facts(): Losses {
    return {
      omitted: [...this.#omitted]
        .map(([column, { count, examples }]) => ({ column: shorten(column, maxLength), count, examples }))
        .sort((a, b) => b.count - a.count),
      notInAnswer: [...this.#lacking]
        .map(([path, rows]) => ({ path: shorten(path, maxLength), rows }))
        .sort((a, b) => b.rows - a.rows),
    }
  }
}

function set<T>(counts: Map<string, T>, name: string, value: T): void {
  if (counts.has(name) || counts.size < mostCounted) counts.set(name, value)
}
