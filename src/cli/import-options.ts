import type { Options } from 'yargs'

/** Takes one value, which may be a lone dash. */
const value = { type: 'string', nargs: 1 } as const

/** The options of `rowlift import` (DESIGN 1), as yargs shows them; values are checked by import-settings.ts. */
export const importOptions = {
  mapping: {
    alias: 'm',
    ...value,
    describe: 'The mapping file, YAML or JSON, or preset:NAME',
    group: 'What:',
  },
  results: {
    alias: 'o',
    ...value,
    describe:
      'The result log; - writes to stdout, and then nothing can be resumed  [default: <source>.results.ndjson]',
    group: 'What:',
  },
  'dry-run': { type: 'boolean', describe: 'Read, map, check and predict; send nothing', group: 'What:' },
  preview: {
    ...value,
    describe: "In a dry run: every row's fate as NDJSON; - for stdout",
    group: 'What:',
  },
  limit: { ...value, describe: 'Send at most so many rows, for a first careful bite', group: 'What:' },
  config: {
    ...value,
    describe: 'A settings file, YAML or JSON, with these options as keys, and responses:',
    group: 'What:',
  },

  report: {
    ...value,
    describe: 'A page to look at: what became of the rows, why, and what to do (HTML)',
    group: 'What else is written:',
  },

  'base-url': { ...value, describe: 'The service, such as https://api.example.com', group: 'Service:' },
  'api-version': { ...value, describe: 'Its version  [default: 1.0]', group: 'Service:' },
  'organization-id': {
    ...value,
    describe: 'The organization that gets the records',
    group: 'Service:',
  },
  'token-file': {
    ...value,
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
    describe:
      'Ask for a similar contact instead of a new one, or (--no-use-created) not  [default: as the mapping says]',
    group: 'Service:',
  },

  delivery: {
    ...value,
    describe:
      'at-most-once or at-least-once  [default: at-least-once for contacts with use_created, else at-most-once]',
    group: 'Delivery:',
  },
  'in-doubt': {
    ...value,
    describe:
      'hold or resend rows that an earlier run left in doubt  [default: resend if at-least-once, else hold]',
    group: 'Delivery:',
  },
  concurrency: {
    alias: 'c',
    ...value,
    describe: 'Most calls in flight  [default: 10]',
    group: 'Delivery:',
  },
  rate: { ...value, describe: 'Most calls started per second, retries included', group: 'Delivery:' },
  retries: { ...value, describe: 'Further attempts after the first  [default: 5]', group: 'Delivery:' },
  timeout: { ...value, describe: 'Seconds for one attempt  [default: 120]', group: 'Delivery:' },
  'max-failures': {
    ...value,
    describe: 'Stop past so many bad rows, N or N% (a share counts from row 100 on)',
    group: 'Delivery:',
  },

  format: { ...value, describe: 'csv or ndjson  [default: by file name]', group: 'Source:' },
  delimiter: {
    ...value,
    describe: 'What separates cells; \\t is a tab  [default: by file name]',
    group: 'Source:',
  },
  encoding: {
    ...value,
    describe: 'Such as windows-1252; a byte-order mark wins  [default: utf-8]',
    group: 'Source:',
  },

  'log-level': {
    ...value,
    describe: 'trace, debug, info, warn, error, fatal or silent  [default: info]',
    group: 'Logs:',
  },
  'log-format': {
    ...value,
    describe: 'pretty or json  [default: pretty on a terminal, else json]',
    group: 'Logs:',
  },
} as const satisfies Readonly<Record<string, Options>>
