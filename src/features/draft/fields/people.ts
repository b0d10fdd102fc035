// How people are reached, and the users and other records that rows refer to.
import type { Separator } from '../../../mapping/values.ts'
import type { Row } from '../../../model/row.ts'
import { kinds, type RecordType } from '../../../records/kinds.ts'
import { type Column, type Columns, type Fit, isNearlyAll } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isDialled } from '../columns/values.ts'
import { anyOf } from '../columns/words.ts'
import { type Flow, type FlowMap, type Fragment, field, group, quote, suggestion } from '../yaml.ts'
import { misfitNote, type Otherwise, textIn, textRule } from './rules.ts'

/** A few values that are no addresses refuse their rows, many are left out. */
function emailOtherwise({ isDistrusted }: Column, fit: Fit): Otherwise {
  const isStrict = fit.misfits === 0 ? !isDistrusted : isNearlyAll(fit)
  return isStrict ? undefined : 'omit'
}

/** An item of a list, or one for each value of a cell. */
function listItem({ name, isList }: Column, key: string, rule: FlowMap, split?: Separator): FlowMap {
  if (split === undefined && !isList) return { [key]: { from: name, ...rule } }
  return { from: name, split, each: { [key]: { from: '.', ...rule } } }
}

const addressOnly = ({ hasNamedEmails }: Column): FlowMap =>
  hasNamedEmails ? { replace: [{ pattern: '^.*<([^<>]+)>$', with: '$1' }] } : {}

function emailItem(column: Column): Fragment {
  const { emails } = column.fits
  const otherwise = emailOtherwise(column, emails)
  const rule = { ...addressOnly(column), as: 'email', otherwise }
  return field('-', listItem(column, 'email', rule, column.emailSigns.split), misfitNote(emails, otherwise))
}

/** An address that is in several columns of a row is sent once. */
export function emailsPart(all: Columns, rows: RowFacts): Fragment | undefined {
  const columns = withoutCopies(all, rows)
  const isPlain = ({ name, isList, emailSigns, hasNamedEmails }: Column) =>
    !isList && !hasNamedEmails && emailSigns.size === 0 && !/[`.]/.test(name)
  const repeats = (row: Row) => {
    const cells = columns.flatMap(column => cellText(row, column) || [])
    return new Set(cells).size < cells.length
  }
  if (!columns.every(isPlain) || !rows.kept.some(repeats)) return group('emails', columns.map(emailItem))
  const otherwise = columns.map(column => emailOtherwise(column, column.fits.emails)).find(Boolean)
  const expr = `$distinct([${columns.map(({ name }) => `$lowercase(\`${name}\`)`).join(', ')}])`
  const notes = columns.map(({ fits }) => misfitNote(fits.emails, otherwise))
  return field('emails', { expr, each: { email: { from: '.', as: 'email', otherwise } } }, ...notes)
}

/** Numbers that cannot be read stay, unless most of the column is something else. */
function phoneOtherwise(column: Column): Otherwise {
  const { fits, filled, isDistrusted } = column
  const { phone, phones, international } = fits
  if (column.share('emails') > 0.1) return 'omit'
  if (filled > 0 && international.count === filled && !isDistrusted) return undefined
  const hasOthers = phones.misfits > filled / 2 && column.shareOf(isDialled) < 0.5
  return hasOthers && phone.count === international.count ? 'omit' : 'keep'
}

const countryNote = [
  'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
  'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
]

export function phonesPart(all: Columns, rows: RowFacts): Fragment | undefined {
  const own = all.filter(({ words }) => !anyOf.faxes.test(words))
  const phones = withoutCopies(own, rows).map(column => ({ column, otherwise: phoneOtherwise(column) }))
  const items = phones.map(({ column, otherwise }) => {
    const rule = { as: 'phone', extension: 'keep', otherwise }
    const item = listItem(column, 'phone_number', rule, column.phoneSigns.split)
    return field('-', item, otherwise && misfitNote(column.fits.phones, otherwise))
  })
  const keepsSome = phones.some(({ otherwise }) => otherwise === 'keep')
  return group('phones', items, ...(keepsSome ? countryNote : []))
}

/** The assignee: by an e-mail address, else by a table of ids, which is only suggested. */
export function userPart(candidates: Columns, record: RecordType): Fragment | undefined {
  const filled = candidates.filter(column => column.filled > 0)
  const byEmail = filled.find(column => column.share('email') > 0.5)
  if (byEmail !== undefined) {
    const { email } = byEmail.fits
    const otherwise = byEmail.isList ? 'omit' : emailOtherwise(byEmail, email)
    const rule = { ...textRule(byEmail), ...addressOnly(byEmail), as: 'email', otherwise }
    return group('assigned_user', [field('email', rule, misfitNote(email, otherwise))])
  }
  const [named] = filled
  if (named === undefined) return undefined
  const rule = { ...textRule(named), lookup: 'users', missing: 'omit', as: 'integer' }
  const hasId = 'assigned_user_id' in kinds[record].request().shape
  const why = `? Which users are the people of ${quote(named.name)}? They need a table of users: put this in, and "users" of the lookups above.`
  const part = hasId ? field('assigned_user_id', rule) : field('assigned_user', { user_id: rule })
  return suggestion({ ...part, used: { users: { file: 'users.csv', key: 'name', value: 'user_id' } } }, why)
}

/** The parent by its name or id; `from` is the lookup that finds it. */
export const parentPart = (column: Column, lookup: string, from: Flow, note?: string): Fragment => ({
  ...field('parent', { record_id: { ...textRule(column), lookup, missing: 'omit' } }, note),
  used: { [lookup]: from },
})

const cellText = (row: Row, column: Column) => textIn(row, column).toLowerCase()

/** Leaves out the columns that only repeat one before them. */
function withoutCopies(columns: Columns, { kept }: RowFacts): Column[] {
  const isCopy = (column: Column, first: Column) =>
    column.filled > 0 && kept.every(row => ['', cellText(row, first)].includes(cellText(row, column)))
  return columns.filter((column, at) => !columns.slice(0, at).some(first => isCopy(column, first)))
}
