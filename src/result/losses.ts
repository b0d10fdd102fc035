import type { LineError } from '../store/files/lines.ts'
import { labelOf, type RowLabel, shorten, showValue } from './short-texts.ts'

/** A value that a rule could not read, as an outcome or its line has it. */
type UnreadValue = Pick<LineError, 'path' | 'column' | 'value' | 'code'>
type UnreadValues = { readonly [name in 'omitted' | 'kept']?: readonly UnreadValue[] | undefined }
type UnreadExample = RowLabel & { readonly value: string; readonly code?: string }
type UnreadColumns = Map<string, { column: string; count: number; examples: UnreadExample[] }>

export type LossFacts = ReturnType<Losses['facts']>
export type UnreadColumn = LossFacts['omitted'][number]

const mostCounted = 1000
const mostExamples = 3
const longestText = 200

/** Counts values that did not reach their record, or as they are, in bounded memory. */
export class Losses {
  readonly #omitted: UnreadColumns = new Map()
  readonly #kept: UnreadColumns = new Map()
  readonly #notInAnswer = new Map<string, number>()
  incompleteAnswers = 0

  add(row: RowLabel, { omitted, kept }: UnreadValues, lacking: readonly string[] = []): void {
    if (omitted) addUnread(this.#omitted, row, omitted)
    if (kept) addUnread(this.#kept, row, kept)
    if (lacking.length > 0) this.incompleteAnswers += 1
    for (const path of new Set(lacking.map(path => path.replaceAll(/\b\d+\b/g, '#'))))
      countIn(this.#notInAnswer, shorten(path, longestText))
  }

  /** The losses that occurred most, first; all texts are cut. */
  facts() {
    return {
      /** Values that a rule with `omit` left out, by column, or by path if there is none. */
      omitted: mostFirst([...this.#omitted.values()]),
      /** Values that a rule with `keep` sent as they are, in the same way. */
      kept: mostFirst([...this.#kept.values()]),
      /** Fields that were sent and that answers lack, by path with `#` for positions in lists. */
      notInAnswer: mostFirst([...this.#notInAnswer].map(([path, count]) => ({ path, count }))),
    }
  }
}

function addUnread(columns: UnreadColumns, row: RowLabel, unread: readonly UnreadValue[]): void {
  for (const { column, path = '', value, code = '' } of unread) {
    const name = shorten(column ?? path, longestText)
    const values = columns.get(name) ?? { column: name, count: 0, examples: [] }
    values.count += 1
    if (values.examples.length < mostExamples)
      values.examples.push({ ...labelOf(row), value: showValue(value, longestText), code })
    if (columns.size < mostCounted) columns.set(name, values)
  }
}

const mostFirst = <T extends { readonly count: number }>(counted: readonly T[]): T[] =>
  counted.toSorted((a, b) => b.count - a.count)

/** Counts a name, unless there are too many others. */
export function countIn(counts: Map<string, number>, name: string): void {
  if (counts.has(name) || counts.size < mostCounted) counts.set(name, (counts.get(name) ?? 0) + 1)
}
