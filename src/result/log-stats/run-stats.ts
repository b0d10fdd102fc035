import type { Opening, ResultLine } from '../../store/files/lines.ts'
import type { RunFacts } from '../facts.ts'

const maxRuns = 100

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }
interface RunEntry extends Mutable<Omit<RunFacts, 'counts' | 'durationMs'>> {
  readonly counts: Mutable<RunFacts['counts']>
  lastMs: number
}

/** Counts what each run of a log did; keeps the last hundred. */
export class RunList {
  readonly #runs = new Map<string, RunEntry>()
  #mapping: string | undefined
  /** The number of runs before those that are kept. */
  earlier = 0

  open({ run, at, rowlift, sources, mapping_sha256: mapping }: Opening): void {
    const mappingChanged = this.#mapping !== undefined && this.#mapping !== mapping
    this.#mapping = mapping
    if (!this.#runs.has(run)) this.#add(run, at, { rowlift, sources, mappingChanged })
  }

  /** Notes that a run read its sources to their end. */
  close({ run, at, ended }: ResultLine): void {
    const entry = this.#runs.get(run)
    if (entry === undefined) return
    entry.rows = ended?.rows
    entry.known = ended?.known ?? 0
    entry.lastAt = at ?? entry.lastAt
  }

  /** A line may name another run than the one that is open: a person settled the row, or a killed run had sent it. */
  take(line: ResultLine): void {
    const { run, at = '', status = '', attempts = 0, throttled = 0, by_hand: byHand = false } = line
    const entry = this.#runs.get(run) ?? this.#add(run, at, { byHand })
    if (isCounted(entry.counts, status)) entry.counts[status] += 1
    entry.repeated += Math.max(0, attempts - 1)
    entry.throttled += throttled
    const ms = Date.parse(at)
    if (!(ms > entry.lastMs)) return
    entry.lastMs = ms
    entry.lastAt = at
  }

  facts(): RunFacts[] {
    return [...this.#runs.values()].map(({ lastMs, ...run }) => ({
      ...run,
      durationMs: Math.max(0, Date.parse(run.lastAt) - Date.parse(run.startedAt)) || 0,
    }))
  }

  #add(run: string, at: string, known: Partial<RunEntry>): RunEntry {
    const entry = {
      run,
      startedAt: at,
      lastAt: at,
      lastMs: Date.parse(at) || 0,
      rowlift: '',
      sources: [],
      mappingChanged: false,
      byHand: false,
      rows: undefined,
      known: 0,
      counts: { created: 0, existing: 0, merged: 0, in_doubt: 0, failed: 0, invalid: 0, duplicate: 0 },
      repeated: 0,
      throttled: 0,
      ...known,
    }
    this.#runs.set(run, entry)
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > maxRuns && oldest !== undefined) {
      this.#runs.delete(oldest)
      this.earlier += 1
    }
    return entry
  }
}

export const isCounted = <T extends object>(counts: T, status: string): status is Extract<keyof T, string> =>
  Object.hasOwn(counts, status)
