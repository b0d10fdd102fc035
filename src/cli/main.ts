#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import yargs from 'yargs'
import { hideBin } from 'yargs/helpers'
import { didYouMean } from '../mapping/did-you-mean.ts'
import { endedAtOnce, type UsageError } from '../model/errors.ts'
import type { Stop } from '../model/stop.ts'
import { usageErrors } from '../model/usage-errors.ts'
import { answerTo, asked } from './completion.ts'
import { processContext } from './context.ts'
import { exitCodeOfThrown, exitCodes } from './exit-code.ts'
import { epilogue, shortEpilogue, testEpilogue } from './help.ts'
import { importOptions } from './import-options.ts'
import { initOptions } from './init-options.ts'
import { reportOptions } from './report-options.ts'
import { resolveOptions } from './resolve-options.ts'
import { sandboxOptions } from './sandbox-options.ts'

// With much memory about, V8 lets garbage pile up to several times what is in use; the job is to stay small instead.
setFlagsFromString('--heap-growing-percent=30')

const args = hideBin(process.argv)

// Whoever reads our words may go away, as `| head` does; what is under way goes on all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exitCode = await main().catch(exitCodeOfError)

/** Each command loads what it needs itself: to start is to read much code. */
async function main(): Promise<number> {
  let exitCode: number | undefined
  const given = await yargs(args)
    .scriptName('rowlift')
    .usage('$0 imports CSV and NDJSON rows as contacts and tasks: no row twice, no row lost.')
    .command(
      'import',
      'Create one record per row of one or more files, or of standard input (-)',
      command =>
        command
          .usage(
            '$0 import <source...>\n$0 import --plan FILE\n\nA source is a CSV or NDJSON file, also packed as .gz; - is standard input.',
          )
          .options(importOptions)
          .example('$0 import c.csv -m c.yaml --dry-run', 'Check a mapping; nothing is sent')
          .example('$0 import c.csv -m c.yaml --dry-run --preview - | less', "Look at every row's fate")
          .example('$0 import c.csv -m c.yaml --config service.yaml --limit 5', 'A first careful bite')
          .example(
            '$0 import c.csv -m c.yaml --config service.yaml',
            'The rest; also after whatever stopped it',
          )
          .epilogue(epilogue),
      async ({ _: [, ...sources], ...flags }) => {
        const { importCommand } = await import('./import.ts')
        exitCode = await importCommand({
          sources: sources.map(String),
          flags,
          args,
          context: processContext(),
          watchProcess,
        })
      },
    )
    .command(
      'init',
      'Propose a mapping for a file',
      command =>
        command
          .usage(
            '$0 init <source>\n\nLooks at a CSV or NDJSON file, or at standard input (-), and writes a commented mapping for it.',
          )
          .options(initOptions)
          .example('$0 init contacts.csv -o contacts.yaml', 'A mapping to read, mend and try')
          .example(
            '$0 init export.csv --record task --encoding windows-1252',
            'What you know need not be found out',
          )
          .epilogue(shortEpilogue),
      async ({ _: [, ...sources], ...flags }) => {
        const { initCommand } = await import('./init.ts')
        exitCode = await initCommand(sources.map(String), flags, processContext())
      },
    )
    .command(
      'test',
      'Run the tests that stand in mapping files; nothing is read or sent beside them',
      command =>
        command
          .usage('$0 test <mapping...>\n\nA mapping is a file, or preset:NAME.')
          .example('$0 test contacts.yaml', 'Each row under tests: against what is expected of it')
          .example('$0 test preset:asana', 'Those of a mapping that ships')
          .epilogue(testEpilogue),
      async ({ _: [, ...mappings] }) => {
        const { testCommand } = await import('./test.ts')
        exitCode = await testCommand(mappings.map(String), processContext())
      },
    )
    .command(
      'report',
      'Make a page of result logs, to look at',
      command =>
        command
          .usage(
            '$0 report <results...>\n\nShows what became of the rows, why some have no record, and what to do about each. A run may be writing the log meanwhile.',
          )
          .options(reportOptions)
          .example('$0 report contacts.results.ndjson', 'The page is contacts.results.report.html')
          .example(
            '$0 report organizations.results.ndjson people.results.ndjson -o migration.html',
            'Two in one',
          )
          .epilogue(shortEpilogue),
      async ({ _: [, ...results], ...flags }) => {
        const { reportCommand } = await import('./report.ts')
        exitCode = await reportCommand(results.map(String), flags, processContext())
      },
    )
    .command(
      'resolve',
      'List the rows in doubt, or settle them by hand',
      command =>
        command
          .usage('$0 resolve <results>\n\nWithout options the rows in doubt are listed, with what was sent.')
          .options(resolveOptions)
          .example('$0 resolve r.ndjson', 'Which rows, why, and what was sent')
          .example('$0 resolve r.ndjson --key 4711 --record-id ID', 'The record is there')
          .example('$0 resolve r.ndjson --all --not-created', 'None of them is there')
          .epilogue(epilogue),
      async ({ _: [, ...results], ...flags }) => {
        const { resolveCommand } = await import('./resolve.ts')
        exitCode = await resolveCommand(results.map(String), flags, processContext())
      },
    )
    .command(
      'sandbox',
      'Run a local emulator of the service, for a first try',
      command =>
        command
          .usage(
            '$0 sandbox\n\nServes until it is interrupted, and prints its address first: give that as --base-url.',
          )
          .options(sandboxOptions)
          .example('$0 sandbox', 'On port 8787, with the token "sandbox"')
          .example('$0 sandbox --latency 50 --drop 0.01', 'A service that now and then loses an answer')
          .epilogue(shortEpilogue),
      async ({ _: [, ...unknown], ...flags }) => {
        if (unknown.length > 0) throw usageError(`Unknown argument: ${unknown[0]}`)
        const { sandboxCommand } = await import('./sandbox.ts')
        exitCode = await sandboxCommand(flags, process.stdout, signalled())
      },
    )
    .command(
      'completion',
      'Print what lets bash or zsh complete commands, options and their values',
      command =>
        command
          .usage('$0 completion [bash|zsh]\n\nWithout a name it is for the shell in $SHELL.')
          .example('eval "$($0 completion bash)"', 'The line for ~/.bashrc')
          .example('eval "$($0 completion zsh)"', 'The line for ~/.zshrc, behind compinit')
          .epilogue(shortEpilogue),
      async ({ _: [, ...named] }) => {
        const { completionCommand } = await import('./completion-command.ts')
        exitCode = completionCommand(named.map(String), processContext())
      },
    )
    .completion(asked, false, answerTo(args, process.env.SHELL))
    .epilogue(epilogue)
    .demandCommand(1, 'say what to do: import, init, test, report, resolve, sandbox or completion')
    .strictOptions() // yargs' own positionals would lose a lone dash, so sources are taken as they stand
    .version(processContext().version)
    .alias({ help: 'h' })
    .parserConfiguration({ 'camel-case-expansion': false, 'parse-positional-numbers': false })
    .wrap(Math.min(110, process.stdout.columns || 110))
    .exitProcess(false)
    .fail((message, error) => {
      throw error !== undefined && error.name !== 'YError' ? error : usageError(message)
    })
    .parseAsync()
  if (exitCode === undefined && !given.help && !given.version && !(asked in given))
    throw usageError(`Unknown command: ${given._[0]}`)
  return exitCode ?? exitCodes.finished
}

