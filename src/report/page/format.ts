// Words, counts and times, as the page and its script write them.
import { grouped } from '../numbers.ts'

/** The names of statuses; each has a mark and a colour in page.css. */
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

/** `1 step`, `3 steps`. */
export const counted = (count: number, one: string, many: string): string =>
  `${grouped(count)} ${count === 1 ? one : many}`

/** `1 row`, `1,204 rows`. */
export const rows = (count: number): string => counted(count, 'row', 'rows')

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const day = { day: 'numeric', month: 'short' } as const
const minutes = { hour: '2-digit', minute: '2-digit' } as const
const seconds = { ...minutes, second: '2-digit' } as const
const tenths = { ...seconds, fractionalSecondDigits: 1 } as const
const timeFormats = {
  minutes: { ...day, year: 'numeric', ...minutes },
  seconds: { ...day, year: 'numeric', ...seconds },
  tenths: { ...day, year: 'numeric', ...tenths },
  /** Short ones, for an axis. */
  day: { ...day, ...minutes },
  clock: seconds,
  clock_tenths: tenths,
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type TimeFormat = keyof typeof timeFormats

/** `21 Nov 2026, 09:12`, in the reader's time zone unless one is given. A text that is not a time stays as it is. */
export function momentIn(at: string, timeZone: string | undefined, format: TimeFormat = 'minutes'): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return new Intl.DateTimeFormat('en-GB', { ...timeFormats[format], timeZone }).format(date)
}
