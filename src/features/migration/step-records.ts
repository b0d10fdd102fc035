import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { readLogOf } from '../../run/logs.ts'
import { readResults, unescapedKey } from '../../run/lookups.ts'
import type { StepLinks } from '../../run/plan.ts'
import type { SharedStore } from '../../run/prepared-import.ts'
import type { ImportSettings } from '../../settings/settings.ts'
import { type MigrationStep, placeOfLog } from './order.ts'

export interface StepPorts extends ProcessInfo {
  /** Finds the store that takes the place of a step's result log. */
  readonly storeOf: (settings: ImportSettings) => Promise<SharedStore | undefined>
}

/** Keeps the records of finished steps, for the lookups of later ones. */
export function linksOfSteps(steps: readonly MigrationStep[], ports: StepPorts): StepLinks {
  /** Records of the steps that are looked up, in a dry run. */
  const predictions = new Map<string, ReturnType<typeof predictedRecords>>()
  /** Steps that a limit ended before their last row. */
  const limited = new Set<string | undefined>()
  const stepOf = (name: string) => {
    const step = steps.find(step => step.name === name)
    if (step === undefined) throw new Error(`the plan has no step ${name}`)
    return step
  }
  return {
    /** Keeps the keys of a step in a dry run, if a later step looks them up. */
    sinksOf({ name = '', settings: { dryRun } }) {
      if (!dryRun || !steps.some(({ looksUpIn }) => looksUpIn.includes(name))) return []
      const predicted = predictedRecords(stepOf(name))
      predictions.set(name, predicted)
      return [predicted]
    },
    ended({ name }, { limit_reached }) {
      if (limit_reached !== undefined) limited.add(name)
    },
    async withLog(path) {
      const place = await placeOfLog(path)
      return steps.find(step => step.place === place)?.name
    },
    async lookup(name, lookup, service) {
      const { settings, results } = stepOf(name)
      const predicted = predictions.get(name)
      const table = predicted?.table ?? new LookupTable(settings.import ?? results)
      if (!predicted?.hasLog) {
        const place = { ...settings, store: await ports.storeOf(settings), results }
        await readLogOf(place, ports, log => readResults(log, lookup, service, predicted ?? table))
      }
      if (predicted) predicted.hasLog = true
      return limited.has(name) ? neverMissing(table.find, name) : table.find
    },
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
function predictedRecords({ name, results, mapping }: MigrationStep) {
  const places = new RowNumbers()
  const planned = new KeyTable()
  const describe = (place: number) => {
    const { source, row } = places.placeOf(place)
    return source === results ? `${source}:${row - 1}` : `${source} row ${row}`
  }
  const table = new LookupTable(`the step ${name}`, describe)
  return {
    table,
    hasLog: false,
    keep({ identity, status }: Outcome): undefined {
      const key = mapping.keyColumns.length === 1 ? unescapedKey(identity.key) : identity.key
      const place = places.of(identity)
      if (status === 'valid') {
        table.addPlanned(key, place)
        planned.set(fingerprint(key), 0)
      }
      if (status === 'invalid') table.add(key, undefined, place)
    },
    /** Adds a line of the log. They are numbered from 0, which is for calls in flight, as if the log were another source. */
    add(key: string, recordId: unknown, line: number): void {
      const hasRecord = planned.get(fingerprint(key)) === undefined // else it is gone
      if (hasRecord) table.add(key, recordId, places.of({ source: results, row: line + 1 }))
    },
    remove: (key: string, recordId: unknown, line: number) => table.remove(key, recordId, line),
    close: async () => {},
  }
}
