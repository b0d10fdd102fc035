import { type Exactness, momentIn } from '../moments.ts'

/** Tells a time in the reader's own zone. */
export const tellLocally = (time: HTMLTimeElement): void => {
  time.textContent = momentIn(time.dateTime, undefined, time.dataset.exact as Exactness | undefined)
}

/** Tells all times so, and which zone that is. */
export function tellTimesLocally(): void {
  for (const time of document.querySelectorAll('time')) tellLocally(time)
  for (const zone of document.querySelectorAll<HTMLElement>('[data-zone]'))
    zone.textContent = offsetName(new Date(zone.dataset.zone ?? ''))
}

/** `UTC+01:00`. */
function offsetName(date: Date): string {
  const minutes = -date.getTimezoneOffset() || 0
  if (minutes === 0) return 'UTC'
  const two = (count: number) => String(Math.floor(count)).padStart(2, '0')
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
}
