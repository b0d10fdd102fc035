import { fingerprint } from '../../../model/key-table.ts'
import type { Place } from '../../../model/row.ts'

export type TextCount = readonly [text: string, count: number]
export type ColumnProfileFacts = ReturnType<ColumnProfile['facts']>
type RowPlace = Pick<Place, 'source' | 'line'>

const longestKept = 60
const mostShapes = 100
const mostListed = 3

/** Counts what a column holds, in bounded memory. */
export class ColumnProfile {
  #filled = 0
  #last: RowPlace | undefined
  #longest = { start: '', length: 0, place: { source: '', line: 0 } }
  readonly #room: () => number
  /** By Misra and Gries: a new value without room is lost, and so is one of each that is counted. */
  readonly #values = new Map<string, number>()
  #lost = 0
  readonly #shapes = new Map<string, number>()

  /** `columns` is how many share the memory. */
  constructor(columns: () => number) {
    this.#room = () => Math.max(50, Math.min(5_000, 300_000 / columns()))
  }

  /** Takes a value of a row, which may have several; an empty one counts for nothing. */
  add(value: string, row: RowPlace): void {
    const { length } = value
    if (length === 0) return
    if (row !== this.#last) this.#filled += 1
    this.#last = row
    if (length > this.#longest.length)
      this.#longest = {
        start: ownText(startOf(value)),
        length,
        place: { source: row.source, line: row.line },
      }
    const text = length > longestKept ? `${startOf(value)}${fingerprint(value)[0]}` : value
    const count = this.#values.get(text)
    if (count !== undefined) this.#values.set(text, count + 1)
    else if (this.#values.size < this.#room()) this.#values.set(ownText(text), 1)
    else this.#loseOne(text)
  }

  #loseOne(text: string): void {
    this.#lost += 1
    this.#addShape(text, 1)
    for (const [each, count] of this.#values) {
      this.#addShape(each, 1)
      if (count > 1) this.#values.set(each, count - 1)
      else this.#values.delete(each)
    }
  }

  #addShape(text: string, times: number): void {
    const shape = shapeOf(text)
    const count = this.#shapes.get(shape) ?? 0
    if (count > 0 || this.#shapes.size < mostShapes) this.#shapes.set(shape, count + times)
  }

  /**
   * Called once, at the end. Lists have the most frequent first, long texts are cut. `filled` are the rows with a value. Where there are
   * more distinct values than `distinct`, the counts of `values` are the least that they can be. In shapes, as in `9999-99-99 aaa`, 9 is
   * a digit, a and A are letters, and of those that follow each other there are three.
   */
  facts() {
    for (const [text, count] of this.#values) this.#addShape(text, count)
    const hasMore = this.#lost > 0
    return {
      filled: this.#filled,
      distinct: hasMore ? Math.floor(this.#room()) : this.#values.size,
      hasMore,
      longest: this.#longest,
      values: mostFrequent(this.#values, Math.max(1, this.#lost)),
      shapes: mostFrequent(this.#shapes, 0),
    }
  }
}

const mostFrequent = (counts: ReadonlyMap<string, number>, above: number): TextCount[] =>
  [...counts]
    .filter(([, count]) => count > above)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostListed)
    .map(([text, count]) => [startOf(text), count])

const startOf = (text: string) => (text.length > longestKept ? `${text.slice(0, longestKept)}…` : text)

/** A copy, because a slice would hold all that was read with it in memory. */
const ownText = (text: string) => `_${text}`.slice(1)

const codes = new Uint16Array(40)
const signs = Array.from({ length: 128 }, (_, code) => signOf(code))

/** Every value has a shape, so this is quick rather than short. */
function shapeOf(text: string): string {
  let length = 0
  for (let at = 0, run = 0, last = 0; at < text.length && at < codes.length; at += 1) {
    const code = text.charCodeAt(at)
    const sign = signs[code] ?? signOf(code)
    run = sign === last && (sign === 97 || sign === 65) ? run + 1 : 1
    last = sign
    if (run <= 3) codes[length++] = sign
  }
  const shape = String.fromCharCode(...codes.subarray(0, length))
  return text.length > codes.length ? `${shape}…` : shape
}

/** Shape of a UTF-16 unit, as one. 65 is A, 97 is a, 57 is 9. */
function signOf(code: number): number {
  const letter = String.fromCharCode(code)
  if (/\p{Nd}/u.test(letter)) return 57
  return (/\p{Lu}/u.test(letter) ? 'A' : letter.replace(/[\p{L}\p{M}]/u, 'a')).charCodeAt(0)
}
