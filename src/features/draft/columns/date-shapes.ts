import { dateReader } from '../../../mapping/transforms/date.ts'

export interface DateShape {
  /** In Luxon tokens; `A` and `B` are day and month if their order is open. */
  readonly format: string
  hasTime: boolean
  /** The two numbers whose order is open. */
  readonly a?: number
  readonly b?: number
  readonly locale?: string
  readonly zone?: string
}

export interface Seen {
  readonly text: string
  readonly line: number
}

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)([.,]\d+)?)?( UTC| GMT| ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?)?$/
const numeric = /^(\d{1,2})([-/]|\. ?)(\d{1,2})\2(\d{4}|\d\d)(\.?)(.*)$/
const yearFirst = /^(\d{4})([-/]|\. ?|[年년] ?)(\d{1,2})(\2|[月월] ?)(\d{1,2})([.日일]?)(?!\d)(.*)$/
const weekday = /^(\p{L}{2,12})([.,]* )(?=\d)/u
const worded =
  /^(?:(\d{1,2})(\.? |-|\/)(\p{L}{3,}\.?)(?:,? |-|\/)(\d{4}|\d{2})|(\p{L}{3,}\.?) (\d{1,2}),? (\d{4}))(,? .*|)$/u
const time = /^(,? |T|,? at )(\d{1,2}):(\d\d)(:\d\d)?( ?[AaPp][Mm])?( ?[+-]\d\d:?\d\d)?$/
const locales = 'en de fr es it nl pt ru sv da pl cs fi nb hu ro tr uk el'.split(' ')

/** Undefined for a text that is no date, such as 30 February. */
export function dateShape(text: string): DateShape | undefined {
  if (text.length < 6 || text.length > 40) return undefined
  if (!/^\d/.test(text)) return wordedShape(text) ?? weekdayShape(text)
  return isoShape(text) ?? yearFirstShape(text) ?? numericShape(text) ?? wordedShape(text)
}

/** The weekday says which of two readings is right, as in "Mon 06/04/26". */
function weekdayShape(text: string): DateShape | undefined {
  const [before, , between = ''] = weekday.exec(text) ?? []
  const inner = before === undefined ? undefined : dateShape(text.slice(before.length))
  if (inner === undefined || inner.format === 'iso') return undefined
  const orders = ['d$1M', 'M$1d'].map(order => inner.format.replace(/^A(.+?)B/, order))
  const formats = ['ccc', 'cccc'].flatMap(day => orders.map(order => day + between + order))
  return readShape(text, formats, inner.hasTime)
}

/** The reader itself tries the names, which differ by language. */
function readShape(text: string, formats: readonly string[], hasTime: boolean): DateShape | undefined {
  for (const locale of locales) {
    const format = formats.find(each => dateReader(each, locale)(text) !== undefined)
    if (format !== undefined) return { format, hasTime, ...(locale !== 'en' && { locale }) }
  }
  return undefined
}

function isoShape(text: string): DateShape | undefined {
  const [basic, mark] = /^\d{8}T\d{6}(Z?)$/.exec(text) ?? []
  if (basic)
    return { format: `yyyyMMdd'T'HHmmss${mark && "'Z'"}`, hasTime: true, ...(mark && { zone: 'UTC' }) }
  const [, year, month, day, sign, hour, minute, second, fraction, zone] = iso.exec(text) ?? []
  if (!isDay(year, month, day) || !isTime(hour, minute, second)) return undefined
  if (!/[A-Y]/.test(zone ?? '')) return { format: 'iso', hasTime: sign !== undefined }
  if (sign !== ' ' || fraction !== undefined) return undefined
  return { format: `yyyy-MM-dd HH:mm${second ? ':ss' : ''} '${zone?.trim()}'`, hasTime: true, zone: 'UTC' }
}

function numericShape(text: string): DateShape | undefined {
  const [, a = '', sign = '', b = '', z = '', dot = '', rest = ''] = numeric.exec(text) ?? []
  const clock = timeTokens(rest)
  const year = z.length === 4 ? z : `20${z}`
  if (clock === undefined || (!isDay(year, b, a) && !isDay(year, a, b))) return undefined
  const format = `A${sign}B${sign}${z.length === 4 ? 'yyyy' : 'yy'}${dot}${clock}`
  return { format, hasTime: clock !== '', a: Number(a), b: Number(b) }
}

function yearFirstShape(text: string): DateShape | undefined {
  const [, year, ofYear, month, ofMonth, day, ofDay, rest = ''] = yearFirst.exec(text) ?? []
  const clock = timeTokens(rest)
  if (!isDay(year, month, day) || clock === undefined) return undefined
  return { format: `yyyy${ofYear}M${ofMonth}d${ofDay}${clock}`, hasTime: clock !== '' }
}

