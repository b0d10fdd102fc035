import type { Options } from './option-values.ts'
import { flag, importOptions, ledgerOptions, lockTimeout } from './options.ts'

const { format, delimiter, encoding } = importOptions
const detected = { defaultText: 'detected' } as const
const json = { ...flag, text: 'Print one JSON object, for programs' } as const

/** How a file is read that nobody has described. */
const reading = {
  format: { ...format, ...detected },
  sheet: {
    kind: 'text',
    placeholder: 'NAME',
    text: 'The sheet of an Excel file, by its name or number',
    defaultText: 'the first one',
  },
  rows: {
    kind: 'text',
    placeholder: 'PATH',
    text: 'Where the list of rows is in a JSON document, with dots between keys',
    ...detected,
  },
  delimiter: { ...delimiter, ...detected },
  encoding: { ...encoding, ...detected },
} as const satisfies Options

export const initOptions = {
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the mapping is written, or the folder for mappings and a plan; an existing file is never overwritten',
    defaultText: 'stdout',
  },
  record: { kind: 'choice', values: ['contact', 'task'], text: 'What the rows become', ...detected },
  explain: { ...flag, text: 'Print why each column became what it became, and which role came next' },
  ...reading,
} as const satisfies Options

/** What is compared of an export of the service. */
export const exportReading = {
  id: { kind: 'text', placeholder: 'COLUMN', text: 'The column of the export with the ids of the records' },
  match: {
    kind: 'pairs',
    placeholder: 'COLUMN=PATH',
    text: 'A column of the export and the field of the body that it shows, such as `Email=emails.0.email`; once or several times',
  },
  country: { kind: 'text', placeholder: 'CODE', text: 'Of phone numbers without one in the export: GB' },
  ...reading,
} as const satisfies Options

export const testOptions = {
  watch: { ...flag, text: 'Go on, and run the tests again when a mapping is saved' },
} as const satisfies Options

export const reportOptions = {
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the page is written; `-` for stdout',
    defaultText: '<results>.report.html',
  },
} as const satisfies Options

export const logOptions = {
  ids: { ...flag, text: 'Print the ids of the records that the import made, as CSV' },
  run: {
    kind: 'text',
    placeholder: 'ID',
    text: 'Only those of this run: its id or the start of it, or `last`',
    defaultText: 'all runs',
  },
  all: { ...flag, text: 'With `--ids`: also records that the import found (`existing`, `merged`)' },
  json,
  compact: { ...flag, text: 'Rewrite the log without the lines that no later run needs' },
  repair: {
    ...flag,
    text: 'Restore damaged lines of the log; the rows of those that cannot be read are in doubt then',
  },
  lockTimeout,
} as const satisfies Options

export const exportOptions = {
  ...ledgerOptions,
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the result log is written; an existing file is never overwritten',
    defaultText: 'stdout',
  },
} as const satisfies Options

export const workersOptions = {
  ...ledgerOptions,
  watch: { ...flag, text: 'Go on until the run has ended' },
  json,
} as const satisfies Options

export const verifyOptions = {
  against: { kind: 'path', not: '-', text: 'The export of the service' },
  ...exportReading,
  report: { kind: 'path', not: '-', text: 'An HTML page with the same' },
} as const satisfies Options

export const resolveOptions = {
  ...ledgerOptions,
  key: {
    kind: 'text',
    placeholder: 'KEY',
    text: 'The key of a row in doubt, as listed (`--key=KEY` if it begins with a dash)',
  },
  recordId: { kind: 'uuid', text: 'The id of the record that was made for it' },
  notCreated: { ...flag, text: 'No record was made; the next import sends the row again' },
  all: { ...flag, text: 'All rows in doubt, with `--not-created`' },
  from: { kind: 'path', text: 'Settle the rows that this export of the service shows' },
  complete: { ...flag, text: 'With `--from`: what it does not show was not created' },
  dryRun: { ...flag, text: 'With `--from`: only show what would be settled' },
  ...exportReading,
  lockTimeout,
} as const satisfies Options

const shareOfCalls = { kind: 'number', least: 0, most: 1, default: 0 } as const

export const sandboxOptions = {
  port: { kind: 'count', least: 0, most: 65_535, text: 'The port; 0 takes any free one', default: 8787 },
  token: { kind: 'text', text: 'The bearer token that it accepts', default: 'sandbox' },
  latency: { kind: 'number', least: 0, text: 'Milliseconds before each answer', default: 0 },
  rateLimit: { kind: 'number', text: 'Calls per second; above it, 429 with Retry-After' },
  fail: { ...shareOfCalls, text: 'Share of calls (0 to 1) that are answered with 500' },
  drop: { ...shareOfCalls, text: 'Share of calls whose record is made and whose connection is cut' },
  seed: { kind: 'count', least: 0, text: 'Makes `--fail` and `--drop` repeatable', default: 1 },
  data: { kind: 'path', text: 'A file that keeps the records when the sandbox ends' },
} as const satisfies Options
