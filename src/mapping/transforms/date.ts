import type { DateTime } from 'luxon'
import { lazyLibrary } from '../../model/package.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'
import type { Rule } from '../rule.ts'
import { onText, type Transform } from '../scope.ts'

const luxon = lazyLibrary<typeof import('luxon')>('luxon')

interface DateReading {
  /** The time with its own offset, else its wall clock as if it were UTC. */
  readonly at: DateTime
  readonly hasOffset: boolean
  readonly hasTime: boolean
}

export type DateReader = (text: string) => DateReading | undefined

/** Returns the reader of a format: `iso`, `epoch_ms`, `epoch_s`, `excel` or Luxon tokens. */
export const dateReader = (format: string, locale: string): DateReader =>
  namedReaders.get(format) ?? tokenReader(format, locale)

const namedReaders = new Map<string, DateReader>([
  ['iso', readIso],
  ['epoch_ms', text => readEpoch(text, 1)],
  ['epoch_s', text => readEpoch(text, 1000)],
  ['excel', readExcel],
])

/** Returns why a format cannot be used. Luxon throws if tokens contradict each other, and without a year assumes this year. */
export function formatFault(format: string, locale: string): string | undefined {
  try {
    const date = dateReader(format, locale)(luxon().DateTime.utc(2000, 7).toFormat(format, { locale }))
    return date === undefined || date.at.year === 2000 ? undefined : 'it names no year'
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
  if (Math.abs(ms) > 8.64e15 - dayMs) return undefined // in another zone it would be no date any more
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

export const isKnownZone = (zone: string): boolean => luxon().IANAZone.isValidZone(zone)

export function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

const startOfDay = (at: DateTime) => `${at.toISODate()}T00:00:00`
const wallClock = (at: DateTime) => at.toISO({ suppressMilliseconds: true, includeOffset: false })
const inUtc = (ms: number) => luxon().DateTime.fromMillis(ms, utc).toISO({ suppressMilliseconds: true })

/** Reads the start of a day without a zone: `2026-10-05T00:00:00`. An instant has the day of the rule's zone. */
export const dateTransform = (rule: Rule): Transform =>
  reading(rule, ({ at, hasOffset }) => startOfDay(hasOffset && rule.zone ? at.setZone(rule.zone) : at))

/** Reads a date with its time: in UTC with a Z if the instant is known, else without a zone. */
export function datetimeTransform(rule: Rule): Transform {
  return reading(rule, ({ at, hasOffset, hasTime }) => {
    if (hasOffset) return inUtc(at.toMillis())
    if (!hasTime) return startOfDay(at)
    if (rule.zone === undefined) return wallClock(at)
    const instant = instantIn(rule.zone, at.toMillis())
    return isProblem(instant) ? instant : inUtc(instant)
  })
}

function reading(rule: Rule, write: (reading: DateReading) => unknown): Transform {
  luxon() // before the first call, as other libraries
  const { format = 'iso', locale = 'en' } = rule
  const formats = [format].flat()
  const readers = formats.map(each => dateReader(each, isLocale(locale) ? locale : 'en')) // another is a fault
  return onText(text => {
    for (const read of readers) {
      const date = read(text)
      if (date !== undefined) return write(date)
    }
    return problem('not_date', { formats })
  })
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** Returns the instant of a wall-clock time, or a Problem if the zone skips or repeats it; `wallMs` is that time as if it were UTC. */
export function instantIn(name: string, wallMs: number): number | Problem {
  const zone = luxon().IANAZone.create(name) // which it keeps
  const offsets = [zone.offset(wallMs - dayMs), zone.offset(wallMs + dayMs)]
  const [first = wallMs, second = first] = offsets.map(offset => wallMs - offset * minuteMs)
  const real = [first, second].filter(ms => wallMs - zone.offset(ms) * minuteMs === ms)
  if (new Set(real).size === 1) return real[0] ?? wallMs
  const [one = '', other = ''] = [first, second].map(ms => String(inUtc(ms)))
  return real.length === 0
    ? problem('nonexistent_time', { zone: zone.name, before: other, after: one })
    : problem('ambiguous_time', { zone: zone.name, first: one, second: other })
}
