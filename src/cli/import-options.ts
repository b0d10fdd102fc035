import type { Options } from 'yargs'

/** The options of `rowlift import` (DESIGN 1), as yargs shows them; values are checked by import-settings.ts. */
export const importOptions = {
  mapping: { alias: 'm', type: 'string', describe: 'The mapping file, YAML or JSON', group: 'What:' },
  results: {
    alias: 'o',
    type: 'string',
    describe:
      'The result log; - writes to stdout, and then nothing can be resumed  [default: <source>.results.ndjson]',
    group: 'What:',
  },
  'dry-run': { type: 'boolean', describe: 'Read, map, check and predict; send nothing', group: 'What:' },
  preview: {
    type: 'string',
    describe: "In a dry run: every row's fate as NDJSON; - for stdout",
    group: 'What:',
  },
  limit: { type: 'string', describe: 'Send at most so many rows, for a first careful bite', group: 'What:' },
  config: {
    type: 'string',
    describe: 'A settings file, YAML or JSON, with these options as keys',
    group: 'What:',
  },

  'base-url': { type: 'string', describe: 'The service, such as https://api.example.com', group: 'Service:' },
  'api-version': { type: 'string', describe: 'Its version  [default: 1.0]', group: 'Service:' },
  'organization-id': {
    type: 'string',
    describe: 'The organization that gets the records',
    group: 'Service:',
  },
  'token-file': {
    type: 'string',
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
    type: 'string',
    describe:
      'at-most-once or at-least-once  [default: at-least-once for contacts with use_created, else at-most-once]',
    group: 'Delivery:',
  },
  'in-doubt': {
    type: 'string',
    describe:
      'hold or resend rows that an earlier run left in doubt  [default: resend if at-least-once, else hold]',
    group: 'Delivery:',
  },
  concurrency: {
    alias: 'c',
    type: 'string',
    describe: 'Most calls in flight  [default: 10]',
    group: 'Delivery:',
  },
  rate: { type: 'string', describe: 'Most calls started per second, retries included', group: 'Delivery:' },
  retries: { type: 'string', describe: 'Further attempts after the first  [default: 5]', group: 'Delivery:' },
  timeout: { type: 'string', describe: 'Seconds for one attempt  [default: 120]', group: 'Delivery:' },
  'max-failures': {
    type: 'string',
    describe: 'Stop past so many bad rows, N or N% (a share counts from row 100 on)',
    group: 'Delivery:',
  },

  format: { type: 'string', describe: 'csv or ndjson  [default: by file name]', group: 'Source:' },
  delimiter: {
    type: 'string',
    describe: 'What separates cells; \\t is a tab  [default: by file name]',
    group: 'Source:',
  },
  encoding: {
    type: 'string',
    describe: 'Such as windows-1252; a byte-order mark wins  [default: utf-8]',
    group: 'Source:',
  },

  'log-level': {
    type: 'string',
    describe: 'trace, debug, info, warn, error, fatal or silent  [default: info]',
    group: 'Logs:',
  },
  'log-format': {
    type: 'string',
    describe: 'pretty or json  [default: pretty on a terminal, else json]',
    group: 'Logs:',
  },
} as const satisfies Readonly<Record<string, Options>>

export type ImportOption = keyof typeof importOptions
