import { commandLine } from '../report/command-line.ts'
import { forSources, without } from './given-words.ts'
import type { WrittenRejects } from './keep-rejects.ts'
import type { ImportEnd } from './run-import.ts'

/** What decides what there is left to do after a run. */
export type Unfinished = Pick<
  ImportEnd,
  'tally' | 'dryRun' | 'written' | 'inDoubt' | 'resendsDoubts' | 'rejects'
>

/** What to type after a run, if anything is left to do. */
export function nextCommand(args: readonly string[], end: Unfinished): string | undefined {
  const { invalid, failed } = end.tally.ends
  const { stopReason } = end.tally
  if (end.dryRun) return afterDryRun(args, invalid)
  if (end.tally.limitReached !== undefined)
    return `look at the records; if they are right, import the rest: ${commandLine(without(args, 'limit'))}`
  if (stopReason?.is === 'lock') return undefined
  const goOn = `run the same command again, it goes on where this run ended: ${commandLine(args)}`
  if (stopReason?.is === 'signal') return goOn
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
  const kept = without(args, 'results', 'rejects')
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  return [...forSources(kept, [path]), '--results', log ?? '-', '--rejects', again]
}

function afterDryRun(args: readonly string[], invalid: number): string {
  const again = without(args, 'dry-run', 'preview')
  const service = again.some(arg => arg.startsWith('--base-url'))
    ? []
    : ['--base-url', 'URL', '--organization-id', 'N']
  const first = commandLine([...without(again, 'limit'), ...service, '--limit', '5'])
  return invalid > 0
    ? `mend the rows or the mapping and dry-run again, or import the rows that are right, five at first: ${first}`
    : `import five rows at first: ${first}`
}
