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

interface Waiter {
  readonly deferred: DeferredRow
  readonly number: number
  readonly on: readonly number[]
  /** The number of these that are not settled yet; Infinity once it was taken out. */
  open: number
}

/** Limit of a circle in an error, which names only the start of a longer one. */
const mostNamed = 8

/** Rows that wait for others, by numbers. They become ready in the order in which those are settled. A few hundred bytes each. */
export class DeferredRows {
  /** The rows that wait for a number: mostly a single one, which needs no list. */
  readonly #waiting = new Map<number, Waiter | Waiter[]>()
  /** First row that waits, of those with one key. */
  readonly #byKey = new Map<number, Waiter>()
  readonly #ready: Waiter[] = []
  #taken = 0
  count = 0

  /** Checks whether a row with this number waits: another row with the same key has to wait for it. */
  has(number: number): boolean {
    return this.#byKey.has(number)
  }

  add(deferred: DeferredRow, number: number): void {
    const on = [...new Set(deferred.waitsOn.map(dependency => dependency.on))]
    const waiter = { deferred, number, on, open: on.length }
    for (const each of on) {
      const others = this.#waiting.get(each)
      if (Array.isArray(others)) others.push(waiter)
      else this.#waiting.set(each, others === undefined ? waiter : [others, waiter])
    }
    if (!this.#byKey.has(number)) this.#byKey.set(number, waiter)
    this.count += 1
  }

  /** Notes that a row was settled: rows that waited for nothing else are ready. */
  release(number: number): void {
    for (const waiter of [this.#waiting.get(number) ?? []].flat()) {
      waiter.open -= 1
      if (waiter.open === 0) this.#ready.push(waiter)
    }
    this.#waiting.delete(number)
  }

  next(): DeferredRow | undefined {
    const waiter = this.#ready[this.#taken++]
    if (this.#taken >= this.#ready.length) this.#taken = this.#ready.length = 0
    if (waiter !== undefined) this.#forget(waiter)
    return waiter?.deferred
  }

  /** The rows that others wait for and that do not wait themselves. */
  awaited(): number[] {
    return [...this.#waiting.keys()].filter(number => !this.#byKey.has(number))
  }

  /** Takes the rows that wait for each other in a circle, each with its outcome. */
  takeCircles(): { readonly row: Row; readonly outcome: Outcome }[] {
    const circles = this.#circles()
    for (const waiter of circles.flat()) {
      this.#forget(waiter)
      waiter.open = Infinity // it stays in the lists of the rows it waited for until they are settled
    }
    return circles.flatMap(circle =>
      circle.map(({ deferred: { row, identity, before, waitsOn } }, at) => {
        const next = circle[(at + 1) % circle.length]
        const { path, column, value } = waitsOn.find(({ on }) => on === next?.number) ?? { path: '' }
        const way = [...circle.slice(at, at + mostNamed), ...circle.slice(0, Math.min(at, mostNamed) + 1)]
        const rows = way.map(({ deferred: { identity } }) => `${identity.source} row ${identity.row}`)
        const error = { path, ...(column && { column }), value, ...problem('circular_link', { rows }) }
        return { row, outcome: { status: 'invalid', identity, before, errors: [error] } }
      }),
    )
  }

  /** The circles of waiting rows; of circles that share a row, one. From each row the way goes on to one that it waits for. */
  #circles(): Waiter[][] {
    const circles: Waiter[][] = []
    const seen = new Set<Waiter>()
    for (const start of this.#byKey.values()) {
      const way: Waiter[] = []
      let at: Waiter | undefined = start
      for (; at !== undefined && !seen.has(at); at = this.#nextOf(at)) {
        seen.add(at)
        way.push(at)
      }
      if (at !== undefined && way.includes(at)) circles.push(way.slice(way.indexOf(at)))
    }
    return circles
  }

  #nextOf(waiter: Waiter): Waiter | undefined {
    return waiter.on.flatMap(on => (this.#waiting.has(on) ? (this.#byKey.get(on) ?? []) : []))[0]
  }

  #forget(waiter: Waiter): void {
    if (this.#byKey.get(waiter.number) === waiter) this.#byKey.delete(waiter.number)
    this.count -= 1
  }
}
