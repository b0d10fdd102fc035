import { Writable } from 'node:stream'
import type { ParsedArgs, Run } from '../../cli/command.ts'
import type { CliContext } from '../../cli/context.ts'
import { describeError } from '../../output/words.ts'
import type { Options } from '../../settings/option-values.ts'
import { parseFlags } from '../../settings/settings.ts'
import { CallError } from './server.ts'

/** A command with the table of its options; one that reads its settings itself has none. */
export interface Runnable<T extends Options> {
  readonly run: Run<T>
  readonly options: T
}

/** Runs a command in this process; returns the lines that it prints for programs. Throws a CallError with what it says instead. */
export async function linesOf<T extends Options>(
  { run, options }: Runnable<T>,
  { positionals, flags }: ParsedArgs,
  context: CliContext,
): Promise<string[]> {
  const silent = { stderr: sink(() => {}), stderrIsTerminal: false, stderrHasColors: false }
  let printed = ''
  const stdout = sink(text => {
    printed += text
  })
  const own = { ...context, ...silent, stdout, stdoutIsTerminal: false, stdoutHasColors: false }
  try {
    await run({ positionals, flags, values: parseFlags(options, flags, context) }, own)
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

/** The commands of result logs that pages use; they are loaded when they are needed. */
export const logCommands = {
  log: async () => {
    const [{ runLog }, { logOptions }] = await Promise.all([
      import('../log-tools/log.ts'),
      import('../log-tools/options.ts'),
    ])
    return { run: runLog, options: logOptions }
  },
  resolve: async () => {
    const [{ runResolve }, { resolvingOptions }] = await Promise.all([
      import('../reconcile/resolve.ts'),
      import('../reconcile/options.ts'),
    ])
    return { run: runResolve, options: resolvingOptions }
  },
}
