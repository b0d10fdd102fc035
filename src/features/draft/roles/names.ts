import type { Row } from '../../../model/row.ts'
import { counted } from '../../../output/text.ts'
import type { Column, Columns } from '../columns/column.ts'
import { nameEnding } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import { hasLetter, isCompanyName, isNamelike, isPersonName } from '../columns/values.ts'
import { anyOf, type ContactRole, oneOf, vocabulary, wordsOf } from '../columns/words.ts'
import { isEmptyRow, someEmpty, textIn, yesNoWords } from '../fields/rules.ts'
import { compact, quote } from '../yaml.ts'
import { isCode } from './key.ts'
import { inMost, type Named, organizationScore } from './kind.ts'
import type { ContactRoles } from './match.ts'

/** Decides by which columns the contacts are called, and whether they are people or organizations. */
export function namedBy(roles: ContactRoles, fileName: string): Named {
  const { first, last, whole, company } = nameColumns(roles)
  const parted = [first, roles.get('middle'), last, roles.get('secondLast')]
  const all = compact(...(first || last ? parted : [whole]))
  const parts = all.filter((part, at) => !all.slice(0, at).some(each => areSame(roles.rows, each, part)))
  const isFuller = parts.every(part => parts.length === 1 && company && isBeaten(roles, part, company))
  const isEmpty = roles.rows.rows === 0
  const instead = (isEmpty || company?.filled) && isFuller ? company : undefined
  const [likely = [], ...answers] = parts.length > 0 ? [parts] : unnamed(roles)
  const score = organizationScore(roles, instead ?? likely[0], fileName)
  const kind: Named['kind'] = kindOf(roles, instead ? parts : likely, score, company, instead)
  const rest = [(first || last) && whole, ...roles.all('name'), roles.get('nickname'), company]
  // An organization is not called by its address.
  const reached = kind === 'organization' ? [] : [...roles.all('email', 'phone'), roles.get('linkedin')]
  const named = { kind, score, others: [...new Set(compact(...rest, ...reached))], company }
  const people = first && last && isLargeFirst(last) ? parts.toReversed() : parts
  const isEither = company && parts.length > 0 && isOfContacts(roles, people, company)
  if (kind === 'organization' && instead) {
    const [names, rival] = [[instead], isEither ? people : undefined]
    return { ...named, names, company: undefined, rival, question: nameQuestion(roles, names) }
  }
  if (company && parts.length === 1 && isTyped(roles, company))
    return { ...named, names: [company], company: undefined }
  const rival = isEither ? [company] : undefined
  if (parts.length > 0) return { ...named, names: people, rival, question: nameQuestion(roles, people) }
  const [only, ...more] = likely
  const isFree = only && roles.candidatesOf(only).length === 0
  if (isFree && more.length === 0 && isSurelyName(only)) return { ...named, names: likely }
  const what = likely.map(({ name }) => quote(name)).join(' with ')
  const text = `No column says that it names anybody. Is ${what} what a contact is called by?`
  return { ...named, names: likely, question: { text, others: answers } }
}

/** Another column calls those organizations that have a company, and no others. */
const isTyped = ({ rows, all }: ContactRoles, company: Column): boolean =>
  company.filled > 0 &&
  all('kind').some(kind => {
    const isFirm = (row: Row) => oneOf.companyKinds.test(wordsOf(textIn(row, kind)))
    return rows.kept.every(row => isFirm(row) === (textIn(row, company) !== ''))
  })

