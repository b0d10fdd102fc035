/**
 * A time as people read it: `21 Nov 2026, 09:12`, `exact` with seconds. Without a zone it is told in that of the reader. A
 * text that is no time stays as it is.
 */
export function momentIn(at: string, zone: string | undefined, exact = false): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(exact && { second: '2-digit' }),
    ...(zone !== undefined && { timeZone: zone }),
  }).format(date)
}
