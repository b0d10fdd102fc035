import type { Rule } from '../../mapping/rule.ts'

/** How the values of a column are written, as far as they prove it. */
export type Shape =
  | 'day first'
  | 'month first'
  | 'year first'
  | 'with a decimal point'
  | 'with a decimal comma'
  | 'in whole numbers'

export const inWholeNumbers = 'in whole numbers' satisfies Shape

/**
 * The reading of dates and of amounts: `shapeOf` finds the shape that a value proves, undefined if it may be of several, and `read`
 * are the shapes that the rule reads. Undefined for a rule of other values.
 */
export function readingOf({ as, format = 'iso', decimal = '.' }: Rule) {
  if (as === 'date' || as === 'datetime')
    return { shapeOf: dateShape, read: [format].flat().flatMap(each => orderIn(each) ?? []) }
  if (as === 'number' || as === 'integer') return { shapeOf: amountShape, read: [withDecimal(decimal)] }
  return undefined
}

const numericDate = /^(\d{1,4})([-/.] ?)(\d{1,2})\2(\d{2}|\d{4})(?!\d)/

function dateShape(text: string): Shape | undefined {
  const [, first = '', , second = ''] = numericDate.exec(text) ?? []
  if (first.length > 2) return 'year first'
  if (Number(first) > 12) return Number(second) > 12 ? undefined : 'day first'
  return Number(second) > 12 ? 'month first' : undefined
}

/** The order of the numbers in a format; undefined without one, as with the names of months. */
function orderIn(format: string): Shape | undefined {
  const tokens = format.replaceAll(/'[^']*'/g, '')
  const [first] = /y|d|M/.exec(tokens) ?? []
  if (format === 'iso' || first === 'y') return 'year first'
  if (!/d/.test(tokens) || !/(?<!M)MM?(?!M)/.test(tokens)) return undefined
  return first === 'd' ? 'day first' : 'month first'
}

const amount = /^[-+−]?[\d.,\s'’]*\d$/
const withDecimal = (sign: string): Shape => (sign === ',' ? 'with a decimal comma' : 'with a decimal point')

/** A sign before three digits may separate thousands, unless the other one follows it. */
function amountShape(text: string): Shape | undefined {
  if (/^[-+−]?\d{4,}$/.test(text)) return inWholeNumbers
  const signs = amount.test(text) ? [...text.matchAll(/[.,]/g)] : []
  const [first, last] = [signs[0], signs.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const [before, after] = [text.slice(0, last.index), text.slice(last.index + 1)]
  if (first[0] !== last[0]) return withDecimal(last[0])
  if (signs.length > 1) return withDecimal(last[0] === ',' ? '.' : ',')
  return after.length !== 3 || !/^[-+−]?[1-9]\d{0,2}$/.test(before) ? withDecimal(last[0]) : undefined
}

/** The shape of an amount such as 1.250 in a column of whole numbers: its sign separates thousands. */
export function shapeOfThousands(text: string): Shape[] {
  const [, sign] = /^[-+−]?[1-9]\d{0,2}([.,])\d{3}$/.exec(text) ?? []
  return sign === undefined ? [] : [withDecimal(sign === ',' ? '.' : ',')]
}
