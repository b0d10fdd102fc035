import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import { RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import type { RunResult } from '../../result/run-result.ts'
import { readLogOf } from '../../run/logs.ts'
import { readResults, unescapedKey } from '../../run/lookups.ts'
import type { Step, StepLinks } from '../../run/plan.ts'
import type { OfService, OutcomeSink, SharedStore } from '../../run/prepared-import.ts'
import type { ImportSettings } from '../../settings/settings.ts'
import { type MigrationStep, placeOfLog } from './order.ts'

export interface StepPorts extends ProcessInfo {
  /** Finds the store that takes the place of a step's result log. */
  readonly storeOf: (settings: ImportSettings) => Promise<SharedStore | undefined>
}

/** The records of finished steps, for the lookups of later ones. */
export class StepRecords implements StepLinks {
  readonly #steps: readonly MigrationStep[]
  readonly #ports: StepPorts
  /** Records of the steps that are looked up, in a dry run. */
  readonly #predicted = new Map<string, PredictedRecords>()
  /** Steps that a limit ended before their last row. */
  readonly #limited = new Set<string | undefined>()

  constructor(steps: readonly MigrationStep[], ports: StepPorts) {
    this.#steps = steps
    this.#ports = ports
  }

  /** Keeps the keys of a step in a dry run, if a later step looks them up. */
  sinksOf({ name = '', settings: { dryRun } }: Step): OutcomeSink[] {
    if (!dryRun || !this.#steps.some(({ looksUpIn }) => looksUpIn.includes(name))) return []
    const predicted = new PredictedRecords(this.#stepOf(name))
    this.#predicted.set(name, predicted)
    return [predicted]
  }

  ended({ name }: Step, { limit_reached }: RunResult): void {
    if (limit_reached !== undefined) this.#limited.add(name)
  }

  withLog = async (path: string): Promise<string | undefined> => {
    const place = await placeOfLog(path)
    return this.#steps.find(step => step.place === place)?.name
  }

  async lookup(name: string, lookup: string, service: OfService): Promise<Lookup> {
    const { settings, results } = this.#stepOf(name)
    const predicted = this.#predicted.get(name)
    const table = predicted?.table ?? new LookupTable(settings.import ?? results)
    if (!predicted?.hasLog) {
      const place = { ...settings, store: await this.#ports.storeOf(settings), results }
      await readLogOf(place, this.#ports, log => readResults(log, lookup, service, predicted ?? table))
    }
    if (predicted) predicted.hasLog = true
    return this.#limited.has(name) ? neverMissing(table.find, name) : table.find
  }

  #stepOf(name: string): MigrationStep {
    const step = this.#steps.find(step => step.name === name)
    if (step === undefined) throw new Error(`the plan has no step ${name}`)
    return step
  }
}

/** Makes a missing key unusable: it may be in a row that was not read, and a link cannot be added later. */
const neverMissing =
  (find: Lookup, step: string): Lookup =>
  (text, row) => {
    const match = find(text, row)
    if (match.type !== 'missing') return match
    return { type: 'unusable', problem: problem('lookup_incomplete', { step }) }
  }

/** The records of a step that its dry run predicts, and those of its result log once they were added. Some 150 bytes a row. */
class PredictedRecords implements OutcomeSink {
  readonly table: LookupTable
  hasLog = false
  readonly #results: string
  readonly #isOneColumn: boolean
  readonly #places = new RowNumbers()

  constructor({ name, results, mapping }: MigrationStep) {
    this.table = new LookupTable(`the step ${name}`, place => this.#describe(place))
    this.#results = results
    this.#isOneColumn = mapping.keyColumns.length === 1
  }

  keep = ({ identity, status }: Outcome): undefined => {
    const key = this.#isOneColumn ? unescapedKey(identity.key) : identity.key
    const place = this.#places.of(identity)
    if (status === 'valid') this.table.addPlanned(key, place)
    if (status === 'invalid') this.table.add(key, undefined, place)
  }

  /** Adds a line of the log. They are numbered from 0, which is for calls in flight, as if the log were another source. */
  add(key: string, recordId: unknown, line: number): void {
    this.table.add(key, recordId, this.#places.of({ source: this.#results, row: line + 1 }))
  }

  close = async (): Promise<void> => {}

  #describe(place: number): string {
    const { source, row } = this.#places.placeOf(place)
    return source === this.#results ? `${source}:${row - 1}` : `${source} row ${row}`
  }
}
