const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

const steps = [
  ...[100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map(hours => hours * hourMs),
  ...[1, 2, 7, 14, 28].map(days => days * dayMs),
]
const longestMs = 28 * dayMs

/** Slices of a time, and how many of them may have a label. */
export interface SlicesOfTime {
  readonly startMs: number
  readonly sliceMs: number
  readonly count: number
  readonly most: number
}

/** What stands below slices: each one's start where they are few, else the round times that fall into them, in local time. */
export function roundTimes({ startMs, sliceMs, count, most }: SlicesOfTime): (string | undefined)[] {
  const all = Array.from({ length: count }, (_, at) => startMs + at * sliceMs)
  if (count <= most) return all.map(ms => clockTime(ms, sliceMs))
  const leastMs = (count * sliceMs) / most
  const stepMs =
    steps.find(step => step >= sliceMs && step >= leastMs) ?? Math.ceil(leastMs / longestMs) * longestMs
  return all.map(ms => {
    const roundMs = Math.ceil((ms + offsetMs(ms)) / stepMs) * stepMs - offsetMs(ms)
    return roundMs < ms + sliceMs ? clockTime(roundMs, stepMs) : undefined
  })
}

const offsetMs = (ms: number) => -new Date(ms).getTimezoneOffset() * minuteMs

/** As exact as a step needs; midnight is told by its day. */
export function clockTime(ms: number, stepMs: number): string {
  const date = new Date(ms)
  const isDay = stepMs >= minuteMs && (ms + offsetMs(ms)) % dayMs === 0
  if (isDay || stepMs >= dayMs) return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return date.toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(stepMs < minuteMs && { second: '2-digit' }),
    ...(stepMs < secondMs && { fractionalSecondDigits: 1 }),
  })
}
