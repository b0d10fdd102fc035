import type { Opening, ResultLine } from '../../store/files/lines.ts'
import { noRows } from '../row-counts.ts'

const maxRuns = 100

/** A run of a log before its first line. */
const newRun = (run: string, startedAt: string) => ({
  ...{ run, startedAt, lastAt: startedAt },
  rowlift: '',
  sources: [] as readonly string[],
  /** Set if it changed since the run before. */
  mappingChanged: false,
  /** Of `rowlift log`, if it is no import. */
  command: undefined as Opening['command'],
  /** A person wrote its lines (rowlift resolve). */
  byHand: false,
  /** The rows of its sources; undefined unless it read them to their end. */
  rows: undefined as number | undefined,
  /** Rows that an earlier run refused, and that read the same; this run wrote no line for them. */
  known: 0,
  counts: { ...noRows, duplicate: 0 },
  repeated: 0,
  /** Attempts at which the service asked to slow down. */
  throttled: 0,
})
type RunEntry = ReturnType<typeof newRun>

/** Counts what each run of a log did; keeps the last hundred. */
export class RunList {
  readonly #runs = new Map<string, RunEntry>()
  #mapping: string | undefined
  /** The number of runs before those that are kept. */
  earlier = 0

  open({ run, at, rowlift, sources, command, mapping_sha256: mapping }: Opening): void {
    const mappingChanged = this.#mapping !== undefined && this.#mapping !== mapping
    this.#mapping = mapping
    const byHand = command === 'resolve'
    const kind = { byHand, command: byHand ? undefined : command, mappingChanged }
    if (!this.#runs.has(run)) this.#add({ ...newRun(run, at), rowlift, sources, ...kind })
  }

  /** Notes the end of a run. Its rows are those of the sources if it read them to their end. */
  close({ run, at, ended, stopped }: ResultLine): void {
    const entry = this.#runs.get(run)
    if (entry === undefined) return
    if (entry.command === undefined && stopped === undefined) entry.rows = ended?.rows
    entry.known = ended?.known ?? 0
    entry.lastAt = at ?? entry.lastAt
  }

  /** A line may name another run than the one that is open: a person settled the row, or a killed run had sent it. */
  take(line: ResultLine): void {
    const { run, at = '', status = '', attempts = 0, throttled = 0, by_hand: byHand = false } = line
    const entry = this.#runs.get(run) ?? this.#add({ ...newRun(run, at), byHand })
    if (isCounted(entry.counts, status)) entry.counts[status] += 1
    entry.repeated += Math.max(0, attempts - 1)
    entry.throttled += throttled
    if (at > entry.lastAt) entry.lastAt = at
  }

  /** Runs that can be shown, the oldest first. */
  facts() {
    return [...this.#runs.values()].map(run => ({
      ...run,
      /** Time until its last line; 0 for texts that are no times. */
      durationMs: Math.max(0, Date.parse(run.lastAt) - Date.parse(run.startedAt)) || 0,
    }))
  }

  #add(entry: RunEntry): RunEntry {
    this.#runs.set(entry.run, entry)
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
