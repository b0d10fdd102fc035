import type { Options } from 'yargs'
import { importOptions } from './import-options.ts'

const { format, delimiter, encoding } = importOptions
const found = <O extends { readonly describe: string }>(option: O) => ({
  ...option,
  describe: option.describe.replace(/ {2}\[default: .*\]$/, '  [default: found out]'),
})

/** The options of `rowlift init` (DESIGN 1), as yargs shows them. */
export const initOptions = {
  output: {
    alias: 'o',
    type: 'string',
    nargs: 1,
    describe: 'Where the mapping is written; a file that is there is left alone  [default: standard output]',
  },
  record: { type: 'string', nargs: 1, describe: 'contact or task  [default: found out]' },
  format: found(format),
  delimiter: found(delimiter),
  encoding: found(encoding),
} as const satisfies Readonly<Record<string, Options>>
