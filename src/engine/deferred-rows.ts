import type { Outcome } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { Before, Dependency, Row, RowIdentity } from '../model/row.ts'

/** A row that cannot be mapped before the rows that it names are settled. */
export interface DeferredRow {
  readonly row: Row
  readonly identity: RowIdentity
  readonly before: Before | undefined
  readonly waitsOn: readonly Dependency[]
}

/** The rows that wait for one number: mostly a single one, which needs no list. */
type Waiters = Waiter | Waiter[]

/** Rows go by numbers, and become ready in the order in which those they wait for are settled. A few hundred bytes each. */
export class DeferredRows {
  readonly #waiting = new Map<number, Waiters>()
  /** Of rows with one key, the first that waits. */
  readonly #byKey = new Map<number, Waiter>()
  #ready: Waiter[] = []
  #taken = 0
  #count = 0

  /** Rows that wait or are ready. */
  get count(): number {
    return this.#count
  }

  /** Whether a row with this number waits: another row with the same key has to wait for it. */
  has(number: number): boolean {
    return this.#byKey.has(number)
  }

  /** Adds a row whose own number is `number`. */
  add(row: DeferredRow, number: number): void {
    const waiter = new Waiter(row, number)
    for (const on of waiter.on) {
      const others = this.#waiting.get(on)
      if (Array.isArray(others)) others.push(waiter)
      else this.#waiting.set(on, others === undefined ? waiter : [others, waiter])
    }
    if (!this.#byKey.has(number)) this.#byKey.set(number, waiter)
    this.#count += 1
  }

  /** After a row was settled: rows that waited for nothing else are ready. */
  release(number: number): void {
    for (const waiter of [this.#waiting.get(number) ?? []].flat()) {
      waiter.open -= 1
      if (waiter.open === 0 && !waiter.isRemoved) this.#ready.push(waiter)
    }
    this.#waiting.delete(number)
  }

  next(): DeferredRow | undefined {
    const waiter = this.#ready[this.#taken]
    if (waiter === undefined) return undefined
    this.#taken += 1
    if (this.#taken === this.#ready.length) {
      this.#ready = []
      this.#taken = 0
    }
    this.#forget(waiter)
    return waiter.deferred
  }

  /** The rows that others wait for and that do not wait themselves. */
  awaited(): number[] {
    return [...this.#waiting.keys()].filter(number => !this.#byKey.has(number))
  }

  /** Takes the rows that wait for each other in a circle, each with the outcome that says so. */
  takeCircles(): { readonly row: Row; readonly outcome: Outcome }[] {
    const circles = circlesIn(this.#byKey)
    for (const waiter of circles.flat()) {
      this.#forget(waiter)
      waiter.isRemoved = true // it stays in the lists of the rows it waited for until they are settled
    }
    return circles.flatMap(circle =>
      circle.map(({ deferred }, at) => {
        const { row, identity, before, waitsOn } = deferred
        const next = circle[(at + 1) % circle.length]
        const { path, column, value } = waitsOn.find(({ on }) => on === next?.number) ?? { path: '' }
        const way = [...circle.slice(at, at + mostNamed), ...circle.slice(0, Math.min(at, mostNamed) + 1)]
        const rows = way.map(({ deferred: { identity } }) => `${identity.source} row ${identity.row}`)
        const error = { path, ...(column && { column }), value, ...problem('circular_link', { rows }) }
        return { row, outcome: { status: 'invalid', identity, before, errors: [error] } }
      }),
    )
  }

  #forget(waiter: Waiter): void {
    if (this.#byKey.get(waiter.number) === waiter) this.#byKey.delete(waiter.number)
    this.#count -= 1
  }
}

class Waiter {
  readonly deferred: DeferredRow
  readonly number: number
  /** How many of the rows that it waits for are not settled yet. */
  open: number
  isRemoved = false

  constructor(deferred: DeferredRow, number: number) {
    this.deferred = deferred
    this.number = number
    this.open = this.on.length
  }

  /** The rows that it waits for, each once. */
  get on(): readonly number[] {
    const numbers = this.deferred.waitsOn.map(({ on }) => on)
    return numbers.length === 1 ? numbers : [...new Set(numbers)]
  }
}

/** Of a longer circle the error names only the start. */
const mostNamed = 8

/** The circles among rows that wait for each other; of circles that share a row, one. */
function circlesIn(byKey: ReadonlyMap<number, Waiter>): Waiter[][] {
  const circles: Waiter[][] = []
  const seen = new Set<Waiter>()
  const inCircle = new Set<Waiter>()
  for (const start of byKey.values()) {
    const path: Waiter[] = []
    const placeOnPath = new Map<Waiter, number>()
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
      steps.push(row.on.flatMap(on => byKey.get(on) ?? []).values())
    }
  }
  return circles
}