function usageError(message: string): UsageError {
  const [, unknown] = /^Unknown \w+: (\S+)$/.exec(message) ?? []
  const known = [
    ...['import', 'init', 'test', 'report', 'resolve', 'sandbox', 'completion'],
    ...Object.keys({
      ...importOptions,
      ...initOptions,
      ...reportOptions,
      ...resolveOptions,
      ...sandboxOptions,
    }),
  ]
  const suggestion = unknown === undefined ? '' : didYouMean(unknown, known)
  return usageErrors.wrongWords(`${message}${suggestion}`)
}

/**
 * Lets signals stop a run: the first lets the calls in flight end, the second ends the process at once. A defect that
 * nobody catches stops it in the same way, so that the calls in flight are accounted for.
 */
function watchProcess(stop: Pick<Stop, 'request'>): () => void {
  let signals = 0
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(signal => {
    const listener = () => {
      signals += 1
      if (signals > 1) {
        process.stderr.write(`rowlift: ${endedAtOnce}\n`)
        process.exit(exitCodes[signal])
      }
      stop.request({ is: 'signal', signal })
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  const onDefect = (error: unknown) => stop.request({ is: 'defect', error })
  process.on('uncaughtException', onDefect).on('unhandledRejection', onDefect)
  return () => {
    for (const forget of listeners) forget()
    process.off('uncaughtException', onDefect).off('unhandledRejection', onDefect)
  }
}

/** Resolves at the first signal. */
function signalled(): Promise<unknown> {
  return new Promise(resolve => process.once('SIGINT', resolve).once('SIGTERM', resolve))
}

function exitCodeOfError(error: unknown): number {
  const code = exitCodeOfThrown(error)
  const isDefect = code === exitCodes.defect
  const told = error instanceof Error ? (isDefect ? error.stack : error.message) : String(error)
  process.stderr.write(`rowlift: ${isDefect ? 'a defect in rowlift: ' : ''}${told}\n`)
  return code
}
