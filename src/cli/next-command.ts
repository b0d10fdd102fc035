import type { Tally } from '../model/tally.ts'

/** A command line as a shell reads it back. */
export const commandLine = (args: readonly string[]): string => ['rowlift', ...args].map(shellWord).join(' ')

const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The arguments without some options and their values. */
function without(args: readonly string[], options: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const [name, ...value] = (args[at] ?? '').split('=')
    if (!options.includes(name ?? '')) kept.push(args[at] ?? '')
    else if (name !== '--dry-run' && value.length === 0) at += 1
  }
  return kept
}

/** What to type after a run, if anything is left to do. */
export function nextCommand(
  args: readonly string[],
  tally: Tally,
  dryRun: boolean,
  results: string | undefined,
): string | undefined {
  const { invalid, failed, in_doubt, held } = tally.ends
  if (dryRun) return afterDryRun(args, invalid)
  if (tally.limitReached !== undefined)
    return `look at the records; if they are right, import the rest: ${commandLine(without(args, ['--limit']))}`
  if (tally.stopReason !== undefined || invalid + failed > 0) {
    const first = tally.stopReason?.is === 'signal' ? '' : 'mend the cause, then '
    return `${first}run the same command again, it goes on where this run ended: ${commandLine(args)}`
  }
  if (in_doubt + held > 0)
    return `look in the service for the rows in doubt, and settle them: ${commandLine(['resolve', results ?? 'RESULTS'])}`
  return undefined
}

function afterDryRun(args: readonly string[], invalid: number): string {
  const again = without(args, ['--dry-run', '--preview'])
  const service = again.some(arg => arg.startsWith('--base-url'))
    ? []
    : ['--base-url', 'URL', '--organization-id', 'N']
  const first = commandLine([...without(again, ['--limit']), ...service, '--limit', '5'])
  return invalid > 0
    ? `mend the rows or the mapping and dry-run again, or import the rows that are right, five at first: ${first}`
    : `import five rows at first: ${first}`
}
