import { lazyLibrary } from '../../model/package.ts'
import type { ContentLine } from '../cards/content-lines.ts'
import { occurrences } from './recurrence.ts'

const luxon = lazyLibrary<typeof import('luxon')>('luxon')

const dayMs = 86_400_000
const minuteMs = 60_000

/** Returns how far a wall clock is ahead of UTC, by its time as if it were UTC; NaN if nobody knows. */
type Zone = (wall: number) => number
/** The zones that a file names. */
export type Zones = Map<string, Zone>
const nowhere: Zone = () => Number.NaN
const mostOnsets = 10_000

export interface CalendarTime {
  /** The wall clock's time as if it were UTC; NaN for what is no date or time. */
  readonly wall: number
  readonly isDate: boolean
  /** Undefined for a date, and for a time of the zone in which it is read. */
  readonly zone: Zone | undefined
}

const utc: Zone = () => 0
const written = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/

export function readTime(value: string, { TZID = [] }: ContentLine['params'], zones: Zones): CalendarTime {
  const [, year, month, day, hour = '00', minute = '00', second = '00', isUtc] = written.exec(value) ?? []
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}.000Z`
  const wall = Date.parse(text)
  const isReal = !Number.isNaN(wall) && new Date(wall).toISOString() === text
  const isDate = !value.includes('T')
  const [id] = isDate ? [] : TZID
  const named = id === undefined ? undefined : (zones.get(id) ?? ianaZone(id) ?? nowhere)
  if (id !== undefined && named) zones.set(id, named)
  return { wall: isReal ? wall : Number.NaN, isDate, zone: isUtc ? utc : named }
}

/** ISO 8601 of a time, or of the end of a duration: a date, or a time with its offset or without. Undefined if it is not known. */
export function writtenTime(start: CalendarTime, duration?: string): string | undefined {
  const { wall, isDate, zone } = duration === undefined ? start : afterDuration(start, duration)
  const offset = zone?.(wall) ?? 0
  if (!(Math.abs(wall - offset) < 253_402_300_800_000)) return undefined
  const isWhole = offset % minuteMs === 0
  const local = new Date(isWhole ? wall : wall - offset).toISOString().slice(0, isDate ? 10 : 19)
  if (zone === undefined) return local
  if (zone === utc || !isWhole) return `${local}Z`
  return `${local}${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`
}

export const utcOf = ({ wall, zone }: CalendarTime): number => wall - (zone?.(wall) ?? 0)

/** Instant of a time by a rule's start: some leave out the zone, or the time. */
export const instantBy = (start: CalendarTime, { wall, isDate, zone }: CalendarTime): number => {
  const timeOfDay = isDate && !start.isDate ? start.wall - Math.floor(start.wall / dayMs) * dayMs : 0
  return utcOf({ ...start, wall: wall + timeOfDay, zone: zone ?? start.zone })
}

/** UNTIL of a rule, by the clock of its start. */
export function endOfRule(until: string, { zone }: Pick<CalendarTime, 'zone'>): number {
  const end = readTime(until, {}, new Map())
  return end.wall + (end.isDate ? dayMs - 1 : 0) + (end.zone && zone ? zone(end.wall) : 0)
}

const durations = /^\+?P(?=.*\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** Days and weeks are those of the wall clock. */
function afterDuration({ wall, isDate, zone }: CalendarTime, duration: string): CalendarTime {
  const [, ...parts] = durations.exec(duration) ?? ['', 'none']
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(part => Number(part ?? 0))
  const [day, exact] = [wall + (weeks * 7 + days) * dayMs, (hours * 60 + minutes) * minuteMs + seconds * 1000]
  const offset = zone?.(day) ?? 0
  return {
    wall: day + exact,
    isDate: isDate && exact === 0,
    zone: zone && zone !== utc ? () => offset : zone,
  }
}

/**
 * The zone of a name, also with something in front: `/example.org/Europe/Berlin`. As RFC 5545 has it, of a time that comes twice
 * the first one is meant, and one that is skipped is by the clock before.
 */
function ianaZone(id: string): Zone | undefined {
  const tails = id.startsWith('/') ? [-3, -2].map(from => id.split('/').slice(from).join('/')) : []
  const name = [id, ...tails].find(each => luxon().IANAZone.isValidZone(each))
  const zone = name && luxon().IANAZone.create(name)
  if (!zone) return undefined
  const offsetAt = (ms: number) => Math.round(zone.offset(ms) * minuteMs)
  return wall => {
    const [before, after] = [offsetAt(wall - dayMs), offsetAt(wall + dayMs)]
    if (before === after || offsetAt(wall - before) === before) return before
    return offsetAt(wall - after) === after ? after : before
  }
}

/** Adds the zone of a VTIMEZONE. One of IANA has its own rules: those in files are often cut to a few years. */
export function addZone(lines: readonly ContentLine[], zones: Zones): void {
  const id = lines.find(({ name }) => name === 'TZID')?.value
  if (id !== undefined && !(id.includes('/') && ianaZone(id))) zones.set(id, zoneOf(lines))
}

function zoneOf(lines: readonly ContentLine[]): Zone {
  const starts = lines.flatMap(({ name }, at) => (name === 'BEGIN' ? [at] : []))
  const observances = starts.map((start, at) => observanceOf(lines.slice(start, starts[at + 1])))
  const [first] = observances.toSorted((a, b) => a.start - b.start)
  return wall => {
    let [latest, offset] = [Number.NEGATIVE_INFINITY, first?.from ?? Number.NaN]
    for (const { from, to, lastBefore } of observances) {
      const onset = lastBefore(wall - Math.max(0, to - from))
      if (Number.isNaN(onset)) return onset
      if (onset > latest) [latest, offset] = [onset, to]
    }
    return offset
  }
}

/** STANDARD or DAYLIGHT; `lastBefore` is when it begins for the last time, NaN if that is not known. */
function observanceOf(lines: readonly ContentLine[]) {
  const textsOf = (wanted: string) => lines.filter(({ name }) => name === wanted).map(({ value }) => value)
  const wallOf = (time = '') => readTime(time, {}, new Map()).wall
  const [from, to] = [offsetOf(textsOf('TZOFFSETFROM')), offsetOf(textsOf('TZOFFSETTO'))]
  const onsets = textsOf('RDATE').flatMap(dates => dates.split(',').map(wallOf))
  const start = wallOf(textsOf('DTSTART')[0])
  const times = occurrences(textsOf('RRULE')[0] ?? '', start, until => endOfRule(until, { zone: () => from }))
  let last = Number.NEGATIVE_INFINITY
  const lastBefore = (wall: number) => {
    for (; last <= wall && onsets.length < mostOnsets; onsets.push(last))
      last = times.next().value ?? Number.POSITIVE_INFINITY
    if (last <= wall) return Number.NaN
    return onsets.reduce((a, b) => (b > wall ? a : Math.max(a, b)), Number.NEGATIVE_INFINITY)
  }
  return { start, from, to, lastBefore }
}

function offsetOf([text = '']: readonly string[]): number {
  const [, sign, hours, minutes, seconds = 0] = /^([+-])(\d?\d)(\d\d)(\d\d)?$/.exec(text) ?? []
  const ms = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1000
  return sign === '-' ? -ms : ms
}
