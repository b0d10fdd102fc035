import { Writable } from 'node:stream'
import type { Command, ParsedArgs } from '../../cli/command.ts'
import type { CliContext } from '../../cli/context.ts'
import { parseFlags } from '../../settings/settings.ts'
import { describeError } from './language.ts'
import { CallError } from './server.ts'

/** Runs a command in this process; returns the lines that it prints for programs. Throws a CallError with what it says instead. */
export async function linesOf(
  { options, load, hasSettings }: Command,
  parsed: ParsedArgs,
  context: CliContext,
): Promise<string[]> {
  const silent = { stderr: sink(() => {}), stderrIsTerminal: false, stderrHasColors: false }
  let printed = ''
  const stdout = sink(text => {
    printed += text
  })
  const own = { ...context, ...silent, stdout, stdoutIsTerminal: false, stdoutHasColors: false }
  try {
    const values = hasSettings ? {} : parseFlags(options, parsed.flags, context)
    const run = await load()
    await run({ ...parsed, values: values as never }, own)
  } catch (error) {
    throw new CallError('bad_call', describeError(error))
  }
  return printed.split('\n').filter(line => line !== '')
}

const sink = (take: (text: string) => void) =>
  new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk))
      done()
    },
  })
