import type { DateShape } from './date-shapes.ts'
import type { Seen } from './facts.ts'

interface ShapeCount extends DateShape {
  /** Values with and without a time can have one shape: both are ISO. */
  hasTime: boolean
  count: number
  highestA: number
  highestB: number
  /** The first value, if there is one the first of which the order is open. */
  first: Seen
  isFirstOpen: boolean
}

/** How the dates of a column are to be read. */
export interface DateVerdict {
  /** In Luxon tokens, as `format:` has them. */
  readonly formats: readonly string[]
  readonly hasTime: boolean
  readonly locale?: string
  readonly zone?: string
  /** Set where day and month could be either: an example and the formats for the day and for the month first. */
  readonly open?: {
    readonly example: Seen
    readonly dayFirst: string[]
    readonly monthFirst: string[]
    /** Some values have the day first and others the month. */
    readonly isMixed: boolean
  }
  /** Set where dots alone say that the day comes first. */
  readonly byDots?: Seen
}

const mostShapes = 24

/** The shapes of the dates in a column, and how often each came. */
export class DateColumn {
  readonly #shapes = new Map<string, ShapeCount>()

  add(shape: DateShape, text: string, line: number): void {
    const known = this.#shapes.get(shape.format)
    if (known === undefined) {
      if (this.#shapes.size >= mostShapes) return
      this.#shapes.set(shape.format, {
        ...shape,
        count: 1,
        highestA: shape.a ?? 0,
        highestB: shape.b ?? 0,
        first: { text, line },
        isFirstOpen: isOpen(shape),
      })
      return
    }
    if (!known.isFirstOpen && isOpen(shape)) {
      known.first = { text, line }
      known.isFirstOpen = true
    }
    known.count += 1
    known.hasTime ||= shape.hasTime
    known.highestA = Math.max(known.highestA, shape.a ?? 0)
    known.highestB = Math.max(known.highestB, shape.b ?? 0)
  }

  get size(): number {
    return this.#shapes.size
  }

  verdict(): DateVerdict {
    const shapes = [...this.#shapes.values()].sort((a, b) => b.count - a.count)
    const hasTime = shapes.some(shape => shape.hasTime)
    const locale = shapes.find(shape => shape.locale !== undefined)?.locale
    const zone = shapes.every(shape => shape.zone !== undefined) ? shapes[0]?.zone : undefined
    const open = shapes.find(shape => shape.a !== undefined && orderOf(shape, shapes) === undefined)
    const dots = shapes.find(shape => orderOf(shape, shapes) === 'dots')
    const formats = (fallback: 'day' | 'month') =>
      shapes.flatMap(shape => {
        const order = orderOf(shape, shapes)
        const other = fallback === 'day' ? 'month' : 'day'
        return order === undefined && byValues(shape) === 'both'
          ? [ordered(shape.format, fallback), ordered(shape.format, other)]
          : [ordered(shape.format, order ?? fallback)]
      })
    return {
      formats: formats('day'),
      hasTime,
      ...(locale !== undefined && { locale }),
      ...(zone !== undefined && { zone }),
      ...(open && {
        open: {
          example: open.first,
          dayFirst: formats('day'),
          monthFirst: formats('month'),
          isMixed: byValues(open) === 'both',
        },
      }),
      ...(dots && { byDots: dots.first }),
    }
  }
}

const isOpen = ({ a = 99, b = 99 }: DateShape) => a <= 12 && b <= 12 && a !== b

type Order = 'day' | 'month' | 'dots'

const signOf = (format: string) => /^A(.)/.exec(format)?.[1]

/** Which comes first, by the values of this shape, else by those of a shape with the same sign. */
function orderOf(shape: ShapeCount, all: readonly ShapeCount[]): Order | undefined {
  const own = byValues(shape)
  if (own !== 'none') return own === 'both' ? undefined : own
  const sign = signOf(shape.format)
  const others = new Set(
    all.filter(other => signOf(other.format) === sign && other.a !== undefined).map(byValues),
  )
  others.delete('none')
  const [only] = others
  if (others.size === 1 && (only === 'day' || only === 'month')) return only
  return sign === '.' && others.size === 0 ? 'dots' : undefined
}

function byValues({ highestA, highestB }: ShapeCount): 'day' | 'month' | 'both' | 'none' {
  if (highestA > 12 && highestB > 12) return 'both'
  if (highestA > 12) return 'day'
  return highestB > 12 ? 'month' : 'none'
}

const ordered = (format: string, order: Order) =>
  format.replace(/^A(.)B/, order === 'month' ? 'M$1d' : 'd$1M')
