import { usageErrors } from '../model/usage-errors.ts'
import { completionScript, shells } from './completion-script.ts'
import type { Context } from './context.ts'
import { exitCodes } from './exit-code.ts'

/** `rowlift completion`: prints the script for a shell, by default the one in $SHELL; gives the exit code. Throws a UsageError. */
export function completionCommand(
  named: readonly string[],
  { stdout, environment }: Pick<Context, 'stdout' | 'environment'>,
): number {
  const [name = environment.SHELL?.split('/').at(-1) ?? 'bash'] = named
  const shell = shells.find(each => each === name)
  if (shell === undefined || named.length > 1) throw usageErrors.unknownShell(name, shells)
  stdout.write(completionScript(shell))
  return exitCodes.finished
}
