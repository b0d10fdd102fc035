import { dateReader } from '../transforms/date-formats.ts'

/** A date as it is written: the order of day and month may be open. */
export interface DateShape {
  /** In Luxon tokens, where `A` and `B` stand for day and month in an order that is open. */
  readonly format: string
  readonly hasTime: boolean
  /** The two numbers whose order is open. */
  readonly a?: number
  readonly b?: number
  readonly locale?: string
  readonly zone?: string
}

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?( ?(?:Z|[+-]\d\d(?::?\d\d)?))?)?$/i
const isoUtc = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)(:\d\d)? (UTC|GMT)$/
const numeric = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(.*)$/
const worded =
  /^(?:(\d{1,2})(\.? |-|\/)(\p{L}{3,}\.?)(?:,? |-|\/)(\d{4}|\d{2})|(\p{L}{3,}\.?) (\d{1,2}),? (\d{4}))(,? .*|)$/u
const time = /^(,? |T|,? at )(\d{1,2}):(\d\d)(:\d\d)?( ?[AaPp][Mm])?( ?[+-]\d\d:?\d\d)?$/

/** Tells the shape of a date; undefined for what is none, such as the 30th of February. */
export function dateShape(text: string): DateShape | undefined {
  const digits = text.charCodeAt(0)
  if (text.length < 6 || text.length > 40) return undefined
  if (digits < 48 || digits > 57) return wordedShape(text)
  return isoShape(text) ?? numericShape(text) ?? wordedShape(text)
}

function isoShape(text: string): DateShape | undefined {
  const [, year, month, day, hour, minute = '0', second = '0'] = iso.exec(text) ?? []
  if (year !== undefined) {
    const isReal = isDay(Number(year), Number(month), Number(day))
    const isTime = hour === undefined || (Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60)
    return isReal && isTime ? { format: 'iso', hasTime: hour !== undefined } : undefined
  }
  const [, y, m, d, h, min, sec, zone] = isoUtc.exec(text) ?? []
  if (y === undefined || !isDay(Number(y), Number(m), Number(d))) return undefined
  if (Number(h) > 23 || Number(min) > 59 || Number(sec?.slice(1) ?? 0) > 59) return undefined
  return { format: `yyyy-MM-dd HH:mm${sec ? ':ss' : ''} '${zone}'`, hasTime: true, zone: 'UTC' }
}

function numericShape(text: string): DateShape | undefined {
  const [, first = '', sign = '', second = '', third = '', rest = ''] = numeric.exec(text) ?? []
  if (sign === '') return undefined
  const clock = timeTokens(rest)
  if (clock === undefined) return undefined
  const [x, y, z] = [Number(first), Number(second), Number(third)]
  if (first.length === 4) {
    if (third.length > 2 || !isDay(x, y, z)) return undefined
    return { format: `yyyy${sign}M${sign}d${clock}`, hasTime: clock !== '' }
  }
  if (first.length > 2 || (third.length !== 4 && third.length !== 2)) return undefined
  const year = third.length === 4 ? z : 2000 + z
  if (!isDay(year, y, x) && !isDay(year, x, y)) return undefined
  const years = third.length === 4 ? 'yyyy' : 'yy'
  return { format: `A${sign}B${sign}${years}${clock}`, hasTime: clock !== '', a: x, b: y }
}

const locales = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'ru', 'sv', 'da', 'pl']

/** Month names are tried with the reader itself, for languages write them in many ways. */
function wordedShape(text: string): DateShape | undefined {
  const [, , sign = '', month = '', year = '', month2 = '', , , rest = ''] = worded.exec(text) ?? []
  const word = month || month2
  const clock = word === '' ? undefined : timeTokens(rest)
  if (clock === undefined) return undefined
  const between = /\p{L}([^\p{L}\d]*)\d/u.exec(text.slice(text.indexOf(word) + word.length - 1))?.[1] ?? ' '
  for (const locale of locales)
    for (const name of ['MMM', 'MMMM']) {
      const dot = word.endsWith('.') && between.startsWith('.') ? between.slice(1) : between
      const format = month
        ? `d${sign}${name}${dot}${year.length === 4 ? 'yyyy' : 'yy'}${clock}`
        : `${name}${dot}d${/\d, ?\d{4}/.test(text) ? ', ' : ' '}yyyy${clock}`
      if (dateReader(format, locale)(text) !== undefined)
        return { format, hasTime: clock !== '', ...(locale !== 'en' && { locale }) }
    }
  return undefined
}

/** The tokens of what stands behind a date; undefined where it is no time. */
function timeTokens(rest: string): string | undefined {
  if (rest === '') return ''
  const [, before = '', hour, minute, second, half, offset] = time.exec(rest) ?? []
  if (hour === undefined || Number(minute) > 59 || Number(second?.slice(1) ?? 0) > 59) return undefined
  if (half === undefined ? Number(hour) > 23 : Number(hour) < 1 || Number(hour) > 12) return undefined
  const clock = half === undefined ? 'H:mm' : 'h:mm'
  const words = /[a-zA-Z]/.test(before) ? before.replace(/[a-zA-Z]+/, word => `'${word}'`) : before
  const sign = half === undefined ? '' : `${half.startsWith(' ') ? ' ' : ''}a`
  const zone = offset && `${offset.startsWith(' ') ? ' ' : ''}${offset.includes(':') ? 'ZZ' : 'ZZZ'}`
  return `${words}${clock}${second ? ':ss' : ''}${sign}${zone ?? ''}`
}

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return year > 0 && day > 0 && day <= (month === 2 && !isLeap ? 28 : (monthDays[month - 1] ?? 0))
}
