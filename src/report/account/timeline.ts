import type { Timeline } from '../page/facts.ts'
import type { ToldLine } from './told-line.ts'

const mostSlices = 120
const firstSliceMs = 100

const series = ['created', 'existing', 'invalid', 'failed', 'inDoubt', 'repeated', 'throttled'] as const
type Series = (typeof series)[number]
type Counts = Record<Series, number[]>

const seriesOf: Readonly<Record<string, Series>> = {
  created: 'created',
  existing: 'existing',
  invalid: 'invalid',
  failed: 'failed',
  in_doubt: 'inDoubt',
}

/** What happened over the time of a run, in at most 120 slices, whose length doubles when they run out. */
export class RunTimeline {
  readonly run: string
  #startedMs: number
  #sliceMs = firstSliceMs
  #slices = 0
  #counts = Object.fromEntries(series.map(name => [name, [] as number[]])) as Counts

  constructor(run: string, startedAt: string) {
    this.run = run
    this.#startedMs = Date.parse(startedAt)
  }

  /** Takes a line; one from before the start, as a clock that is set back makes, is of the first slice. */
  take({ at, status = '', attempts, throttled }: ToldLine): void {
    const ms = Date.parse(at)
    const name = Object.hasOwn(seriesOf, status) ? seriesOf[status] : undefined
    if (name === undefined || Number.isNaN(ms)) return
    if (Number.isNaN(this.#startedMs)) this.#startedMs = ms
    const slice = this.#sliceAt(Math.max(0, ms - this.#startedMs))
    this.#add(name, slice, 1)
    this.#add('repeated', slice, Math.max(0, attempts - 1))
    this.#add('throttled', slice, throttled)
  }

  facts(): Timeline | undefined {
    if (Number.isNaN(this.#startedMs)) return undefined
    const list = (name: Series) =>
      Array.from({ length: this.#slices }, (_, at) => this.#counts[name][at] ?? 0)
    return {
      startedAt: new Date(this.#startedMs).toISOString(),
      sliceMs: this.#sliceMs,
      ...(Object.fromEntries(series.map(name => [name, list(name)])) as Counts),
    }
  }

  #sliceAt(ms: number): number {
    while (ms >= this.#sliceMs * mostSlices) this.#widen()
    const slice = Math.floor(ms / this.#sliceMs)
    this.#slices = Math.max(this.#slices, slice + 1)
    return slice
  }

  #widen(): void {
    this.#sliceMs *= 2
    this.#slices = Math.ceil(this.#slices / 2)
    for (const name of series) {
      const narrow = this.#counts[name]
      const sum = (_: unknown, at: number) => (narrow[2 * at] ?? 0) + (narrow[2 * at + 1] ?? 0)
      this.#counts[name] = Array.from({ length: Math.ceil(narrow.length / 2) }, sum)
    }
  }

  #add(name: Series, slice: number, count: number): void {
    const counts = this.#counts[name]
    while (counts.length <= slice) counts.push(0)
    counts[slice] = (counts[slice] ?? 0) + count
  }
}
