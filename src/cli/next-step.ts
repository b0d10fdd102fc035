import type { WrittenRejects } from '../app/rejects.ts'
import type { ImportEnd } from '../app/run.ts'
import { commandLine } from '../report/command-line.ts'
import type { Tally } from '../report/tally.ts'
import { dropOptions, withSources } from './argv.ts'

/** What decides what there is left to do after a run. */
export interface Unfinished extends Pick<ImportEnd, 'dryRun' | 'written' | 'inDoubt' | 'resendsDoubts'> {
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  readonly rejects?: WrittenRejects | undefined
}

/** What a plan has that a single import has not. */
export interface PlanSays {
  /** Each step says which service it is for, so that no flag need. */
  readonly knowsService: boolean
}

/** What to type after a run, or after all steps of a plan, if anything is left to do. */
export function nextStep(args: readonly string[], end: Unfinished, plan?: PlanSays): string | undefined {
  const { invalid, failed, valid } = end.tally.ends
  const { stopReason } = end.tally
  if (end.dryRun && stopReason !== undefined) return dryRunAgain(args)
  if (end.dryRun) return invalid + valid > 0 ? afterDryRun(args, invalid, plan) : undefined
  if (end.tally.limitReached !== undefined) return afterLimit(args)
  if (stopReason?.code === 'lock') return undefined
  const goOn = `run the same command again, it goes on where this run ended: ${commandLine(args)}`
  if (stopReason?.code === 'signal') return goOn
  const { rejects } = end
  if (stopReason === undefined && rejects !== undefined && rejects.rows > 0)
    return `mend the rows in ${rejects.path}, then import them: ${commandLine(repairing(args, rejects, end.written))}; or mend the cause, then ${goOn}`
  if (stopReason !== undefined || invalid + failed > 0) return `mend the cause, then ${goOn}`
  if (end.inDoubt === 0) return undefined
  if (end.resendsDoubts) return goOn
  return `look in the service for the rows in doubt, and settle them: ${commandLine(['resolve', end.written ?? 'RESULTS'])}`
}

/** The import of repaired rows, which goes on with the same log; what is rejected once more goes to a file of its own. */
function repairing(args: readonly string[], { path }: WrittenRejects, log: string | undefined): string[] {
  const kept = dropOptions(args, 'results', 'rejects')
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  return [...withSources(kept, [path]), '--results', log ?? '-', '--rejects', again]
}

function afterLimit(args: readonly string[]): string {
  const rest = dropOptions(args, 'limit')
  const isElsewhere = rest.length === args.length
  return `look at the records; if they are right, ${isElsewhere ? 'take the limit away where it is set, and ' : ''}import the rest: ${commandLine(rest)}`
}

const dryRunAgain = (args: readonly string[]) => `mend the cause and dry-run again: ${commandLine(args)}`

function afterDryRun(args: readonly string[], invalid: number, plan: PlanSays | undefined): string {
  const again = dropOptions(args, 'dry-run', 'preview')
  const service =
    plan?.knowsService || again.some(arg => arg.startsWith('--base-url'))
      ? []
      : ['--base-url', 'URL', '--organization-id', 'N']
  const first = commandLine([...dropOptions(again, 'limit'), ...service, '--limit', '5'])
  const five = plan === undefined ? 'five' : 'five of each step'
  return invalid > 0
    ? `mend the rows or the mapping and dry-run again, or import the rows that are right, ${five} at first: ${first}`
    : `import ${five}${plan === undefined ? ' rows' : ''} at first: ${first}`
}
