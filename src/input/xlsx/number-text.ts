import type { NumberStyle } from './number-style.ts'

/** Days count from here; 1904 in workbooks that began on an old Macintosh. */
export type Epoch = 1900 | 1904

const dayMs = 86_400_000
const mostDays = 2_958_466 // up to the year 9999

/** A number as its style means it: a date or time, or its full decimal form. What is no number stays as it is. */
export function numberText(stored: string, style: NumberStyle | undefined, epoch: Epoch): string {
  const number = isNumber.test(stored) ? Number(stored) : Number.NaN
  if (!Number.isFinite(number)) return stored
  const isTime = style !== undefined && number >= 0 && number < mostDays
  return isTime ? timeText(number, style, epoch) : decimalText(stored, number)
}

const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** As few digits as tell the number from others, without an exponent. Whole numbers keep those that are stored. */
function decimalText(stored: string, number: number): string {
  if (/^\d+$/.test(stored)) return stored.replace(/^0+(?=\d)/, '')
  const shown = String(number)
  const [, sign = '', first = '', rest = '', power = ''] = /^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(shown) ?? []
  if (power === '') return shown
  const digits = first + rest
  return Number(power) < 0
    ? `${sign}0.${'0'.repeat(-Number(power) - 1)}${digits}`
    : sign + digits.padEnd(Number(power) + 1, '0')
}

/** Seconds are rounded where the style does not show fractions. A style that has only a date leaves out the time. */
function timeText(number: number, { day, time, elapsed, fraction }: NumberStyle, epoch: Epoch): string {
  const ms = time && !fraction ? Math.round(number * 86_400) * 1000 : Math.round(number * dayMs)
  if (elapsed) return `${Math.floor(ms / 3_600_000)}`.padStart(2, '0') + clockText(ms, fraction).slice(2)
  const date = day && dateText(Math.floor(ms / dayMs), epoch)
  return [date, time && clockText(ms, fraction)].filter(Boolean).join('T')
}

const clockText = (ms: number, fraction: boolean) =>
  new Date(ms % dayMs).toISOString().slice(11, fraction ? 23 : 19)

/** Spreadsheets have a 29 February 1900, which never was, as day 60, and call day 0 January 0. */
function dateText(days: number, epoch: Epoch): string {
  if (epoch === 1904) return dayOf(Date.UTC(1904, 0, 1) + days * dayMs)
  if (days === 0) return '1900-01-00'
  if (days === 60) return '1900-02-29'
  return dayOf(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * dayMs)
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The same for ISO 8601, which strict workbooks may hold. */
export function isoText(stored: string, style: NumberStyle | undefined): string {
  const [, day = '', clock = '00:00'] =
    /^(\d{4}-\d\d-\d\d)?T?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?Z?$/.exec(stored) ?? []
  const exactly = Date.parse(`${day || '2000-01-01'}T${clock}Z`)
  if (stored === '' || Number.isNaN(exactly)) return stored
  const shows =
    style?.day || style?.time ? style : { day: true, time: !/^[0:.]+$/.test(clock), fraction: false }
  const ms = shows.fraction || !shows.time ? exactly : Math.round(exactly / 1000) * 1000
  const date = day !== '' && shows.day && dayOf(ms)
  return [date, (shows.time || day === '') && clockText(ms, shows.fraction)].filter(Boolean).join('T')
}
