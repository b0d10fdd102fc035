import type { Options } from 'yargs'
import { importOptions } from './import-options.ts'

const { format, delimiter, encoding } = importOptions
const found = <O extends Options>(option: O) => ({ ...option, defaultDescription: 'found out' })

/** The options of `rowlift init` (DESIGN 1), as yargs shows them. */
export const initOptions = {
  output: {
    alias: 'o',
    type: 'string',
    nargs: 1,
    describe: 'Where the mapping is written; one that is there is never written over',
    defaultDescription: 'standard output',
  },
  record: { type: 'string', nargs: 1, describe: 'contact or task', defaultDescription: 'found out' },
  format: found(format),
  delimiter: found(delimiter),
  encoding: found(encoding),
} as const satisfies Readonly<Record<string, Options>>
