import { noWords, yesWords } from '../transforms/boolean.ts'
import { type Column, commonest, type Fit } from './column.ts'
import { vocabulary } from './words.ts'
import { type Flow, field, group, type Part, quote, suggestion } from './yaml.ts'

export type Rule = { readonly [key: string]: Flow | undefined }

/** A rule for a column, and what has to be said of it. */
export interface Ruled {
  readonly rule: Rule
  readonly comments: readonly string[]
}

/** Columns of which a first draft turned out to refuse rows. */
export type Distrusted = ReadonlySet<string>

/** A rule as a field, or with the key `-` as an item of a list. */
export const ruledField = (key: string, { rule, comments }: Ruled): Part => field(key, rule, ...comments)

const number = (count: number) => count.toLocaleString('en')

const fates = {
  keep: 'are sent as they are; without "otherwise" their rows are refused.',
  omit: 'are left out; without "otherwise" their rows are refused.',
  refuse: 'make their rows invalid; with "otherwise: omit" they are left out instead.',
}

/** Says which values are not of a kind and what becomes of them; nothing where all are. */
export const misfitNote = (
  { misfit, misfits }: Fit,
  kinds: string,
  fate: keyof typeof fates = 'omit',
): string[] =>
  misfit === undefined
    ? []
    : [
        `Values that are not ${kinds} (${number(misfits)}, first ${quote(misfit.text)} in line ${misfit.line}) ${fates[fate]}`,
      ]

const mostBad = 20
const mostBadShare = 0.02

/** Whether hardly any of the values are wrong: their rows had better be refused and corrected. */
export const isNearlyAll = ({ misfits, count }: Fit): boolean =>
  misfits <= mostBad && misfits <= (misfits + count) * mostBadShare

/** A few values that are no addresses refuse their rows, many are left out. */
function emailChecks({ name }: Column, fit: Fit, distrusted: Distrusted): Ruled {
  const isStrict = fit.misfit === undefined ? !distrusted.has(name) : isNearlyAll(fit)
  return {
    rule: { as: 'email', ...(!isStrict && { otherwise: 'omit' }) },
    comments: misfitNote(fit, 'e-mail addresses', isStrict ? 'refuse' : 'omit'),
  }
}

/** A column as text; one that is a list becomes one text. */
export const textRule = ({ name, isList }: Column, separator = ', '): Rule =>
  isList ? { join: [name], with: separator } : { from: name }

/** An item of a list, or one for each value of a cell. */
function listed({ name, isList }: Column, key: string, rule: Rule, split: string | undefined): Rule {
  if (split === undefined && !isList) return { [key]: { from: name, ...rule } }
  return { from: name, ...(split && { split }), each: { [key]: { from: '.', ...rule } } }
}

/** An e-mail address, or several in a cell. */
export function emailRule(column: Column, distrusted: Distrusted): Ruled {
  const { rule, comments } = emailChecks(column, column.fits.emails, distrusted)
  return { rule: listed(column, 'email', rule, commonest(column.emailLists)), comments }
}

/** A phone number, or several in a cell; of a column that is mostly something else, only what can be read for sure. */
export function phoneRule(column: Column, distrusted: Distrusted): Ruled {
  const { phone, phones, international } = column.fits
  const split = commonest(column.phoneLists)
  const isStrict =
    column.filled > 0 &&
    international.count === column.filled &&
    split === undefined &&
    !distrusted.has(column.name)
  const isJunk =
    phones.misfits > column.filled / 2 && phone.count === international.count && split === undefined
  const otherwise = isJunk ? 'omit' : 'keep'
  const rule = {
    as: 'phone',
    ...(column.hasExtensions && { extension: 'keep' }),
    ...(!isStrict && { otherwise }),
  }
  return {
    rule: listed(column, 'phone_number', rule, split),
    comments: isStrict ? [] : misfitNote(phones, 'phone numbers', otherwise),
  }
}

