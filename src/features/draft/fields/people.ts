// How people are reached, and the users and other records that rows refer to.
import type { Separator } from '../../../mapping/values.ts'
import type { Row } from '../../../model/row.ts'
import { counted } from '../../../output/text.ts'
import { kinds, type RecordType } from '../../../records/kinds.ts'
import { type Column, type Columns, type Fit, isNearlyAll } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isDialled, isInternational, phoneRemarks, plannedNumber, withoutRemarks } from '../columns/values.ts'
import { anyOf, oneOf } from '../columns/words.ts'
import { type Fragment, field, group, question, suggestion } from '../lines.ts'
import notes from '../notes.json' with { type: 'json' }
import { type ContactRoles, haveAreaCode } from '../roles/match.ts'
import { compact, type Flow, type FlowMap, quote } from '../yaml.ts'
import { choiceOf, misfitNote, type Otherwise, onePart, textIn, textRule, withRivals } from './rules.ts'

/** A few values that are no addresses refuse their rows, many are left out. */
function emailOtherwise({ isDistrusted }: Column, fit: Fit): Otherwise {
  const isStrict = fit.misfits === 0 ? !isDistrusted : isNearlyAll(fit)
  return isStrict ? undefined : 'omit'
}

/** An item of a list, or one for each value of a cell. */
function listItem({ name, isList, item }: Column, key: string, rule: FlowMap, split?: Separator): FlowMap {
  if (split === undefined && !isList) return { [key]: { from: name, ...rule } }
  return { from: name, split: item ? undefined : split, each: { [key]: { from: `.${item}`, ...rule } } }
}

const addressOnly = ({ hasNamedEmails }: Column): FlowMap =>
  hasNamedEmails ? { replace: [{ pattern: '^.*<([^<>]+)>$', with: '$1' }] } : {}

const [address, signs] = ['[^\\s,;|/<>()]+@[^\\s,;|/<>()]+', '[\\s,;|/]*']
const withoutAddress = { pattern: `${signs}${address}${signs}`, with: '' }
const hasAddress = (text: string) => new RegExp(address).test(text)
const hasNumber = (text: string) =>
  isDialled(withoutRemarks(text.replace(new RegExp(withoutAddress.pattern), '')))

/** Cells hold an address, a number, or both. */
export const isMixed = (column: Column): boolean =>
  column.shareOf(hasAddress) > 0.1 &&
  column.shareOf(hasNumber) > 0.1 &&
  column.shareOf(text => hasAddress(text) || hasNumber(text)) > 0.8

