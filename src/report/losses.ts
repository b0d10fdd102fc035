import type { RowIdentity } from '../model/row.ts'

/** A value that `omit` left out, as an outcome or its line says it. */
interface LostValue {
  readonly path?: string | undefined
  readonly column?: string | undefined
  readonly value?: unknown
  readonly code?: string | undefined
}

type Losing = Pick<RowIdentity, 'source' | 'row' | 'line' | 'key'>

/** Values of one column that `omit` left out. */
interface OmittedValues {
  count: number
  /** The first of them. */
  readonly examples: { readonly identity: Losing; readonly omitted: LostValue }[]
}

const mostCounted = 1000
const mostExamples = 3

/** Counts values that did not reach their record, in bounded memory. */
export class Losses {
  /** Values that the mapping left out, by column, or by path where there is none. */
  readonly omitted = new Map<string, OmittedValues>()
  /** How many answers lack a field that was sent, by its path with `#` for positions in lists. */
  readonly notInAnswer = new Map<string, number>()
  incompleteAnswers = 0

  add(identity: Losing, omitted: readonly LostValue[] = [], lacking: readonly string[] = []): void {
    for (const each of omitted) {
      const name = each.column ?? each.path ?? ''
      const values = this.omitted.get(name) ?? { count: 0, examples: [] }
      values.count += 1
      if (values.examples.length < mostExamples) values.examples.push({ identity, omitted: each })
      if (this.omitted.size < mostCounted) this.omitted.set(name, values)
    }
    if (lacking.length > 0) this.incompleteAnswers += 1
    for (const path of new Set(lacking.map(each => each.replaceAll(/\b\d+\b/g, '#'))))
      if (this.notInAnswer.has(path) || this.notInAnswer.size < mostCounted)
        this.notInAnswer.set(path, (this.notInAnswer.get(path) ?? 0) + 1)
  }
}
