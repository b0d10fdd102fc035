import { initOptions, reportOptions, resolveOptions, sandboxOptions } from '../../app/command-options.ts'
import type { Options } from '../../app/option-values.ts'
import { importOptions } from '../../app/options.ts'
import { UsageError } from '../../model/errors.ts'
import type { ParsedArgs } from '../args.ts'
import type { CliContext } from '../context.ts'

/** A command, as help shows it, and how it is run: what it needs is loaded only then, for to start is to read much code. */
export interface Command {
  readonly summary: string
  /** The lines that say how it is called. */
  readonly usage: readonly string[]
  readonly about?: string
  readonly options: Options
  /** A line to type, and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  /** Its exit codes, where it knows fewer than an import. */
  readonly codes?: string
  /** Gives the exit code. `args` are the words of the whole command line. */
  run(parsed: ParsedArgs, context: CliContext, args: readonly string[]): Promise<number>
}

const shortCodes = 'Exit codes: 0 done, 2 could not be done as given, 70 a defect in rowlift.'

export const commands: Readonly<Record<string, Command>> = {
  import: {
    summary: 'Create one record per row of one or more files, or of standard input (-)',
    usage: ['import <source...>', 'import --plan FILE'],
    about: 'A source is a CSV or NDJSON file, also packed as .gz; - is standard input.',
    options: importOptions,
    examples: [
      ['rowlift import c.csv -m c.yaml --dry-run', 'Check a mapping; nothing is sent'],
      ['rowlift import c.csv -m c.yaml --dry-run --preview - | less', "Look at every row's fate"],
      ['rowlift import c.csv -m c.yaml --config service.yaml --limit 5', 'A first careful bite'],
      ['rowlift import c.csv -m c.yaml --config service.yaml', 'The rest; also after whatever stopped it'],
    ],
    async run(parsed, context, args) {
      const { importCommand } = await import('./import.ts')
      return importCommand(parsed, context, args)
    },
  },
  init: {
    summary: 'Propose a mapping for a file',
    usage: ['init <source>'],
    about: 'Looks at a CSV or NDJSON file, or at standard input (-), and writes a commented mapping for it.',
    options: initOptions,
    examples: [
      ['rowlift init contacts.csv -o contacts.yaml', 'A mapping to read, mend and try'],
      [
        'rowlift init export.csv --record task --encoding windows-1252',
        'What you know need not be found out',
      ],
    ],
    codes: shortCodes,
    async run({ positionals, flags }, context) {
      const { initCommand } = await import('./init.ts')
      return initCommand(positionals, flags, context)
    },
  },
  test: {
    summary: 'Run the tests that stand in mapping files; nothing is read or sent beside them',
    usage: ['test <mapping...>'],
    about: 'A mapping is a file, or preset:NAME.',
    options: {},
    examples: [
      ['rowlift test contacts.yaml', 'Each row under tests: against what is expected of it'],
      ['rowlift test preset:asana', 'Those of a mapping that ships'],
    ],
    codes: shortCodes.replace('0 done,', '0 done, 1 a test failed,'),
    async run({ positionals }, context) {
      const { testCommand } = await import('./test.ts')
      return testCommand(positionals, context)
    },
  },
  report: {
    summary: 'Make a page of result logs, to look at',
    usage: ['report <results...>'],
    about:
      'Shows what became of the rows, why some have no record, and what to do about each. A run may be writing the log meanwhile.',
    options: reportOptions,
    examples: [
      ['rowlift report contacts.results.ndjson', 'The page is contacts.results.report.html'],
      ['rowlift report organizations.results.ndjson people.results.ndjson -o migration.html', 'Two in one'],
    ],
    codes: shortCodes,
    async run({ positionals, flags }, context) {
      const { reportCommand } = await import('./report.ts')
      return reportCommand(positionals, flags, context)
    },
  },
  resolve: {
    summary: 'List the rows in doubt, or settle them by hand',
    usage: ['resolve <results>'],
    about: 'Without options the rows in doubt are listed, with what was sent.',
    options: resolveOptions,
    examples: [
      ['rowlift resolve r.ndjson', 'Which rows, why, and what was sent'],
      ['rowlift resolve r.ndjson --key 4711 --record-id ID', 'The record is there'],
      ['rowlift resolve r.ndjson --all --not-created', 'None of them is there'],
    ],
    async run({ positionals, flags }, context) {
      const { resolveCommand } = await import('./resolve.ts')
      return resolveCommand(positionals, flags, context)
    },
  },
  sandbox: {
    summary: 'Run a local emulator of the service, for a first try',
    usage: ['sandbox'],
    about: 'Serves until it is interrupted, and prints its address first: give that as --base-url.',
    options: sandboxOptions,
    examples: [
      ['rowlift sandbox', 'On port 8787, with the token "sandbox"'],
      ['rowlift sandbox --latency 50 --drop 0.01', 'A service that now and then loses an answer'],
    ],
    codes: shortCodes,
    async run({ positionals: [surplus], flags }, context) {
      if (surplus !== undefined)
        throw new UsageError('unknown_option', { word: surplus, suggestion: undefined })
      const { sandboxCommand } = await import('./sandbox.ts')
      return sandboxCommand(flags, context)
    },
  },
}