/** The columns of names. Next to a first name, `Name` is the last name, and the other way round, unless it holds both. */
function nameColumns(roles: ContactRoles) {
  const [given, last, best] = (['first', 'last', 'name'] as const).map(role => roles.get(role))
  const first = given ?? (last && roles.get('initials'))
  const named = roles.all('company').find(column => column.share('number') < 0.5)
  // Who has a job is not called as a company.
  const isFirm = (best?.shareOf(isCompanyName) ?? 0) >= 0.5 && roles.filled('designation') !== undefined
  const person = roles.all('name').find(({ filled }, at) => at > 0 && filled > 0)
  const [whole, company] = isFirm && person ? [person, named ?? best] : [best, named]
  const part = first ?? last
  const isOfAll = !whole && !part && company && company.filled > 1 && company.samples.size === 1
  if (!whole || !part) return { first, last, whole, company: isOfAll ? undefined : company }
  const isHeld = holds(roles.rows, whole, part) || (first && last && whole.filled < part.filled)
  if (first && last && !isHeld && whole.filled > first.filled && whole.shareOf(isCompanyName) >= 0.3)
    return { company: company ?? whole }
  // A fuller column that holds neither of two names is who they work for.
  if (first && last) return { first, last, whole, company: company ?? (isHeld ? undefined : whole) }
  const isRare = part.filled * 2 < whole.filled // it cannot be the rest of most names
  return isHeld || isRare ? { whole, company } : { first: first ?? whole, last: last ?? whole, company }
}

const areSame = (rows: RowFacts, one: Column, other: Column): boolean =>
  other.filled > 0 && inMost(rows, one, other, (a, b) => a.toLowerCase() === b.toLowerCase())

export const holds = (rows: RowFacts, whole: Column, part: Column): boolean =>
  inMost(rows, whole, part, (all, one) => all.toLowerCase().includes(one.toLowerCase()))

const familyFirst = new RegExp(vocabulary.familyFirst, 'u')
/** Chinese, Japanese and Korean, which put the family, or the country, first. */
export const isLargeFirst = (column: Column): boolean => column.shareOf(text => familyFirst.test(text)) > 0.5

/** A question for a name, or names and surnames that hardly repeat. */
const isSurelyName = (column: Column) =>
  column.samples.size > column.filled * 0.9 &&
  column.shareOf(isPersonName) > (nameEnding.test(column.words) ? 0.5 : 0.9)

/** Columns without a role that have the shape of names, the fullest first. */
const namelike = (roles: ContactRoles): Column[] =>
  roles.columns
    .filter(column => column.filled > 0 && column.isVaried && !column.isList && !roles.others.has(column))
    .filter(({ samples, filled }) => filled < 3 || samples.size > 1)
    .filter(column => yesNoWords(column) === undefined)
    .filter(column => roles.candidatesOf(column).length === 0)
    .filter(({ words }) => !oneOf.organizations.test(words) && !isCode(words))
    .filter(column => column.shareOf(text => isNamelike(text) && !/^\p{Ll}\S*$/u.test(text)) > 0.7)
    .sort((a, b) => b.filled - a.filled)

const mostAnswers = 3

/** Columns to be called by without a column of names: those of that shape, then addresses, texts, and any others. */
function unnamed(roles: ContactRoles): Columns[] {
  const { columns } = roles
  const isOwn = (column: Column) => !roles.others.has(column) && !oneOf.neverNames.test(column.words)
  const filled = columns.filter(column => column.filled > 0 && isOwn(column))
  const reached = roles.all('email', 'website').filter(column => filled.includes(column))
  const texts = filled
    .filter(column => column.share('number', 'date', 'url', 'emails', 'phones') < 0.5)
    .filter(column => column.isVaried && yesNoWords(column) === undefined)
  const free = texts.filter(column => roles.candidatesOf(column).length === 0)
  // a title that differs in every row is no job
  const isTitle = ({ samples, filled, words }: Column) =>
    samples.size > filled * 0.9 && !/ /.test(words) && roles.filled('company') === undefined
  const ended = texts.filter(each => nameEnding.test(each.words) && (free.includes(each) || isTitle(each)))
  const likely = namelike(roles)
  const named = [...ended, ...likely]
  const some = named.length > 0 ? [...named, ...texts] : [...reached, ...texts]
  const best = new Set(some.length > 0 ? some : [...filled, ...columns])
  const single = [...best].slice(0, mostAnswers).map(column => [column])
  const isPart = (column: Column | undefined) =>
    column && likely.slice(0, 2).includes(column) && isOneWord(column)
  const at = columns.findIndex((column, index) => isPart(column) && isPart(columns[index + 1]))
  return at < 0 ? single : [columns.slice(at, at + 2), ...single]
}

