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
  if (fit.misfit === undefined || fit.misfits === 0) return []
  if (fit.misfits === 1) {
    const fate = otherwise === 'keep' ? 'sent as it stands' : 'left out'
    return [
      `1 value is ${one}, ${place(fit.misfit)}, and is ${fate}; without "otherwise" its row is refused.`,
    ]
  }
  const fate = otherwise === 'keep' ? 'sent as they stand' : 'left out'
  return [
    `${fit.isPartial ? 'At least ' : ''}${count(fit.misfits, one, many)}, such as ${place(fit.misfit)}, and are ${fate}; without "otherwise" such rows are refused.`,
  ]
}

const mostBad = 20
const mostBadShare = 0.02

/** Whether hardly any of the addresses are wrong: their rows had better be refused and mended. */
export const isNearlyAll = ({ misfits, count: good }: Fit): boolean =>
  misfits <= mostBad && misfits <= (misfits + good) * mostBadShare

/** How addresses that are none are dealt with: a few refuse their rows, many are left out. */
function emailChecks(column: Column, fit: Fit, distrusted: Distrusted): Ruled {
  if (fit.misfits === 0 && !distrusted.has(column.name)) return { rule: { as: 'email' }, comments: [] }
  if (fit.misfit !== undefined && isNearlyAll(fit)) {
    const [rows, them] = fit.misfits === 1 ? ['its row', 'it'] : ['their rows', 'them']
    const said = count(fit.misfits, 'no e-mail address', 'no e-mail addresses')
    return {
      rule: { as: 'email' },
      comments: [
        `${said}, ${fit.misfits === 1 ? '' : 'such as '}${place(fit.misfit)}, and ${rows} will be refused; with "otherwise: omit" they go without ${them}.`.replace(
          'they go without it',
          'it goes without',
        ),
      ],
    }
  }
  return {
    rule: { as: 'email', otherwise: 'omit' },
    comments: misfitNote(fit, 'no e-mail address', 'no e-mail addresses', 'omit'),
  }
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
  const { rule, comments } = emailChecks(column, column.noEmail, distrusted)
  return { rule: listed(column, 'email', rule, best(column.emailLists)), comments }
}

/** A phone number, or several in a cell; of a column that is mostly something else, only what can be read for sure. */
export function phoneRule(column: Column, distrusted: Distrusted): Ruled {
  const { fits, filled, noPhone } = column
  const split = best(column.phoneLists)
  const isStrict =
    filled > 0 && fits.international.count === filled && split === undefined && !distrusted.has(column.name)
  const isJunk =
    noPhone.misfits > filled / 2 && fits.phone.count === fits.international.count && split === undefined
  const otherwise = isJunk ? 'omit' : 'keep'
  const rule = {
    as: 'phone',
    ...(column.hasExtensions && { extension: 'keep' }),
    ...(!isStrict && { otherwise }),
  }
  return {
    rule: listed(column, 'phone_number', rule, split),
    comments: isStrict ? [] : misfitNote(noPhone, 'no phone number', 'no phone numbers', otherwise),
  }
}

/** A single e-mail address of a user. */
export function userEmailRule(column: Column, distrusted: Distrusted): Ruled {
  const { fits, isList } = column
  const checks = emailChecks(column, fits.email, distrusted)
  if (!isList) return { ...checks, rule: { ...textRule(column), ...checks.rule } }
  return { rule: { ...textRule(column), as: 'email', otherwise: 'omit' }, comments: checks.comments }
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
