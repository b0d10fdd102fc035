import { importOptions } from '../../app/import-options.ts'
import type { Option, Options } from '../../app/options.ts'

const { format, delimiter, encoding } = importOptions
const found = <O extends Option>(option: O) => ({ ...option, defaultDescription: 'found out' })

/** The options of `rowlift init` (DESIGN 1). */
export const initOptions = {
  output: {
    alias: 'o',
    type: 'string',
    isPath: true,
    describe: 'Where the mapping is written; one that is there is never written over',
    defaultDescription: 'standard output',
  },
  record: { type: 'string', describe: 'contact or task', defaultDescription: 'found out' },
  format: found(format),
  delimiter: found(delimiter),
  encoding: found(encoding),
} as const satisfies Options
