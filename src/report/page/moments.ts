/** To what a time is told, beyond its minute. */
export type Exactness = 'seconds' | 'tenths'

/**
 * A time as people read it: `21 Nov 2026, 09:12`, or more exact. Without a zone it is told in that of the reader. A text that
 * is no time stays as it is.
 */
export function momentIn(at: string, zone: string | undefined, exact?: Exactness): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(exact !== undefined && { second: '2-digit' }),
    ...(exact === 'tenths' && { fractionalSecondDigits: 1 }),
    ...(zone !== undefined && { timeZone: zone }),
  }).format(date)
}
