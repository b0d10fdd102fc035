import type { Opening } from '../../journal/outcome.ts'
import type { RunLine } from '../page/facts.ts'
import type { ToldLine } from './told-line.ts'

const mostRuns = 100

type Counted = { -readonly [Field in keyof RunLine]: RunLine[Field] } & { lastMs: number }

const fieldOf = {
  created: 'created',
  existing: 'existing',
  duplicate: 'duplicate',
  invalid: 'invalid',
  failed: 'failed',
  in_doubt: 'inDoubt',
} as const

/** What each run of a log came to; the last hundred are kept. */
export class RunLines {
  readonly #runs = new Map<string, Counted>()
  #mapping: string | undefined
  /** How many came before those that are kept. */
  earlier = 0

  /** Takes the line that opens a run. */
  open({ run, at, rowlift, sources, mapping_sha256: mapping }: Opening): void {
    const mappingChanged = this.#mapping !== undefined && this.#mapping !== mapping
    this.#mapping = mapping
    if (!this.#runs.has(run)) this.#add(run, at, { rowlift, sources, mappingChanged })
  }

  /** Takes any other line. What a person settles, and what a killed run left under way, stand among the lines of others. */
  take({ run, at, status = '', attempts, throttled, byHand }: ToldLine): void {
    const line = this.#runs.get(run) ?? this.#add(run, at, { byHand })
    const field = Object.hasOwn(fieldOf, status) ? fieldOf[status as keyof typeof fieldOf] : undefined
    if (field !== undefined) line[field] += 1
    line.repeated += Math.max(0, attempts - 1)
    line.throttled += throttled
    const ms = Date.parse(at)
    if (!(ms > line.lastMs)) return
    line.lastMs = ms
    line.lastAt = at
  }

  facts(): RunLine[] {
    return [...this.#runs.values()].map(({ lastMs, ...line }) => line)
  }

  #add(run: string, at: string, about: Partial<Counted>): Counted {
    const line: Counted = {
      run,
      startedAt: at,
      lastAt: at,
      lastMs: Date.parse(at) || 0,
      rowlift: '',
      sources: [],
      mappingChanged: false,
      byHand: false,
      created: 0,
      existing: 0,
      duplicate: 0,
      invalid: 0,
      failed: 0,
      inDoubt: 0,
      repeated: 0,
      throttled: 0,
      ...about,
    }
    this.#runs.set(run, line)
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > mostRuns && oldest !== undefined) {
      this.#runs.delete(oldest)
      this.earlier += 1
    }
    return line
  }
}
