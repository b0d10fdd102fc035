import type { DateTime, IANAZone } from 'luxon'
import { lazyLibrary } from '../../model/package.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { onText, type Transform } from '../scope.ts'

const luxon = lazyLibrary<typeof import('luxon')>('luxon')

interface DateReading {
  /** With its own offset, else its wall clock as if it were UTC. */
  readonly at: DateTime
  readonly hasOffset: boolean
  readonly hasTime: boolean
}

export type DateReader = (text: string) => DateReading | undefined

/** `format` is `iso`, `epoch_ms`, `epoch_s`, `excel` or Luxon tokens. */
export const dateReader = (format: string, locale: string): DateReader =>
  namedReaders.get(format) ?? tokenReader(format, locale)

const namedReaders = new Map<string, DateReader>([
  ['iso', readIso],
  ['epoch_ms', text => readEpoch(text, 1)],
  ['epoch_s', text => readEpoch(text, 1000)],
  ['excel', readExcel],
])

/** Luxon throws where tokens contradict each other, and without a year assumes this year. */
export function formatFault(format: string, locale: string): string | undefined {
  try {
    const found = dateReader(format, locale)(luxon().DateTime.utc(2000, 7).toFormat(format, { locale }))
    return found === undefined || found.at.year === 2000 ? undefined : 'it names no year'
  } catch (error) {
    return (error as Error).message
  }
}

const utc = { zone: 'utc' } as const
const keepOffset = { setZone: true, zone: 'utc' } as const
const iso = /^\d{4}-\d\d-\d\d(?:([T ])\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

function readIso(text: string): DateReading | undefined {
  const [matched, time, offset] = iso.exec(text) ?? []
  if (matched === undefined) return undefined
  const at = luxon().DateTime.fromISO(text.replace(/ /, 'T').replace(' ', ''), keepOffset)
  return at.isValid ? { at, hasOffset: offset !== undefined, hasTime: time !== undefined } : undefined
}

function readEpoch(text: string, msPerUnit: number): DateReading | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  const ms = Math.round(Number(text) * msPerUnit)
  if (Math.abs(ms) > 8.64e15) return undefined
  return { at: luxon().DateTime.fromMillis(ms, utc), hasOffset: true, hasTime: true }
}

const secondsPerDay = 86_400
const lastExcelDay = 2_958_465 // 9999-12-31

/** Days since 1899-12-30; before day 60, the 29 February 1900 that never was, since 1899-12-31. */
function readExcel(text: string): DateReading | undefined {
  const serial = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const day = Math.floor(serial)
  if (!(day >= 1 && day <= lastExcelDay) || day === 60) return undefined
  const seconds = Math.round((serial - day) * secondsPerDay)
  const start = luxon().DateTime.fromObject({ year: 1899, month: 12, day: day < 60 ? 31 : 30 }, utc)
  return { at: start.plus({ days: day, seconds }), hasOffset: false, hasTime: seconds !== 0 }
}

function tokenReader(format: string, locale: string): DateReader {
  const tokens = format.replaceAll(/'[^']*'/g, '')
  const hasOffset = /[Zz]/.test(tokens)
  const hasTime = /[HhmsSaTtFf]/.test(tokens)
  const parser = luxon().DateTime.buildFormatParser(format, { locale })
  return text => {
    const at = luxon().DateTime.fromFormatParser(text, parser, { ...keepOffset, locale })
    return at.isValid ? { at, hasOffset, hasTime } : undefined
  }
}

export interface DateSettings {
  /** Tried in this order. */
  readonly formats: readonly string[]
  /** The IANA zone of wall-clock times, and of the day of an instant. */
  readonly zone: string | undefined
  readonly locale: string
}

export const isKnownZone = (zone: string): boolean => luxon().IANAZone.isValidZone(zone)

const startOfDay = (at: DateTime) => `${at.toISODate()}T00:00:00`
const wallClock = (at: DateTime) => at.toISO({ suppressMilliseconds: true, includeOffset: false })
const inUtc = (ms: number) => luxon().DateTime.fromMillis(ms, utc).toISO({ suppressMilliseconds: true })

/** The start of a day without a zone: `2026-10-05T00:00:00`. */
export function dateTransform(settings: DateSettings): Transform {
  const { zone } = settings
  return reading(settings, ({ at, hasOffset }) => startOfDay(hasOffset && zone ? at.setZone(zone) : at))
}

/** A date with its time: in UTC with a Z where the instant is known, else without a zone. */
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

/** `wallMs` is a wall-clock time as if it were UTC; a Problem where the zone skips or repeats it. */
function instantIn(zone: IANAZone, wallMs: number): string | null | Problem {
  const offsets = [zone.offset(wallMs - dayMs), zone.offset(wallMs + dayMs)]
  const [first = wallMs, second = first] = offsets.map(offset => wallMs - offset * minuteMs)
  const real = [first, second].filter(ms => wallMs - zone.offset(ms) * minuteMs === ms)
  if (new Set(real).size === 1) return inUtc(real[0] ?? wallMs)
  const [one = '', other = ''] = [first, second].map(ms => String(inUtc(ms)))
  return real.length === 0
    ? problem('nonexistent_time', { zone: zone.name, before: other, after: one })
    : problem('ambiguous_time', { zone: zone.name, first: one, second: other })
}
