import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import { problems } from '../../model/problems.ts'
import { type LookupReading, lookupIn, readResults, type StepLookups } from '../lookups.ts'
import type { OutcomeSink } from '../outcome-sink.ts'
import type { ImportEnd } from '../run-import.ts'
import { PredictedRecords } from './predicted-records.ts'
import { placeOfLog } from './same-log.ts'
import { type Step, stepAt } from './step.ts'

/** What the lookups of later steps find in those that are over. */
export class StepRecords implements StepLookups {
  readonly #steps: readonly Step[]
  /** In a dry run, of the steps that are looked up. */
  readonly #predicted = new Map<string, PredictedRecords>()
  /** Steps that did not look at all their rows. */
  readonly #cutShort = new Set<string>()

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  /** Who takes the outcomes of a step: in a dry run its keys are kept if a later step looks them up. */
  keepersOf(step: Step): OutcomeSink[] {
    const isLookedUp = this.#steps.some(({ looksUpIn }) => looksUpIn.includes(step.name))
    if (!step.settings['dry-run'] || !isLookedUp) return []
    const predicted = new PredictedRecords(step)
    this.#predicted.set(step.name, predicted)
    return [predicted]
  }

  /** Takes the end of a step. */
  ended({ name }: Step, { tally }: ImportEnd): void {
    if (tally.limitReached !== undefined) this.#cutShort.add(name)
  }

  withLog = async (path: string) => stepAt(this.#steps, await placeOfLog(path))

  async lookup(name: string, lookup: string, service: LookupReading['service']): Promise<Lookup> {
    const predicted = this.#predicted.get(name)
    const table = await (predicted?.table(lookup, service) ?? this.#logged(name, lookup, service))
    return this.#cutShort.has(name) ? notMissed(lookupIn(table), name) : lookupIn(table)
  }

  /** The records that the result log of a step tells of; a step that is over has one. */
  async #logged(name: string, lookup: string, service: LookupReading['service']): Promise<LookupTable> {
    const log = this.#steps.find(step => step.name === name)?.results ?? ''
    const table = new LookupTable(log)
    await readResults(log, lookup, service, table)
    return table
  }
}

/** What is not found may stand among the rows that were not looked at: to leave the link out would be for good. */
const notMissed =
  (find: Lookup, step: string): Lookup =>
  (text, row) => {
    const found = find(text, row)
    return found.is === 'missing' ? { is: 'unusable', problem: problems.notLookedAt(step) } : found
  }
