import type { Options } from '../../settings/option-values.ts'

export const pageOptions = {
  port: { kind: 'count', least: 0, most: 65_535, text: 'The port; 0 takes any free one', default: 0 },
  open: { kind: 'flag', text: 'Opens the page in the browser', default: true },
} as const satisfies Options
