/** A count as people read it: 1,234,567. */
export const grouped = (count: number): string => count.toLocaleString('en')

/** Milliseconds as people read them: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min. */
export function spanOf(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Rows per second: 0.4, 12.3, 1,204. */
export function perSecond(count: number, ms: number): string {
  const rate = ms > 0 ? (count * 1000) / ms : 0
  return rate < 100 ? rate.toFixed(1) : grouped(Math.round(rate))
}
