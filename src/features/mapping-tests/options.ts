import type { Options } from '../../settings/option-values.ts'
import { flag } from '../../settings/options.ts'

export const testOptions = {
  watch: { ...flag, text: 'Go on, and run the tests again when a mapping is saved' },
  update: {
    ...flag,
    text: 'Write into each mapping what its failed tests received, in place of what they expect',
  },
} as const satisfies Options
