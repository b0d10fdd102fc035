import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isThere } from '../../journal/log-lines.ts'
import type { Opening } from '../../journal/outcome.ts'
import { resultLines } from '../../journal/replay.ts'
import { logErrors } from '../../model/errors.ts'
import { noRecordId } from '../../model/no-record.ts'
import { usageErrors } from '../../model/usage-errors.ts'
import { checkDistinct, type NamedFile } from '../file-conflicts.ts'
import { checkSameImport, logIdentity } from '../log-identity.ts'
import { lookupFiles, type StepLookups } from '../lookups.ts'
import { type CheckedInput, checkInput, readLookups } from '../open-run.ts'
import { isPreset } from '../paths.ts'
import type { Ports } from '../ports.ts'
import { placeOfLog, type Step, stepAt } from './step.ts'

/**
 * Checks of every step what can be checked before the first one begins, as each is checked again when its turn comes. Throws a
 * UsageError, SourceError or LogError.
 */
export async function checkSteps(plan: string, steps: readonly Step[], context: Ports): Promise<void> {
  const lookedUp = assumed(steps)
  const checked: CheckedInput[] = []
  for (const step of steps) checked.push(await checkStep(step, lookedUp, context))
  await checkFiles(plan, steps, checked, lookedUp)
}

/** The steps before any of them has run: whatever is looked up in them is taken for found. */
const assumed = (steps: readonly Step[]): StepLookups => ({
  withLog: async path => stepAt(steps, await placeOfLog(path)),
  lookup: async () => () => ({ is: 'found', value: noRecordId }),
})

async function checkStep(step: Step, steps: StepLookups, context: Ports): Promise<CheckedInput> {
  const { sources, settings, name } = step
  const { signal } = new AbortController()
  for (const source of sources) await checkRegular(source, name)
  const order = { sources, settings, context, tell: () => {}, steps }
  const input = await checkInput(order, signal)
  await readLookups(input, order, signal)
  await checkLog(step, input)
  return input
}

/** What is no file can be read only once. */
async function checkRegular(source: string, step: string): Promise<void> {
  const found = await stat(source).catch(() => undefined)
  if (found !== undefined && !found.isFile() && !found.isDirectory()) throw usageErrors.notAFile(source, step)
}

/** A log that is there belongs to this import, as its first run tells; one that is not can be made. */
async function checkLog({ results }: Step, { mapping, plan }: CheckedInput): Promise<void> {
  checkSameImport(results, await firstOpening(results), logIdentity(mapping, plan))
  if (plan.service === undefined) return
  const written = (await isThere(results)) ? results : dirname(plan.results ?? results)
  await access(written, constants.W_OK).catch(error => {
    throw logErrors.cannotWrite(results, error)
  })
}

async function firstOpening(log: string): Promise<Opening | undefined> {
  for await (const [first] of resultLines(log)) return first?.line as Opening | undefined
  return undefined
}

/** No file of any step is written over by another; a result log may well be looked up in. */
async function checkFiles(
  plan: string,
  steps: readonly Step[],
  checked: readonly CheckedInput[],
  { withLog }: StepLookups,
): Promise<void> {
  const read: NamedFile[] = [{ path: plan, role: 'plan' }]
  const tables: NamedFile[] = []
  const beside = steps.flatMap(({ name, settings: { preview, rejects } }) => [
    { path: preview, role: `preview of the step ${name}` },
    { path: rejects, role: `file of rejected rows of the step ${name}` },
  ])
  for (const [at, { mapping, mappingPath, plan }] of checked.entries()) {
    const { name, settings } = steps[at] as Step
    if (!isPreset(settings.mapping ?? ''))
      read.push({ path: mappingPath, role: `mapping of the step ${name}` })
    for (const path of plan.sources) read.push({ path, role: `source of the step ${name}` })
    for (const path of lookupFiles(mapping, mappingPath))
      if ((await withLog(path)) === undefined) tables.push({ path, role: `lookup of the step ${name}` })
  }
  const logs = steps.map(({ name, results }) => ({ path: results, role: `result log of the step ${name}` }))
  await checkDistinct([...logs, ...beside], read)
  await checkDistinct(beside, tables)
}
