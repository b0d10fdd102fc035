import { dateReader } from '../../../mapping/transforms/date.ts'
import forms from './forms.json' with { type: 'json' }

export interface DateShape {
  /** Luxon tokens; `A` and `B` are day and month if their order is open. */
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

const { locales, clock } = forms.dates
/** Forms of dates and times; the groups are named after Luxon's tokens, and an empty one marks ISO 8601. */
const shapes = forms.dates.forms.map(form => new RegExp(`^${form.replace('{clock}', clock)}$`, 'du'))
const quoted = (text: string) => text.replace(/[a-z]+/i, "'$&'")
/** Tokens for what matched a group; without one it is the group's name. */
const tokens: Readonly<Record<string, (text: string, isHalf: boolean) => string>> = {
  y: text => 'y'.repeat(text.length),
  t: quoted,
  of: quoted,
  H: (_, isHalf) => (isHalf ? 'h' : 'H'),
  m: () => 'mm',
  s: () => ':ss',
  a: text => text.replace(/\S+/, 'a'),
  Z: text => text.replace(/\S+/, text.includes(':') ? 'ZZ' : 'ZZZ'),
  UTC: text => `'${text}'`,
}
const weekday = /^(\p{L}{2,12})([.,]* )(?=\d)/u

/** Undefined for a text that is no date, such as 30 February. */
export function dateShape(text: string): DateShape | undefined {
  if (text.length < 6 || text.length > 40) return undefined
  for (const shape of shapes) {
    const match = shape.exec(text)
    if (match !== null) return shapeOf(text, match)
  }
  return weekdayShape(text)
}

function shapeOf(text: string, match: RegExpExecArray): DateShape | undefined {
  const { A, B, MMM, y = '', M, MM = M, d, dd = d, UTC, iso, H, HH = H } = match.groups ?? {}
  const year = y.length === 4 ? y : `20${y}`
  const isDate = A === undefined ? isDay(year, MM, dd) : isDay(year, A, B) || isDay(year, B, A)
  if (!isDate && MMM === undefined) return undefined
  const [format, hasTime] = [iso === undefined ? formatOf(text, match) : 'iso', HH !== undefined]
  if (MMM !== undefined) return readShape(text, [format, format.replace('MMM', 'MMMM')], hasTime)
  return { format, hasTime, ...(A && { a: Number(A), b: Number(B) }), ...(UTC && { zone: 'UTC' }) }
}

const formatOf = (text: string, { groups = {}, indices }: RegExpExecArray): string =>
  Object.entries(indices?.groups ?? {})
    .filter(([, place]) => place !== undefined)
    .sort(([, [a]], [, [b]]) => b - a)
    .reduce((format, [name, [from, to]]) => {
      const token = tokens[name]?.(text.slice(from, to), groups.a !== undefined) ?? name
      return format.slice(0, from) + token + format.slice(to)
    }, text)

/** The weekday says which of two readings is right, as in "Mon 06/04/26". */
function weekdayShape(text: string): DateShape | undefined {
  const [before, , between = ''] = weekday.exec(text) ?? []
  const inner = before === undefined ? undefined : dateShape(text.slice(before.length))
  if (inner === undefined || inner.format === 'iso') return undefined
  const orders = [true, false].map(isDayFirst => ordered(inner.format, isDayFirst))
  const formats = ['ccc', 'cccc'].flatMap(day => orders.map(order => day + between + order))
  return readShape(text, formats, inner.hasTime)
}

const ordered = (format: string, isDayFirst: boolean) =>
  format.replace(/^A(.+?)B/, isDayFirst ? 'd$1M' : 'M$1d')

/** The reader itself tries the names, which differ by language. */
function readShape(text: string, formats: readonly string[], hasTime: boolean): DateShape | undefined {
  for (const locale of locales) {
    const format = formats.find(each => dateReader(each, locale)(text) !== undefined)
    if (format !== undefined) return { format, hasTime, ...(locale !== 'en' && { locale }) }
  }
  return undefined
}

function isDay(year = '0', month = '0', day = '0'): boolean {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isOfMonth = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
  return isOfMonth && /^(19|20|21)\d\d$/.test(year)
}

export type First = 'd' | 'M'
type ShapeCount = ReturnType<typeof newCount>
export type OpenOrder = NonNullable<ReturnType<DateColumn['verdict']>['open']>

/** `example` is the first value, if possible one whose order is open; `proved` are the orders that numbers above 12 prove. */
const newCount = (shape: DateShape, example: Seen) => ({
  ...shape,
  count: 0,
  example,
  isOpen: false,
  proved: new Set<First>(),
})

export class DateColumn {
  readonly #shapes = new Map<string, ShapeCount>()
  /** The order that others prove, and how. */
  #settled: { readonly first: First; readonly why: string } | undefined

