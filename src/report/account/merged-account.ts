import type { LogPart, MergedRows, RowLabel } from '../page/facts.ts'
import { shortened } from './shown-text.ts'
import type { ToldLine } from './told-line.ts'

/** Pairs of lines that have one record, by their numbers. */
export interface MergedNumbers {
  readonly count: number
  readonly pairs: readonly { readonly recordId: string; readonly first: number; readonly second: number }[]
}

const longestKey = 500

/** Which rows the service took for one contact, found by the numbers of their lines. */
export class MergedAccount {
  readonly #numbers: MergedNumbers
  readonly #labels = new Map<number, RowLabel | undefined>()

  constructor(numbers: MergedNumbers) {
    this.#numbers = numbers
    for (const { first, second } of numbers.pairs) this.#labels.set(first, undefined).set(second, undefined)
  }

  /** Takes a line, and its number from 1. */
  take({ source, row, line, key }: ToldLine, number: number): void {
    if (this.#labels.has(number))
      this.#labels.set(number, { source, row, line, key: shortened(key, longestKey) })
  }

  facts(): LogPart['merged'] {
    return { count: this.#numbers.count, pairs: this.#numbers.pairs.flatMap(pair => this.#rowsOf(pair)) }
  }

  #rowsOf({ recordId, first, second }: MergedNumbers['pairs'][number]): MergedRows[] {
    const [one, other] = [this.#labels.get(first), this.#labels.get(second)]
    if (one === undefined || other === undefined) return []
    return [{ recordId: shortened(recordId, longestKey), first: one, second: other }]
  }
}