function wordedShape(text: string): DateShape | undefined {
  const [, , sign = '', month, year = '', first, , , rest = ''] = worded.exec(text) ?? []
  const word = month ?? first
  const clock = word === undefined ? undefined : timeTokens(rest)
  if (word === undefined || clock === undefined) return undefined
  const between = /\p{L}([^\p{L}\d]*)\d/u.exec(text.slice(text.indexOf(word) + word.length - 1))?.[1] ?? ' '
  const dot = word.endsWith('.') && between.startsWith('.') ? between.slice(1) : between
  const formats = ['MMM', 'MMMM'].map(name =>
    month
      ? `d${sign}${name}${dot}${year.length === 4 ? 'yyyy' : 'yy'}${clock}`
      : `${name}${dot}d${/\d, ?\d{4}/.test(text) ? ', ' : ' '}yyyy${clock}`,
  )
  return readShape(text, formats, clock !== '')
}

/** Undefined if it is no time. */
function timeTokens(rest: string): string | undefined {
  if (rest === '') return ''
  const [, before = '', hour, minute, second, half, offset] = time.exec(rest) ?? []
  if (hour === undefined || !isTime(hour, minute, second?.slice(1))) return undefined
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const words = before.replace(/[a-zA-Z]+/, word => `'${word}'`)
  const sign = half === undefined ? '' : half.replace(/\S+/, 'a')
  const zone = offset?.replace(/\S+/, offset.includes(':') ? 'ZZ' : 'ZZZ') ?? ''
  return `${words}${half === undefined ? 'H' : 'h'}:mm${second ? ':ss' : ''}${sign}${zone}`
}

const isTime = (hour = '0', minute = '0', second = '0') =>
  Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60

function isDay(year = '0', month = '0', day = '0'): boolean {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isOfMonth = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
  return isOfMonth && /^(19|20|21)\d\d$/.test(year)
}

/** `example` is the first value, if possible one whose order is open. */
function newCount(shape: DateShape, example: Seen) {
  return { ...shape, count: 0, highestA: 0, highestB: 0, example, isOpen: false }
}
type ShapeCount = ReturnType<typeof newCount>

export type OpenOrder = NonNullable<ReturnType<DateColumn['verdict']>['open']>

/** Counts the shapes of the dates in a column. */
export class DateColumn {
  readonly #shapes = new Map<string, ShapeCount>()

  add(shape: DateShape, text: string, line: number): void {
    const { a = 0, b = 0, format } = shape
    const example = { text, line }
    const known = this.#shapes.get(format) ?? newCount(shape, example)
    this.#shapes.set(format, known)
    known.count += 1
    known.hasTime ||= shape.hasTime
    known.highestA = Math.max(known.highestA, a)
    known.highestB = Math.max(known.highestB, b)
    const isOpen = a !== b && a <= 12 && b <= 12
    if (isOpen && !known.isOpen) Object.assign(known, { example, isOpen })
  }

  /** `open` is set if day and month could be either, `byDots` if only dots say that the day comes first. */
  verdict() {
    const shapes = [...this.#shapes.values()].sort((a, b) => b.count - a.count)
    const unknown = shapes.filter(shape => shape.a !== undefined && orderOf(shape, shapes) === undefined)
    const open = unknown.find(shape => shape.isOpen) ?? unknown[0]
    const formats = formatsOf(shapes, 'd', 'M')
    return {
      formats,
      hasTime: shapes.some(shape => shape.hasTime),
      locale: shapes.find(shape => shape.locale !== undefined)?.locale,
      zone: shapes.every(shape => shape.zone !== undefined) ? shapes[0]?.zone : undefined,
      byDots: shapes.find(shape => orderOf(shape, shapes) === 'dots')?.example,
      open: open && {
        example: open.example,
        dayFirst: formats,
        monthFirst: formatsOf(shapes, 'M', 'd'),
        isMixed: proofs([open]).length === 2,
        isDifferent: open.isOpen || proofs([open]).length === 2,
      },
    }
  }
}

type First = 'd' | 'M'

/** Open orders begin with `first`, or have both orders if values prove both. */
const formatsOf = (shapes: readonly ShapeCount[], first: First, second: First): string[] =>
  shapes.flatMap(shape => {
    const order = orderOf(shape, shapes)
    const open = proofs([shape]).length === 2 ? [first, second] : [first]
    const orders = order === undefined ? open : [order]
    return orders.map(each => shape.format.replace(/^A(.+?)B/, each === 'M' ? 'M$1d' : 'd$1M'))
  })

/** Values above 12 prove an order. */
const proofs = (shapes: readonly ShapeCount[]): First[] =>
  (['d', 'M'] as const).filter(first =>
    shapes.some(({ highestA, highestB }) => (first === 'd' ? highestA : highestB) > 12),
  )

/** By the values of this shape, else by shapes with the same sign, else by dots. */
function orderOf(shape: ShapeCount, all: readonly ShapeCount[]): First | 'dots' | undefined {
  const sign = shape.format[1]
  const own = proofs([shape])
  const found = own.length > 0 ? own : proofs(all.filter(({ format }) => format[1] === sign))
  if (found.length === 1) return found[0]
  return found.length === 0 && shape.a !== undefined && sign === '.' ? 'dots' : undefined
}
