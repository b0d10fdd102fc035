// Numbers, times and statuses as people of the browser's language write them.
import type { Status } from '../../../result/row-counts.ts'
import { language, text } from './texts.ts'

const numbers = new Intl.NumberFormat(navigator.language)
const times = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeStyle: 'short' })

export const number = (value: number): string => numbers.format(value)
export const time = (iso: string): string => times.format(new Date(iso))
export const rowTitle = ({ row, line }: { row: number; line: number | null }): string =>
  line === null ? `${text('row_number')} ${row}` : text('row_title', { row, line })
export const statusText = (status: string): string => text(`status_${status as Status}`)

/** A time that is left, in seconds, minutes or hours. */
export function duration(seconds: number): string {
  const unit = seconds < 90 ? 'second' : seconds < 5_400 ? 'minute' : 'hour'
  const value = Math.ceil(seconds / { second: 1, minute: 60, hour: 3_600 }[unit])
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