/** A single e-mail address of a user. */
function userEmailRule(column: Column, distrusted: Distrusted): Ruled {
  const { rule, comments } = emailChecks(column, column.fits.email, distrusted)
  return {
    rule: { ...textRule(column), ...rule, ...(column.isList && { otherwise: 'omit' }) },
    comments,
  }
}

/** A web address, as `url` or `domain`. */
export function urlRule(column: Column, as: 'url' | 'domain', distrusted: Distrusted): Ruled {
  const isStrict = column.fits.url.misfits === 0 && !distrusted.has(column.name) && !column.isList
  return {
    rule: { ...textRule(column), as, ...(!isStrict && { otherwise: 'keep' }) },
    comments: misfitNote(column.fits.url, 'web addresses', 'keep'),
  }
}

/** A number, with the decimal sign that most values have. */
export function numberRule(column: Column, distrusted: Distrusted): Ruled {
  const { number, decimalComma } = column.fits
  const hasComma = decimalComma.count > number.count
  const fit = hasComma ? decimalComma : number
  const isStrict = fit.misfits === 0 && !distrusted.has(column.name)
  return {
    rule: {
      ...textRule(column),
      as: 'number',
      ...(hasComma && { decimal: ',' }),
      ...(!isStrict && { otherwise: 'omit' }),
    },
    comments: misfitNote(fit, 'numbers'),
  }
}

const [usualYes, usualNo] = [new Set(yesWords), new Set(noWords)]
const yes = new Set([...yesWords, ...vocabulary.yes.split('|')])
const no = new Set([...noWords, ...vocabulary.no.split('|')])

/** The words for yes and no in a column; undefined where it holds others. */
export function yesNoWords({ values, hasMoreValues }: Column): { yes: string[]; no: string[] } | undefined {
  if (hasMoreValues || values.size === 0 || values.size > 6) return undefined
  const ofSet = (set: ReadonlySet<string>) => [...values].filter(value => set.has(value.toLowerCase()))
  const found = { yes: ofSet(yes), no: ofSet(no) }
  return found.yes.length + found.no.length === values.size ? found : undefined
}

/** The parts of a rule that read those words. */
export function wordsRule(found: { yes: string[]; no: string[] }): Rule {
  const isUsual =
    found.yes.every(word => usualYes.has(word.toLowerCase())) &&
    found.no.every(word => usualNo.has(word.toLowerCase()))
  return {
    as: 'boolean',
    ...(!isUsual && found.yes.length > 0 && { true: found.yes }),
    ...(!isUsual && found.no.length > 0 && { false: found.no }),
  }
}

/** A yes/no column as a field, where it is one. */
export function yesNoParts(key: string, column: Column | undefined, distrusted: Distrusted): Part[] {
  const found = column && !column.isList ? yesNoWords(column) : undefined
  if (column === undefined || found === undefined) return []
  const otherwise = distrusted.has(column.name) ? { otherwise: 'omit' } : {}
  return [field(key, { ...textRule(column), ...wordsRule(found), ...otherwise })]
}

/** The user who answers for a record: by an e-mail address, else by a table of ids, which is only suggested. */
export function userParts(
  candidates: readonly Column[],
  distrusted: Distrusted,
  byId: (rule: Rule) => readonly [key: string, value: Flow],
): Part[] {
  const filled = candidates.filter(column => column.filled > 0)
  const byEmail = filled.find(column => column.share('email') > 0.5)
  if (byEmail !== undefined)
    return [group('assigned_user', [ruledField('email', userEmailRule(byEmail, distrusted))])]
  const [named] = filled
  if (named === undefined) return []
  const [key, value] = byId({ ...textRule(named), lookup: 'users', missing: 'omit', as: 'integer' })
  const why = 'People by name need a table of users: put this in, and "users" of the lookups above.'
  return [suggestion(key, value, [why], { users: { file: 'users.csv', key: 'name', value: 'user_id' } })]
}
