import type { Options } from './options.ts'

/** Takes one value, which may be a lone dash. */
const value = { type: 'string' } as const
const path = { ...value, isPath: true } as const

export const lockTimeoutWords =
  "Seconds that another run's lock must stand still before it is taken over; more on network file systems"

/** The options of `rowlift import` (DESIGN 1); values are checked by import-settings.ts. */
export const importOptions = {
  mapping: {
    alias: 'm',
    ...path,
    describe: 'The mapping file, YAML or JSON, or preset:NAME',
    group: 'What:',
  },
  plan: {
    ...path,
    describe:
      'Instead of sources: a migration as one file, whose steps each have source, mapping and results',
    group: 'What:',
  },
  results: {
    alias: 'o',
    ...path,
    describe: 'The result log; - writes to stdout, and then nothing can be resumed',
    defaultDescription: '<source>.results.ndjson',
    group: 'What:',
  },
  'dry-run': { type: 'boolean', describe: 'Read, map, check and predict; send nothing', group: 'What:' },
  preview: {
    ...path,
    describe: "In a dry run: every row's fate as NDJSON; - for stdout",
    group: 'What:',
  },
  limit: { ...value, describe: 'Send at most so many rows, for a first careful bite', group: 'What:' },
  config: {
    ...path,
    describe: 'A settings file, YAML or JSON, with these options as keys, and responses:',
    group: 'What:',
  },

  rejects: {
    ...path,
    describe: 'The rows that are invalid or failed, to be mended and imported: a file like the source',
    group: 'What else is written:',
  },
  report: {
    ...path,
    describe: 'A page to look at: what became of the rows, why, and what to do (HTML)',
    group: 'What else is written:',
  },
  summary: {
    ...path,
    describe: 'At the end: what the run came to, as one JSON object; - for stdout',
    group: 'What else is written:',
  },
  metrics: {
    ...path,
    describe: "At the end: the same in figures, for Prometheus' textfile collector (name it *.prom)",
    group: 'What else is written:',
  },

  'base-url': { ...value, describe: 'The service, such as https://api.example.com', group: 'Service:' },
  'api-version': { ...value, describe: 'Its version', defaultDescription: '1.0', group: 'Service:' },
  'organization-id': {
    ...value,
    describe: 'The organization that gets the records',
    group: 'Service:',
  },
  'token-file': {
    ...path,
    describe: 'The file that holds the bearer token; else it is taken from ROWLIFT_TOKEN',
    group: 'Service:',
  },
  'allow-http': {
    type: 'boolean',
    describe: 'Let http:// addresses be used beyond this machine',
    group: 'Service:',
  },
  'use-created': {
    type: 'boolean',
    describe: 'Ask for a similar contact instead of a new one, or (--no-use-created) not',
    defaultDescription: 'as the mapping says',
    group: 'Service:',
  },

  delivery: {
    ...value,
    describe: 'at-most-once, or at-least-once, as contacts with use_created get it',
    defaultDescription: 'by the mapping',
    group: 'Delivery:',
  },
  'in-doubt': {
    ...value,
    describe: 'hold or (at-least-once) resend rows that an earlier run left in doubt',
    defaultDescription: 'by the delivery',
    group: 'Delivery:',
  },
  concurrency: {
    alias: 'c',
    ...value,
    describe: 'Most calls in flight',
    defaultDescription: '10',
    group: 'Delivery:',
  },
  rate: { ...value, describe: 'Most calls started per second, retries included', group: 'Delivery:' },
  retries: {
    ...value,
    describe: 'Further attempts after the first',
    defaultDescription: '5',
    group: 'Delivery:',
  },
  timeout: { ...value, describe: 'Seconds for one attempt', defaultDescription: '120', group: 'Delivery:' },
  'max-failures': {
    ...value,
    describe: 'Stop past so many bad rows, N or N% (a share counts from row 100 on)',
    group: 'Delivery:',
  },
  'lock-timeout': {
    ...value,
    describe: lockTimeoutWords,
    defaultDescription: '5',
    group: 'Delivery:',
  },

  format: { ...value, describe: 'csv or ndjson', defaultDescription: 'by file name', group: 'Source:' },
  delimiter: {
    ...value,
    describe: 'What separates cells; \\t is a tab',
    defaultDescription: 'by file name',
    group: 'Source:',
  },
  encoding: {
    ...value,
    describe: 'Such as windows-1252; a byte-order mark wins',
    defaultDescription: 'utf-8',
    group: 'Source:',
  },

  quiet: {
    type: 'boolean',
    describe: 'Say nothing when all went well (exit code 0), else what happened and what to do',
    group: 'Logs:',
  },
  'log-level': {
    ...value,
    describe: 'trace, debug, info, warn, error, fatal or silent',
    defaultDescription: 'info',
    group: 'Logs:',
  },
  'log-format': {
    ...value,
    describe: 'pretty or json',
    defaultDescription: 'pretty on a terminal, else json',
    group: 'Logs:',
  },
} as const satisfies Options
