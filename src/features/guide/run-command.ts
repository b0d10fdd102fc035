import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from '../../cli/command.ts'
import type { CliContext } from '../../cli/context.ts'
import { parseFlags } from '../../settings/settings.ts'

/** Runs a command in this process; returns the lines that it prints for programs. Throws what the command throws. */
export async function linesOf(
  { options, load, hasSettings }: Command,
  positionals: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<string[]> {
  const stdout = new PassThrough()
  const printed = text(stdout)
  const notShown = { stderr: unread(), stderrIsTerminal: false, stderrHasColors: false }
  const own = { ...context, ...notShown, stdout, stdoutIsTerminal: false, stdoutHasColors: false }
  const values = hasSettings ? {} : parseFlags(options, flags, context)
  const run = await load()
  await run({ positionals, flags, values: values as never }, own).finally(() => stdout.end())
  return (await printed).split('\n').filter(line => line !== '')
}

/** Takes texts that nobody reads. */
export const unread = () => new PassThrough().resume()
