import { problems } from '../model/problems.ts'
import type { Origin, Row, RowError, Waits } from '../model/row.ts'

/** A row that cannot be mapped before the rows that it names have their end. */
export interface WaitingRow {
  readonly row: Row
  readonly origin: Origin
  readonly waits: readonly Waits[]
}

/** The rows that wait for one number. */
type Waiters = Held | Held[]

/**
 * The rows that wait for others, each by the number of the row that it waits for. They are taken up again in the order in
 * which the rows before them settle; a row holds its own cells and a few hundred bytes.
 */
export class WaitingRows {
  readonly #waiting = new Map<number, Waiters>()
  /** Of rows with one key, the first that waits. */
  readonly #held = new Map<number, Held>()
  #ready: Held[] = []
  #taken = 0
  #count = 0

  /** Rows that wait, and those that are ready and were not taken up. */
  get count(): number {
    return this.#count
  }

  /** Whether a row with this number waits, so that another with the same key has to wait for it. */
  holds(number: number): boolean {
    return this.#held.has(number)
  }

  /** Takes a row whose own number is `number`. */
  add({ row, origin, waits }: WaitingRow, number: number): void {
    const held = new Held(row, origin, number, waits)
    for (const on of held.on) {
      const others = this.#waiting.get(on)
      if (Array.isArray(others)) others.push(held)
      else this.#waiting.set(on, others === undefined ? held : [others, held])
    }
    if (!this.#held.has(number)) this.#held.set(number, held)
    this.#count += 1
  }

  /** A row has its end: those that waited for nothing else are ready. */
  settled(number: number): void {
    for (const held of listOf(this.#waiting.get(number))) {
      held.open -= 1
      if (held.open === 0 && !held.isGone) this.#ready.push(held)
    }
    this.#waiting.delete(number)
  }

  /** The next row that can be taken up again, which waits no more. */
  next(): WaitingRow | undefined {
    const held = this.#ready[this.#taken]
    if (held === undefined) return undefined
    this.#taken += 1
    if (this.#taken === this.#ready.length) {
      this.#ready = []
      this.#taken = 0
    }
    this.#forget(held)
    return held
  }

  /** The rows that are waited for and do not wait themselves. */
  awaited(): number[] {
    return [...this.#waiting.keys()].filter(number => !this.#held.has(number))
  }

  /** Takes out the rows that stand in a circle, with what is wrong with each. */
  takeCircles(): { row: WaitingRow; errors: readonly RowError[] }[] {
    return circlesIn(this.#held).flatMap(circle =>
      circle.map((held, at) => {
        this.#remove(held)
        const next = circle[(at + 1) % circle.length]
        const { path, column, value } = held.waits.find(wait => wait.on === next?.number) ?? { path: '' }
        const way = [...circle.slice(at, at + mostNamed), ...circle.slice(0, Math.min(at, mostNamed) + 1)]
        const { message } = problems.circle(way.map(({ origin }) => `${origin.source} row ${origin.row}`))
        return { row: held, errors: [{ path, ...(column && { column }), value, message }] }
      }),
    )
  }

  #forget(held: Held): void {
    if (this.#held.get(held.number) === held) this.#held.delete(held.number)
    this.#count -= 1
  }

  /** A row that is gone stays in the lists of those it waited for until they settle. */
  #remove(held: Held): void {
    this.#forget(held)
    held.isGone = true
  }
}

const listOf = (waiters: Waiters | undefined): readonly Held[] =>
  waiters === undefined ? [] : [waiters].flat()

/** A row that waits. */
class Held implements WaitingRow {
  readonly row: Row
  readonly origin: Origin
  readonly number: number
  readonly waits: readonly Waits[]
  /** How many of the rows that it waits for have no end yet. */
  open: number
  /** Whether it was taken out while it waited. */
  isGone = false

  constructor(row: Row, origin: Origin, number: number, waits: readonly Waits[]) {
    this.row = row
    this.origin = origin
    this.number = number
    this.waits = waits
    this.open = this.on.length
  }

  /** The rows that it waits for, each once. */
  get on(): readonly number[] {
    return this.waits.length === 1
      ? this.waits.map(wait => wait.on)
      : [...new Set(this.waits.map(wait => wait.on))]
  }
}

/** Of a longer circle an error names the start. */
const mostNamed = 8

/** Circles among rows of which each waits for another; where circles share a row, one of them. */
function circlesIn(held: ReadonlyMap<number, Held>): Held[][] {
  const circles: Held[][] = []
  const seen = new Set<Held>()
  const inCircle = new Set<Held>()
  for (const start of held.values()) {
    const path: Held[] = []
    const placeOnPath = new Map<Held, number>()
    const steps = [[start].values()]
    for (let iterator = steps.at(-1); iterator !== undefined; iterator = steps.at(-1)) {
      const { value: row, done } = iterator.next()
      if (done) {
        steps.pop()
        const left = path.pop()
        if (left !== undefined) placeOnPath.delete(left)
        continue
      }
      const place = inCircle.has(row) ? undefined : placeOnPath.get(row)
      const circle = place === undefined ? [] : path.slice(place)
      if (circle.length > 0 && !circle.some(each => inCircle.has(each))) {
        circles.push(circle)
        for (const each of circle) inCircle.add(each)
      }
      if (seen.has(row)) continue
      seen.add(row)
      placeOnPath.set(row, path.push(row) - 1)
      steps.push(row.waits.flatMap(({ on }) => held.get(on) ?? []).values())
    }
  }
  return circles
}
