import {
  exportOptions,
  initOptions,
  logOptions,
  reportOptions,
  resolveOptions,
  sandboxOptions,
  testOptions,
  verifyOptions,
  workersOptions,
} from '../../app/command-options.ts'
import type { Options } from '../../app/option-values.ts'
import { importOptions } from '../../app/options.ts'
import type { Run } from '../context.ts'

/** A command, as help shows it; its code is loaded only when it runs, because loading takes most of the start. */
export interface Command {
  readonly summary: string
  /** One form a line. */
  readonly usage: readonly string[]
  readonly about?: string
  readonly options: Options
  /** A line to type, and its effect. */
  readonly examples: readonly (readonly [string, string])[]
  /** Its exit codes, where it has fewer than an import. */
  readonly codes?: string
  load(): Promise<Run>
}

const shortCodes = 'Exit codes: 0 done, 2 could not be done as given, 70 a defect in rowlift.'
const codesOfLogs = shortCodes.replace('70', '3 the log could not be written, 4 another run holds it, 70')
const codesOfLedgers = shortCodes.replace('70', '3 the database does not answer, 70')

export const commands: Readonly<Record<string, Command>> = {
  import: {
    summary: 'Create one record per row of one or more files, or of standard input (-)',
    usage: ['import <source...>', 'import --plan FILE'],
    about:
      'A source is a file (CSV, NDJSON, XLSX, JSON, vCard, iCalendar), also packed; - is standard input.',
    options: importOptions,
    examples: [
      ['rowlift import c.csv -m c.yaml --dry-run', 'Check a mapping; nothing is sent'],
      ['rowlift import c.csv -m c.yaml --dry-run --watch', 'See what each change of the mapping changes'],
      ['rowlift import c.csv -m c.yaml --dry-run --preview - | less', 'Look at every row'],
      ['rowlift import c.csv -m c.yaml --config service.yaml --limit 5', 'Start with five rows'],
      ['rowlift import c.csv -m c.yaml --config service.yaml', 'The rest; also after any interruption'],
    ],
    load: async () => (await import('./import.ts')).importCommand,
  },
  doctor: {
    summary: 'Check machine, files, way to the service, token, log and disk before an import',
    usage: ['doctor [source...]'],
    about:
      'Takes the options of import, and checks what they name, up to the door of the service; nothing is sent.',
    options: importOptions,
    examples: [['rowlift doctor c.csv -m c.yaml --config service.yaml', 'Would this import run here?']],
    codes: shortCodes.replace('0 done,', '0 nothing failed, 1 a check failed,'),
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  init: {
    summary: 'Propose a mapping for a file, or mappings and a plan for several',
    usage: ['init <source>', 'init <source...> -o FOLDER/'],
    about: 'Looks at a file, or at standard input (-), and writes a commented mapping for it.',
    options: initOptions,
    examples: [
      ['rowlift init contacts.csv -o contacts.yaml', 'A mapping to read, fix and try'],
      ['rowlift init people.csv companies.csv -o migration/', 'A mapping for each, linked, and the plan'],
      ['rowlift init export.csv --record task --encoding windows-1252', 'Detect less, if you know it'],
    ],
    codes: shortCodes,
    load: async () => (await import('./init.ts')).initCommand,
  },
  fields: {
    summary: 'List the fields of a contact or task, as lines of a mapping',
    usage: ['fields contact|task [word...]'],
    about: 'With words, only the fields that have all of them in their names.',
    options: {},
    examples: [
      ['rowlift fields task', 'All fields of a task'],
      ['rowlift fields task due', 'Those with "due" in their names'],
    ],
    codes: shortCodes,
    load: async () => (await import('./fields.ts')).fieldsCommand,
  },
  test: {
    summary: 'Run the tests in mapping files; nothing is sent',
    usage: ['test <mapping...>'],
    about: 'A mapping is a file, or preset:NAME.',
    options: testOptions,
    examples: [
      ['rowlift test contacts.yaml', 'Compare each row under tests: with what it expects'],
      ['rowlift test contacts.yaml --watch', 'Again each time that it is saved'],
      ['rowlift test preset:asana', 'The tests of a mapping that ships'],
    ],
    codes: shortCodes.replace('0 done,', '0 done, 1 a test failed,'),
    load: async () => (await import('./test.ts')).testCommand,
  },
  report: {
    summary: 'Make an HTML page of result logs',
    usage: ['report <results...>'],
    about:
      'Shows what became of the rows, why some have no record, and what to do about each. A run may be writing the log meanwhile.',
    options: reportOptions,
    examples: [
      ['rowlift report contacts.results.ndjson', 'The page is contacts.results.report.html'],
      ['rowlift report organizations.results.ndjson people.results.ndjson -o migration.html', 'Two in one'],
    ],
    codes: shortCodes,
    load: async () => (await import('./report.ts')).reportCommand,
  },
  log: {
    summary: 'Show what a result log has, list its records, make it shorter, or repair it',
    usage: ['log <results>'],
    about: 'Counts rows by run and status, with reasons and the slowest calls.',
    options: logOptions,
    examples: [
      ['rowlift log r.ndjson', 'Was the last run good?'],
      ['rowlift log r.ndjson --ids --run last > made.csv', 'The records that the last run made'],
      ['rowlift log r.ndjson --compact', 'One line for each row'],
      ['rowlift log r.ndjson --repair', 'After a line was damaged'],
    ],
    codes: codesOfLogs,
    load: async () => (await import('./log.ts')).logCommand,
  },
  resolve: {
    summary: 'List the rows in doubt, or settle them by hand or by an export of the service',
    usage: ['resolve <results>', 'resolve <results> --from EXPORT', 'resolve --ledger URL --import NAME'],
    about: 'Without options the rows in doubt are listed; with --key alone, all that was sent of one.',
    options: resolveOptions,
    examples: [
      ['rowlift resolve r.ndjson', 'Which rows, and what to look for'],
      ['rowlift resolve r.ndjson --key 4711 --record-id ID', 'The record exists'],
      ['rowlift resolve r.ndjson --all --not-created', 'None of the records exists'],
      ['rowlift resolve r.ndjson --from there.csv --id Id --match Name=name', 'Those that the service has'],
    ],
    codes: codesOfLogs.replace('0 done,', '0 done, 1 rows are in doubt still after --from,'),
    load: async () => (await import('./resolve.ts')).resolveCommand,
  },
  verify: {
    summary: 'Compare the records that an import made with an export of the service',
    usage: ['verify <results> --against EXPORT --id COLUMN'],
    about: 'With --match the last sources are read again, and fields are compared.',
    options: verifyOptions,
    examples: [
      ['rowlift verify r.ndjson --against export.csv --id Id', 'Is every record there?'],
      ['rowlift verify r.ndjson --against export.csv --id Id --match Name=name', 'And has its name?'],
    ],
    codes: shortCodes.replace('0 done,', '0 all are there and the same, 1 some are not,'),
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  export: {
    summary: 'Write the result log of an import in a ledger',
    usage: ['export --ledger URL --import NAME'],
    about: 'Workers may be at work meanwhile. Report, log and lookups read what it writes.',
    options: exportOptions,
    examples: [
      ['rowlift export --import contacts -o contacts.results.ndjson', 'The ledger is in ROWLIFT_LEDGER'],
    ],
    codes: codesOfLedgers,
    load: async () => (await import('./export.ts')).exportCommand,
  },
  workers: {
    summary: 'Show who works on an import in a ledger, and how far it is',
    usage: ['workers --ledger URL --import NAME'],
    options: workersOptions,
    examples: [['rowlift workers --import contacts --watch', 'The ledger is in ROWLIFT_LEDGER']],
    codes: codesOfLedgers,
    load: async () => (await import('./workers.ts')).workersCommand,
  },
  sandbox: {
    summary: 'Run a local emulator of the service, for a first try',
    usage: ['sandbox'],
    about: 'Serves until it is interrupted. The first line that it prints is its address, for --base-url.',
    options: sandboxOptions,
    examples: [
      ['rowlift sandbox', 'On port 8787, with the token "sandbox"'],
      ['rowlift sandbox --latency 50 --drop 0.01', 'A service that sometimes loses an answer'],
    ],
    codes: shortCodes,
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
  },
}
