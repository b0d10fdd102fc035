import { grouped, spanOf } from '../numbers.ts'

/** `1 row`, `1,204 rows`. */
export const rows = (count: number): string => counted(count, 'row', 'rows')

/** `1 step`, `3 steps`. */
export const counted = (count: number, one: string, many: string): string =>
  `${grouped(count)} ${count === 1 ? one : many}`

/** `1 row has its record`, `1,204 rows have their record`. */
export const withRecord = (count: number): string =>
  count === 0 ? 'no row has its record' : `${rows(count)} ${count === 1 ? 'has its' : 'have their'} record`

/** `3 need attention`. */
export const needing = (count: number): string =>
  `${grouped(count)} ${count === 1 ? 'needs' : 'need'} attention`

/** A sentence begins with a capital. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Milliseconds as people read them, also few of them: 87 ms, 1.2 s, 3 min 20 s. */
export const shortSpan = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : spanOf(ms).replace('.0 s', ' s')

/** How a status is called, and with it the mark that stands before it. */
export const statusWords = {
  created: 'created',
  existing: 'existing',
  invalid: 'invalid',
  failed: 'failed',
  in_doubt: 'in doubt',
  duplicate: 'duplicate',
  valid: 'would be sent',
} as const

export type MarkedStatus = keyof typeof statusWords