function emailItem(column: Column): Fragment {
  const { emails } = column.fits
  if (isMixed(column)) {
    const replace = [{ pattern: `^[\\s\\S]*?(${address})[\\s\\S]*$`, with: '$1' }]
    const rule = { replace, as: 'email', otherwise: 'omit' }
    return field('-', listItem(column, 'email', rule), notes.fields.mixed)
  }
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

/** A fax is no phone, unless a phone shares its cell, as in "Phone/Fax"; a mere "phone_fax" is one if there is nothing else. */
function withoutFaxes(all: Columns): Columns {
  const isFax = ({ words }: Column) => anyOf.faxes.test(words)
  const isBoth = ({ name, words }: Column) =>
    anyOf.phoneWords.test(words) && /[/&+,]| (and|und|et|y|e|o|og|och|en|i|и) /i.test(name)
  const phones = all.filter(column => !isFax(column) || isBoth(column))
  return phones.length > 0 ? phones : all.filter(({ words }) => anyOf.phoneWords.test(words))
}

const dialCode = '^\\(?(\\+|0)?\\d{1,4}\\)?$'
/** The code of a country or an area: a column beside that is called so, or the one before numbers that have none. */
function codeOf(column: Column, { columns, all }: ContactRoles): Column | undefined {
  const at = columns.indexOf(column)
  const [before, after] = [columns[at - 1], columns[at + 1]]
  const named = [before, after].find(each => each && oneOf.dialCodes.test(each.words))
  if (named) return named
  if (before && all('postal').includes(before)) return undefined
  const isCode = before?.shareOf(text => new RegExp(dialCode).test(text)) ?? 0
  const isWhole = column.shareOf(text => /^[(+0]/.test(text)) > 0.2
  return before && isCode > 0.8 && before.filled >= column.filled && !isWhole ? before : undefined
}

/** The numbers; those without a country are of `country`. A question if others say which it is. */
export function phonesPart(all: Columns, roles: ContactRoles, country?: string): Fragment | undefined {
  const columns = withoutCopies(withoutFaxes(all), roles.rows)
  const item = (column: Column, of: string | undefined) => {
    const [isOne, otherwise] = isMixed(column) ? [true, 'keep' as const] : [false, phoneOtherwise(column)]
    const replace = isOne ? [withoutAddress, ...phoneRemarks] : column.hasRemarks ? phoneRemarks : undefined
    const signs = [column.phoneSigns.split ?? []]
      .flat()
      .filter(sign => sign !== ' ' || !column.hasSpacedPhones)
    const split = isOne || signs.length === 0 ? undefined : signs.length > 1 ? signs : signs[0]
    const code = split === undefined && !column.isList ? codeOf(column, roles) : undefined
    const joined = code && { from: undefined, join: [code.name, column.name], with: ' ' }
    const alone = code && [{ pattern: dialCode, with: '' }, ...(replace ?? [])] // a code is no number
    const how = { as: 'phone', country: of, extension: 'keep', otherwise }
    const rule = { ...joined, replace: alone ?? replace, ...how }
    const note = otherwise && !isOne && misfitNote(column.fits.phones, otherwise)
    return field('-', listItem(column, 'phone_number', rule, split), note)
  }
  const more = [...new Set([...roles.weak('phone'), ...roles.free().filter(haveAreaCode)])].filter(
    ({ words }) => !anyOf.faxes.test(words),
  )
  const items = (of: string | undefined) => [
    ...columns.map(column => item(column, of)),
    ...more.map(column =>
      suggestion(item(column, of), `? Does ${quote(column.name)} hold phone numbers? Then put this in:`),
    ),
  ]
  const home = country === undefined ? homeOf(columns) : undefined
  const answer = home && group('phones', items(home.country))
  const kept = group('phones', items(undefined)) ?? { lines: [] }
  const standing = { id: 'none', label: 'Leave them as they are', part: kept }
  if (home && answer)
    return question(home.text, [{ id: home.country, label: 'They are', part: answer }], standing)
  const keepsSome = country === undefined && columns.some(column => phoneOtherwise(column) === 'keep')
  return group('phones', items(country), ...(keepsSome ? notes.fields.country : []))
}

/** The country of the numbers that have one, if nearly all others are numbers of it as well. */
function homeOf(columns: Columns) {
  const parts = columns.flatMap(({ samples }) => [...samples].flatMap(text => text.split(/[;|,\n]/)))
  const numbers = parts.map(text => text.trim()).filter(text => isDialled(withoutRemarks(text)))
  const isAbroad = (text: string) => isInternational(withoutRemarks(text))
  const [abroad, national] = [numbers.filter(isAbroad), numbers.filter(text => !isAbroad(text))]
  const plans = abroad.flatMap(text => plannedNumber(text) ?? [])
  const [first] = plans
  const country = first && plans.find(plan => plan.country !== undefined)?.country
  const fits = national.filter(text => plannedNumber(text, country)?.code === first?.code).length
  const isOne = plans.every(({ code }) => code === first?.code)
  if (country === undefined || !isOne || national.length === 0 || fits < national.length * 0.8)
    return undefined
  const place = new Intl.DisplayNames('en', { type: 'region' }).of(country)
  const count = columns.reduce((sum, { fits }) => sum + fits.phones.count - fits.international.count, 0)
  const lead = `${counted(count, 'number has', 'numbers have')} no country`
  const such = `${lead}, such as ${quote(national[0] ?? '')}; the others are all +${first?.code}.`
  const text = `${such} Are these of ${place} as well? Then put this in place of "phones" below:`
  return { country, text }
}

/** The assignee: by an e-mail address, else by a table of ids, which is only suggested. */
export function userPart(candidates: Columns, rows: RowFacts, record: RecordType): Fragment | undefined {
  const filled = candidates.filter(column => column.filled > 0)
  const byEmail = filled.filter(column => column.share('email') > 0.5)
  if (byEmail.length > 0)
    return onePart('Which has the address of who is responsible', withRivals(byEmail, rows), addressOfUser)
  const named = withRivals(filled, rows)
  const hasId = 'assigned_user_id' in kinds[record].request().shape
  const partOf = (column: Column): Fragment => {
    const isOfSeveral = hasSeveral(column)
    const replace = isOfSeveral ? [{ pattern: '\\s*[;,+&|/].*$', with: '' }] : textRule(column).replace
    const rule = { ...textRule(column), replace, lookup: 'users', missing: 'omit', as: 'integer' }
    const note = isOfSeveral && `Of several people in a cell of ${quote(column.name)} the first is taken.`
    const part = hasId
      ? field('assigned_user_id', rule, note)
      : field('assigned_user', { user_id: rule }, note)
    const file = `${column.worksheets ?? ''}users.csv`
    return { ...part, used: { users: { file, key: 'name', value: 'user_id' } } }
  }
  if (named[0] === undefined || named[0].worksheets !== undefined) return named[0] && partOf(named[0])
  const names = named.map(({ name }) => quote(name)).join(' or ')
  const why = `Which users are the people of ${names}? They need a table of users: put this in, and "users" of the lookups above.`
  const [first, ...others] = named.map(each => ({ ...choiceOf(each, partOf), isTitled: named.length > 1 }))
  return question(why, compact(first && { ...first, id: 'take' }, ...others))
}

const betweenPeople = /\s*[;,+&|/]\s*/
/** Cells hold several names: one of them is alone in another cell, or each is of two words. */
const hasSeveral = ({ samples }: Column) =>
  [...samples].some(text => {
    const parts = text.split(betweenPeople)
    const isName = (part: string) => samples.has(part) || /^\p{L}\S*\s\p{L}/u.test(part)
    return (
      parts.length > 1 && parts.every(Boolean) && parts.some(part => samples.has(part) || parts.every(isName))
    )
  })

function addressOfUser(column: Column): Fragment {
  const { email } = column.fits
  const otherwise = column.isList ? 'omit' : emailOtherwise(column, email)
  const rule = { ...textRule(column), ...addressOnly(column), as: 'email', otherwise }
  return group('assigned_user', [field('email', rule, misfitNote(email, otherwise))]) ?? { lines: [] }
}

/** The parent by its name or id; `from` is the lookup that finds it. */
export const parentPart = (column: Column, lookup: string, from: Flow, note?: string): Fragment => ({
  ...field('parent', { record_id: { ...textRule(column), lookup, missing: 'omit' } }, note),
  used: { [lookup]: from },
})

/** Nothing for objects. */
const cellText = (row: Row, column: Column) => (column.item ? '' : textIn(row, column).toLowerCase())

/** Leaves out the columns that only repeat one before them. */
function withoutCopies(columns: Columns, { kept }: RowFacts): Column[] {
  const isCopy = (column: Column, first: Column) =>
    column.filled > 0 &&
    !column.item &&
    kept.every(row => ['', cellText(row, first)].includes(cellText(row, column)))
  return columns.filter((column, at) => !columns.slice(0, at).some(first => isCopy(column, first)))
}
