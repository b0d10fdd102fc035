import { formats } from '../model/format.ts'
import type { Option, Options } from './option-values.ts'

/** The seconds without a heartbeat after which a lock is stale. */
export const lockTimeout = {
  kind: 'number',
  most: 3_600,
  default: 5,
  text: "Seconds without a heartbeat after which another run's lock is stale; more on network file systems",
} as const satisfies Option

type InGroup<C, T> = { readonly [N in keyof T]: Omit<C, keyof T[N]> & T[N] }

/** Adds common properties to options; an option's own ones win. */
const group =
  <const C extends Partial<Option>>(common: C) =>
  <const T extends Readonly<Record<string, Partial<Option>>>>(options: T) =>
    Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, { ...common, ...option }]),
    ) as unknown as InGroup<C, T>

/** An option of the command for one run: no step of a plan has it, and no program. */
const ofCommand = { inPlan: 'never', isForCommand: true } as const

const what = group({ group: 'What', kind: 'path' })
const alsoWritten = group({ group: 'Also written', kind: 'path' })
const atTheEnd = group({ group: 'Also written', kind: 'path', inPlan: 'common', isForCommand: true })
const service = group({ group: 'Service' })
const delivery = group({ group: 'Delivery' })
const existing = group({ group: 'Export of the service', inPlan: 'step' })
const machines = group({ group: 'Several machines', ...ofCommand })
const expectations = group({ group: 'Expectations', kind: 'rows_or_share' })
const source = group({ group: 'Source', inPlan: 'step' })
const logs = group({ group: 'Logs', inPlan: 'common', isForCommand: true })

/** The address of an import of several machines. */
export const ledgerOptions = {
  ledger: {
    kind: 'ledger',
    text: 'Instead of a result log: a PostgreSQL database that machines share, such as postgres://user@host/database; or `ROWLIFT_LEDGER`',
  },
  import: { kind: 'name', text: 'The name of the import in the ledger, the same on all machines' },
} as const satisfies Options

export const flag = { kind: 'flag', default: false } as const

/** The options that decide which findings are faults; `expect:` of a mapping has most of them too. */
export const expectationOptions = expectations({
  expectRowsMin: {
    kind: 'count',
    least: 0,
    text: 'Fewer rows than this end with exit code 1',
    defaultText: "the mapping's, else 1",
  },
  expectRowsOfLast: {
    kind: 'share',
    text: 'A smaller share than this of the rows of the last run that met its expectations ends with exit code 1; 0% switches it off',
    defaultText: "the mapping's, else more than half",
  },
  acceptFewer: {
    ...flag,
    text: 'For one run: fewer rows than expected are right, and the next run is measured by this one',
    inPlan: 'never',
  },
  expectMerged: {
    text: 'So many rows may get the record of another row, N or N%; more end with exit code 1',
    defaultText: "the mapping's, else 0",
  },
  expectConflicts: {
    text: 'So many rows may have the key of another row and differ from it, N or N%; more end with exit code 1',
    defaultText: "the mapping's, else 0",
  },
  expectChanged: {
    text: 'So many rows that have their record may read differently now, N or N%; more end with exit code 1',
  },
  expectUnclear: {
    text: 'So many rows may be sent again after an unclear answer, and so perhaps made twice, N or N%; more end with exit code 1',
    defaultText: "the mapping's, else 0",
  },
  expectOmitted: {
    kind: 'share',
    most: 100,
    text: 'When more than this share of the values of a column are left out, the exit code is 1',
  },
  expectKept: {
    kind: 'share',
    most: 100,
    text: 'When more than this share of the values of a column are sent as they are, the exit code is 1',
  },
  expectInvalid: {
    text: 'So many rows may be invalid, N or N%, and the exit code is still 0',
  },
  expectAnswers: {
    kind: 'choice',
    values: ['told', 'complete'],
    text: 'With `complete`, the exit code is 1 when answers lack fields that were sent',
    defaultText: "the mapping's, else told",
  },
  knownRejects: {
    kind: 'choice',
    values: ['report', 'accept'],
    text: 'With `accept`, rows that were refused before and read the same do not change the exit code',
    default: 'report',
  },
})

