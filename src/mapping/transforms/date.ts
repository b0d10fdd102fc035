import type { DateTime, IANAZone } from 'luxon'
import { type Problem, problem } from '../../model/problem.ts'
import { luxon } from '../libraries.ts'
import { type DateReading, dateReader } from './date-formats.ts'
import { onText, type Transform } from './transform.ts'

export interface DateSettings {
  /** Tried in this order. */
  readonly formats: readonly string[]
  /** The IANA zone of wall-clock times, and the one in which an instant is a date. */
  readonly zone: string | undefined
  /** The language of month and day names. */
  readonly locale: string
}

/** Whether a zone is in the IANA data that this Node carries. */
export const isKnownZone = (zone: string): boolean => luxon().IANAZone.isValidZone(zone)

const startOfDay = (at: DateTime) => `${at.toISODate()}T00:00:00`
const wallClock = (at: DateTime) => at.toISO({ suppressMilliseconds: true, includeOffset: false })
const inUtc = (ms: number) =>
  luxon().DateTime.fromMillis(ms, { zone: 'utc' }).toISO({ suppressMilliseconds: true })

/** Reads a date, and gives the start of that day: `2026-10-05T00:00:00`, whatever zone the job runs in. */
export function dateTransform(settings: DateSettings): Transform {
  const { zone } = settings
  return reading(settings, ({ at, hasOffset }) => startOfDay(hasOffset && zone ? at.setZone(zone) : at))
}

/** Reads a date with its time: UTC with a Z where the instant is known, else the wall clock without a mark. */
export function datetimeTransform(settings: DateSettings): Transform {
  const zone = settings.zone === undefined ? undefined : luxon().IANAZone.create(settings.zone)
  return reading(settings, ({ at, hasOffset, hasTime }) => {
    if (hasOffset) return inUtc(at.toMillis())
    if (!hasTime) return startOfDay(at)
    return zone === undefined ? wallClock(at) : instantIn(zone, at.toMillis())
  })
}

function reading({ formats, locale }: DateSettings, write: (reading: DateReading) => unknown): Transform {
  const readers = formats.map(format => dateReader(format, locale))
  return onText(text => {
    for (const read of readers) {
      const found = read(text)
      if (found !== undefined) return write(found)
    }
    return problem('not_date', { formats })
  })
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** The instant of a wall-clock time, given as if it were UTC; a Problem where the zone has none or two of it. */
function instantIn(zone: IANAZone, wallMs: number): string | null | Problem {
  const offsets = [zone.offset(wallMs - dayMs), zone.offset(wallMs + dayMs)]
  const [first = wallMs, second = first] = offsets.map(offset => wallMs - offset * minuteMs)
  const real = [first, second].filter(ms => wallMs - zone.offset(ms) * minuteMs === ms)
  if (real.length === 0)
    return problem('gap_in_zone', {
      zone: zone.name,
      before: String(inUtc(second)),
      after: String(inUtc(first)),
    })
  if (real.length === 2 && first !== second)
    return problem('twice_in_zone', {
      zone: zone.name,
      first: String(inUtc(first)),
      second: String(inUtc(second)),
    })
  return inUtc(real[0] ?? wallMs)
}
