import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import { RowNumbers } from '../../model/key-table.ts'
import { problem } from '../../model/problem.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import type { RunResult } from '../../result/run-result.ts'
import type { OutcomeSink } from '../../run/delivery.ts'
import { readLogOf } from '../../run/log-place.ts'
import { type LookupReading, readResults, unescapedKey } from '../../run/lookups.ts'
import type { Step, StepLinks } from '../../run/plan.ts'
import type { SharedStore } from '../../run/prepare.ts'
import type { ImportSettings } from '../../settings/settings.ts'
import { isThere } from '../../store/files/result-log.ts'
import { type MigrationStep, placeOfLog, stepAt } from './step.ts'

export interface StepPorts extends ProcessInfo {
  /** Finds the store that takes the place of a step's result log. */
  readonly storeOf: (settings: ImportSettings) => Promise<SharedStore | undefined>
}

/** The records of finished steps, for the lookups of later ones. */
export class StepRecords implements StepLinks {
  readonly #steps: readonly MigrationStep[]
  readonly #info: StepPorts
  /** Predicted records of the steps that are looked up, in a dry run. */
  readonly #predicted = new Map<string, ReturnType<typeof predictRecords>>()
  /** Steps that a limit ended before their last row. */
  readonly #limited = new Set<string>()

  constructor(steps: readonly MigrationStep[], info: StepPorts) {
    this.#steps = steps
    this.#info = info
  }

  /** In a dry run, the keys of a step are kept if a later step looks them up. */
  sinksOf({ name }: Step): OutcomeSink[] {
    const step = this.#steps.find(step => step.name === name)
    const isLookedUp = this.#steps.some(
      ({ looksUpIn }) => step !== undefined && looksUpIn.includes(step.name),
    )
    if (!step?.settings.dryRun || !isLookedUp) return []
    const predicted = predictRecords(step, this.#info)
    this.#predicted.set(step.name, predicted)
    return [predicted.sink]
  }

  ended({ name }: Step, { limit_reached }: RunResult): void {
    if (limit_reached !== undefined && name !== undefined) this.#limited.add(name)
  }

  withLog = async (path: string) => stepAt(this.#steps, await placeOfLog(path))

  async lookup(name: string, lookup: string, service: LookupReading['service']): Promise<Lookup> {
    const predicted = this.#predicted.get(name)
    const table = await (predicted?.withLog(lookup, service) ?? this.#logged(name, lookup, service))
    return this.#limited.has(name) ? neverMissing(table.find, name) : table.find
  }

  async #logged(name: string, lookup: string, service: LookupReading['service']): Promise<LookupTable> {
    const step = this.#steps.find(step => step.name === name)
    const table = new LookupTable(step?.settings.import ?? step?.results ?? '')
    const store = step && (await this.#info.storeOf(step.settings))
    const place = { ...step?.settings, store, results: step?.results }
    await readLogOf(place, this.#info, log => readResults(log, lookup, service, table))
    return table
  }
}

/** A missing key may be in a row that was not read, and a link cannot be added later. */
const neverMissing =
  (find: Lookup, step: string): Lookup =>
  (text, row) => {
    const found = find(text, row)
    return found.type === 'missing'
      ? { type: 'unusable', problem: problem('lookup_incomplete', { step }) }
      : found
  }

/** The records of a step in its result log, and those that its dry run predicts. Some 150 bytes a row. */
function predictRecords({ name, results, settings, mapping }: MigrationStep, info: StepPorts) {
  const isOneColumn = mapping.keyColumns.length === 1
  const places = new RowNumbers()
  /** Lines of the log, from 0 for calls in flight, are numbered after all rows, as if the log were another source. */
  const describe = (place: number) => {
    const { source, row } = places.placeOf(place)
    return source === results ? `${source}:${row - 1}` : `${source} row ${row}`
  }
  const table = new LookupTable(`the step ${name}`, describe)
  const sink: OutcomeSink = {
    keep({ identity, status }) {
      const key = isOneColumn ? unescapedKey(identity.key) : identity.key
      const place = places.of(identity)
      if (status === 'valid') table.addPlanned(key, place)
      if (status === 'invalid') table.add(key, undefined, place)
      return undefined
    },
    close: async () => {},
  }
  let hasLog = false
  /** Throws a UsageError. */
  async function withLog(lookup: string, service: LookupReading['service']): Promise<LookupTable> {
    const isToRead = !hasLog && (settings.ledger !== undefined || (await isThere(results)))
    hasLog = true
    const add = (key: string, recordId: unknown, line: number) =>
      table.add(key, recordId, places.of({ source: results, row: line + 1 }))
    if (!isToRead) return table
    const place = { ...settings, store: await info.storeOf(settings), results }
    await readLogOf(place, info, log => readResults(log, lookup, service, { add }))
    return table
  }
  return { sink, withLog }
}
