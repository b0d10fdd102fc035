import type { Column, Fit } from './column.ts'
import type { Seen } from './facts.ts'
import { field, type Part } from './lines.ts'
import type { Separator } from './separators.ts'
import { type Flow, quote } from './yaml-words.ts'

/** A rule for a column, and what has to be said of it. */
export interface Ruled {
  readonly rule: Readonly<Record<string, Flow | undefined>>
  readonly comments: readonly string[]
}

/** A rule as a field. */
export const ruledPart = (key: string, { rule, comments }: Ruled): Part =>
  field(key, rule as Flow, ...comments)

/** Columns of which a first draft turned out to refuse rows. */
export type Distrusted = ReadonlySet<string>

const count = (number: number, one: string, many: string) =>
  number === 1 ? `1 value is ${one}` : `${number.toLocaleString('en')} values are ${many}`
const place = ({ text, line }: Seen) => `${quote(text)} in line ${line}`

/** Says which values are not of a kind and what becomes of them; nothing where all are. */
export function misfitNote(fit: Fit, one: string, many: string, otherwise: 'keep' | 'omit'): string[] {
  if (fit.misfit === undefined) return []
  const fate = otherwise === 'keep' ? 'sent as they stand' : 'left out'
  return [
    `${count(fit.misfits, one, many)}, such as ${place(fit.misfit)}, and ${fate}; without "otherwise" such rows are refused.`,
  ]
}

/** A column as text; one that is a list becomes one text. */
export const textRule = ({ name, isList }: Column, separator = ', '): Ruled['rule'] =>
  isList ? { join: [name], with: separator } : { from: name }

/** A column whose cells are taken apart where they hold several values. */
const cellRule = ({ name }: Column, split: Separator | undefined) => ({ from: name, ...(split && { split }) })

const best = (counts: ReadonlyMap<Separator, number>) => [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]

/** An item of a list of e-mail addresses or phone numbers, of a column that may hold several. */
function listed(
  column: Column,
  fieldName: string,
  rule: Ruled['rule'],
  split: Separator | undefined,
): Ruled['rule'] {
  if (split === undefined && !column.isList) return { [fieldName]: { from: column.name, ...rule } }
  return { ...cellRule(column, split), each: { [fieldName]: { from: '.', ...rule } } }
}

/** An e-mail address, or several in a cell. */
export function emailRule(column: Column, distrusted: Distrusted): Ruled {
  const split = best(column.emailLists)
  const inLists = split === undefined ? 0 : (column.emailLists.get(split) ?? 0)
  const fit = column.fits.email
  const isStrict = fit.misfits === inLists && !distrusted.has(column.name)
  const rule = { as: 'email', ...(!isStrict && { otherwise: 'keep' }) }
  return {
    rule: listed(column, 'email', rule, split),
    comments: isStrict
      ? []
      : misfitNote(
          { ...fit, misfits: fit.misfits - inLists },
          'no e-mail address',
          'no e-mail addresses',
          'keep',
        ),
  }
}

/** A phone number, or several in a cell. */
export function phoneRule(column: Column, distrusted: Distrusted): Ruled {
  const split = best(column.phoneLists)
  const isStrict =
    column.filled > 0 &&
    column.fits.international.count === column.filled &&
    split === undefined &&
    !distrusted.has(column.name)
  const rule = {
    as: 'phone',
    ...(column.hasExtensions && { extension: 'keep' }),
    ...(!isStrict && { otherwise: 'keep' }),
  }
  return { rule: listed(column, 'phone_number', rule, split), comments: [] }
}

/** A single e-mail address of a user. */
export function userEmailRule(column: Column, distrusted: Distrusted): Ruled {
  const { fits, name } = column
  const isStrict = fits.email.misfits === 0 && !distrusted.has(name) && !column.isList
  return {
    rule: { ...textRule(column), as: 'email', ...(!isStrict && { otherwise: 'keep' }) },
    comments: misfitNote(fits.email, 'no e-mail address', 'no e-mail addresses', 'keep'),
  }
}

/** A web address, as `url` or `domain`. */
export function urlRule(column: Column, as: 'url' | 'domain', distrusted: Distrusted): Ruled {
  const isStrict = column.fits.url.misfits === 0 && !distrusted.has(column.name) && !column.isList
  return {
    rule: { ...textRule(column), as, ...(!isStrict && { otherwise: 'keep' }) },
    comments:
      column.filled === 0 ? [] : misfitNote(column.fits.url, 'no web address', 'no web addresses', 'keep'),
  }
}

/** A number, with the decimal sign that most values have. */
export function numberRule(column: Column, distrusted: Distrusted): Ruled {
  const { number, decimalComma } = column.fits
  const decimal = decimalComma.count > number.count ? ',' : undefined
  const fit = decimal === ',' ? decimalComma : number
  const isStrict = fit.misfits === 0 && !distrusted.has(column.name)
  return {
    rule: {
      ...textRule(column),
      as: 'number',
      ...(decimal && { decimal }),
      ...(!isStrict && { otherwise: 'omit' }),
    },
    comments: misfitNote(fit, 'no number', 'no numbers', 'omit'),
  }
}

/** The sign between the items of a list in a cell, if there is one. */
export function listSign(column: Column): Separator | undefined {
  const [sign] = [...column.signs].sort(([a, m], [b, n]) => n - m || b.length - a.length)[0] ?? []
  if (sign === ',' && (column.signs.get(', ') ?? 0) > 0) return ', '
  return sign
}