/** A question if rows lack a name or share it, and columns without a role have a text of its own in nearly each. */
function nameQuestion({ rows, free, filled }: ContactRoles, names: Columns): Named['question'] {
  const areShared = names.every(({ samples, filled }) => samples.size * 2 < Math.min(filled, 60))
  const lacking = rows.kept.filter(row => isEmptyRow(row, names)).length
  const company = filled('company')
  const isCalled = company !== undefined && !names.includes(company)
  if (isCalled || (lacking < rows.kept.length * 0.2 && !areShared)) return undefined
  const likely = free().filter(isNaming).slice(0, mostAnswers)
  const own = names.map(({ name }) => quote(name)).join(' or ')
  const what = areShared ? 'Rows share their' : `${counted(lacking, 'row has', 'rows have')} no`
  const text = `${what} ${own}. Is that what a contact is called by?`
  return likely.length > 0 ? { text, others: likely.map(column => [column]) } : undefined
}

/** A text in every row that hardly repeats, and is no code, address or time. */
const isNaming = (column: Column) =>
  isFull(column) &&
  column.isVaried &&
  !column.isList &&
  column.samples.size > Math.min(column.filled, 60) * 0.4 &&
  column.filled > 4 &&
  column.shareOf(hasLetter) > 0.9 &&
  column.share('email', 'url', 'date') < 0.5 &&
  !isCode(column.words) &&
  !oneOf.neverNames.test(column.words)

/** Looks like first or last names, which hardly repeat. */
const isOneWord = (column: Column) =>
  column.shareOf(text => !/\s/.test(text)) > 0.6 && column.samples.size > column.filled * 0.7

/** The least score for organizations without a question. */
const enough = 1.8

/** Decides between people and organizations: who has a last name is a person. `instead` is a company that rows are called by. */
function kindOf(roles: ContactRoles, names: Columns, score: number, company?: Column, instead?: Column) {
  const own = roles.matches.filter(({ column, distance }) => column.filled > 0 && distance < 3)
  const isFilled = (role: ContactRole) => own.some(match => match.role === role)
  const isCompanies = names[0] !== undefined && names[0].shareOf(isCompanyName) >= 0.3
  const isPerson = names.length > 0 && (isFilled('last') || (isFilled('first') && !isCompanies))
  const hasJob = own.some(({ role, column }) => role === 'designation' && !names.includes(column))
  if (isPerson || hasJob) return 'person'
  const isOpen = instead !== undefined || !company?.filled
  const isOrganization = (names.length === 0 && instead !== undefined) || (isOpen && score >= enough)
  return isOrganization ? 'organization' : 'person'
}

/** Every row has a company, and somebody there without a job: either may be the record. */
const isOfContacts = (roles: ContactRoles, people: Columns, company: Column) =>
  isFull(company) &&
  company.isVaried &&
  (people.some(({ words }) => anyOf.representatives.test(words)) ||
    (roles.filled('designation') === undefined &&
      people.some(({ filled }) => filled < company.filled) &&
      !someEmpty(people, roles.rows)))

const isFull = ({ filled, rows }: Column) => filled === rows
/** Somebody to ask for at an organization that every row has. */
const isBeaten = ({ columns, rows }: ContactRoles, whole: Column, company: Column) =>
  isFull(company) &&
  columns.some(column => column !== company && oneOf.organizations.test(column.words)) &&
  (whole.filled < company.filled || anyOf.representatives.test(whole.words) || holds(rows, whole, company))