export const importOptions = {
  ...what({
    mapping: { alias: 'm', text: 'The mapping file, YAML or JSON, or `preset:NAME`', inPlan: 'step' },
    plan: {
      text: 'Instead of sources: a migration as one file, whose steps each have a source and a mapping',
      ...ofCommand,
    },
    results: {
      alias: 'o',
      text: 'Where the result log is written; `-` for stdout, and then nothing can be resumed. Required with standard input, and for a preset if stderr is not a terminal',
      defaultText: '<mapping>.results.ndjson beside the mapping, or beside the first source of a preset',
      inPlan: 'step',
    },
    newLog: {
      ...flag,
      text: 'Begin a result log, or with `--ledger` an import, although another one has records of these rows',
    },
    allNew: {
      ...flag,
      text: 'Go on although the log has records and, without `key:`, knows none of the first 1,000 rows',
    },
    changedRows: {
      ...flag,
      text: 'Go on although nearly all of the first 1,000 rows that have their record read differently than those that made it',
    },
    respelled: {
      kind: 'choice',
      values: ['same', 'new'],
      text: 'Rows that the log may know under another name: `same` gives them the record, `new` sends them',
      defaultText: "the mapping's, else held",
    },
    openQuestions: {
      kind: 'choice',
      values: ['refuse', 'accept'],
      default: 'refuse',
      text: 'With `accept`, rows are sent although the mapping has lines that begin with `# ?`, the open questions of a draft',
    },
    renamed: {
      kind: 'pairs',
      placeholder: 'OLD=NEW',
      text: 'A column by which rows were named has another name now; once or several times, and kept in the log',
      inPlan: 'step',
    },
    dryRun: { ...flag, text: 'Read, map, check and predict; send nothing', inPlan: 'never' },
    watch: {
      ...flag,
      text: 'In a dry run: go on, and show what each change of the mapping changes in the bodies of the first 1,000 rows',
      ...ofCommand,
    },
    preview: {
      text: 'In a dry run: each row that `where` selects, with its body or errors, as NDJSON; `-` for stdout',
      inPlan: 'step',
    },
    limit: { kind: 'count', least: 1, text: 'Send at most so many rows' },
    config: {
      text: 'A settings file, YAML or JSON, with these options as keys, and `responses`; paths in it are relative to it',
      ...ofCommand,
    },
  }),
  ...alsoWritten({
    rejects: {
      text: 'Rows that are invalid or failed, to fix and re-import: a file like the source',
      inPlan: 'step',
    },
    changes: {
      not: '-',
      text: 'Rows that have their record and read differently now, to change by hand: CSV, also in a dry run',
      inPlan: 'step',
    },
    previous: {
      not: '-',
      text: 'With `--changes`: the last export, which tells the columns that changed and what they were',
      inPlan: 'step',
    },
    approval: {
      not: '-',
      text: 'In a dry run: what was checked, to be reviewed. In an import: only what was approved in this file is done',
      ...ofCommand,
    },
  }),
  ...atTheEnd({
    report: { text: 'An HTML page: what became of the rows, why, and what to do' },
    summary: { text: 'At the end: the result of the run as one JSON object; `-` for stdout' },
    worksheets: {
      not: '-',
      placeholder: 'FOLDER',
      text: 'A folder of small tables to fill in: words, people and parents that no table has yet; what is filled in stays as it is',
    },
    metrics: {
      not: '-',
      text: "At the end: the same as figures for Prometheus' textfile collector, in a file named *.prom",
    },
  }),
  ...service({
    baseUrl: {
      kind: 'url',
      text: 'The service, such as https://api.example.com. Required, except in a dry run',
    },
    apiVersion: { kind: 'version', text: 'Its version', default: '1.0' },
    organizationId: {
      kind: 'count',
      least: 0,
      most: Number.MAX_SAFE_INTEGER,
      text: 'The organization that gets the records. Required, except in a dry run',
    },
    tokenFile: {
      kind: 'path',
      text: 'The file that holds the bearer token; otherwise `ROWLIFT_TOKEN` is used',
    },
    tokenCommand: {
      kind: 'text',
      placeholder: 'CMD',
      text: 'A program that prints the bearer token, with its arguments; it runs without a shell, and again when the token is refused',
    },
    allowHttp: { ...flag, text: 'Allow http:// addresses beyond this machine' },
    useCreated: {
      kind: 'flag',
      text: 'Ask the service for a similar contact instead of a new one, or (`--no-use-created`) not',
      defaultText: 'as the mapping says',
    },
  }),
  ...existing({
    existing: { kind: 'path', not: '-', text: 'An export of the service: rows that it has are not sent' },
    id: { kind: 'text', placeholder: 'COLUMN', text: 'The column of the export with the ids of the records' },
    match: {
      kind: 'pairs',
      placeholder: 'COLUMN=PATH',
      text: 'A column of the export and the field of the body that it shows, such as `Email=emails.0.email`; once or several times',
    },
    country: { kind: 'text', placeholder: 'CODE', text: 'Of phone numbers without one in the export: GB' },
  }),
  ...delivery({
    delivery: {
      kind: 'choice',
      placeholder: 'MODE',
      values: ['at-most-once', 'at-least-once'],
      text: 'What to do when a call gets no answer',
      defaultText: 'by the mapping',
    },
    inDoubt: {
      kind: 'choice',
      values: ['hold', 'resend'],
      text: 'What to do with rows that an earlier run left in doubt',
      defaultText: 'by the delivery',
    },
    concurrency: {
      kind: 'count',
      least: 1,
      most: 1000,
      alias: 'c',
      text: 'Most calls in flight, up to 1000',
      default: 10,
    },
    rate: { kind: 'number', text: 'Most calls started per second, retries included' },
    retries: { kind: 'count', least: 0, text: 'Further attempts after the first', default: 5 },
    timeout: {
      kind: 'number',
      most: 2_147_483, // the longest that a timer of Node waits
      text: 'Seconds for one attempt; a short timeout creates doubt, not speed',
      default: 120,
    },
    waitForService: {
      kind: 'duration',
      text: 'Wait for a service that is down instead of giving up: 2h, 30m, 90s',
      defaultText: 'not at all',
    },
    maxFailures: {
      kind: 'rows_or_share',
      text: 'Stop when more rows than this are invalid, failed or in doubt; a share counts from row 100 on',
    },
    lockTimeout,
    nearDuplicates: {
      kind: 'choice',
      placeholder: 'MODE',
      values: ['off', 'report', 'hold'],
      text: 'Rows that are like an earlier one, by e-mail, phone or name: tell them, or refuse them as invalid',
      defaultText: 'report in a dry run, else off',
    },
  }),
  ...machines({
    ...ledgerOptions,
    lease: {
      kind: 'number',
      least: 2,
      most: 3_600,
      text: 'Seconds without a sign of life after which other machines take over the rows of this one',
      default: 30,
    },
    newRun: {
      ...flag,
      text: 'Begin a new run although the last one has not ended, as after a change of the mapping',
    },
  }),
  ...expectationOptions,
  ...source({
    format: { kind: 'choice', values: formats, text: 'What the source holds', defaultText: 'by file name' },
    delimiter: {
      kind: 'delimiter',
      text: 'What separates cells; `\\t` is a tab',
      defaultText: 'by file name',
    },
    encoding: {
      kind: 'encoding',
      text: 'Such as windows-1252; a byte-order mark wins',
      defaultText: 'utf-8',
    },
    trustEncoding: {
      ...flag,
      text: 'Read one-byte encodings as named, also in lookups, even if the text is UTF-8 by its bytes',
    },
  }),
  responses: {
    kind: 'rules',
    group: 'Delivery',
    text: 'What answers of the service mean, if you know it; the first rule that matches wins. Only a file can hold rules',
    default: [],
    inPlan: 'common',
  },
  ...logs({
    quiet: {
      ...flag,
      text: 'Print nothing when all went well (exit code 0), but that `--limit` ended the run; otherwise what happened and what to do',
    },
    logLevel: {
      kind: 'choice',
      placeholder: 'LEVEL',
      values: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      text: 'How much to log',
      default: 'info',
    },
    logFormat: {
      kind: 'choice',
      values: ['pretty', 'json'],
      text: 'Log lines for people or for programs',
      defaultText: 'pretty on a terminal, else json',
    },
  }),
} as const satisfies Options

const { format, delimiter, encoding } = importOptions
const detected = { defaultText: 'detected' } as const
export const json = { ...flag, text: 'Print one JSON object, for programs' } as const

/** Options for reading a file that no mapping describes. */
export const reading = {
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

/** dry-run for dryRun. */
export const flagOf = (option: string): string =>
  option.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export const optionOf = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
