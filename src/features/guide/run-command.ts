import { Writable } from 'node:stream'
import type { Command } from '../../cli/command.ts'
import type { CliContext } from '../../cli/context.ts'
import { parseFlags } from '../../settings/settings.ts'
import { describeError } from './language.ts'
import { CallError } from './server.ts'

/** Runs a command in this process; returns the lines that it prints for programs. Throws a CallError with what it says instead. */
export async function linesOf(
  { options, load, hasSettings }: Command,
  positionals: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<string[]> {
  let printed = ''
  const stdout = sink(text => {
    printed += text
  })
  const silent = { stderr: sink(), stderrIsTerminal: false, stderrHasColors: false }
  const own = { ...context, ...silent, stdout, stdoutIsTerminal: false, stdoutHasColors: false }
  try {
    const values = hasSettings ? {} : parseFlags(options, flags, context)
    const run = await load()
    await run({ positionals, flags, values: values as never }, own)
  } catch (error) {
    throw new CallError('bad_call', describeError(error))
  }
  return printed.split('\n').filter(line => line !== '')
}

/** Takes texts that are written; by default nobody reads them. */
export const sink = (take = (_text: string) => {}) =>
  new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk))
      done()
    },
  })