  settle(first: First, why: string): void {
    this.#settled ??= { first, why }
  }

  /** The orders that numbers above 12 prove, of dates with a sign. */
  provedBy = (sign: string | undefined): First[] =>
    [...this.#shapes.values()].flatMap(({ format, proved }) => (format[1] === sign ? [...proved] : []))

  /** The signs of dates whose order is open. */
  get openSigns(): string[] {
    const shapes = this.verdict().open ? [...this.#shapes.values()] : []
    return shapes.flatMap(({ a, format }) => (a === undefined ? [] : (format[1] ?? [])))
  }

  add(shape: DateShape, example: Seen): void {
    const { format, hasTime, a = 0, b = 0 } = shape
    const known = this.#shapes.get(format) ?? newCount(shape, example)
    this.#shapes.set(format, known)
    known.count += 1
    known.hasTime ||= hasTime
    if (a > 12) known.proved.add('d')
    if (b > 12) known.proved.add('M')
    const isOpen = a !== b && a <= 12 && b <= 12
    if (isOpen && !known.isOpen) Object.assign(known, { example, isOpen })
  }

  /** `open` is set if day and month could be either: `formats` have the day first then. `byDots` is set if only dots say so. */
  verdict() {
    const shapes = [...this.#shapes.values()].sort((a, b) => b.count - a.count)
    /** The orders that values of this shape prove, else those of shapes with the same sign. */
    const provedOf = ({ format, proved }: ShapeCount): ReadonlySet<First> =>
      proved.size > 0 ? proved : new Set(this.provedBy(format[1]))
    const isSettled = (shape: ShapeCount) =>
      this.#settled !== undefined && shape.a !== undefined && provedOf(shape).size === 0
    /** Without a proof it follows other columns, else dots. */
    const orderOf = (shape: ShapeCount) => {
      const orders = provedOf(shape)
      if (orders.size === 1) return [...orders][0]
      if (isSettled(shape)) return this.#settled?.first
      return orders.size === 0 && shape.a !== undefined && shape.format[1] === '.' ? 'dots' : undefined
    }
    /** Open orders begin with the first, or have both if values prove both. */
    const formatsOf = (...both: readonly [First, First]) =>
      shapes.flatMap(shape => {
        const order = orderOf(shape)
        const open = shape.proved.size === 2 ? both : both.slice(0, 1)
        return (order === undefined ? open : [order]).map(each => ordered(shape.format, each !== 'M'))
      })
    const unknown = shapes.filter(shape => shape.a !== undefined && orderOf(shape) === undefined)
    const bySettled = shapes.find(shape => shape.isOpen && isSettled(shape))
    const open = unknown.find(shape => shape.isOpen) ?? unknown[0]
    const formats = formatsOf('d', 'M')
    const isMixed = open?.proved.size === 2
    return {
      formats,
      hasTime: shapes.some(shape => shape.hasTime),
      locale: shapes.find(shape => shape.locale !== undefined)?.locale,
      zone: shapes.every(shape => shape.zone !== undefined) ? shapes[0]?.zone : undefined,
      settled: this.#settled && bySettled && { ...this.#settled, example: bySettled.example },
      byDots: shapes.find(shape => orderOf(shape) === 'dots')?.example,
      open: open && {
        example: open.example,
        monthFirst: formatsOf('M', 'd'),
        isMixed,
        isDifferent: open.isOpen || isMixed,
      },
    }
  }
}
