import type { Column } from '../columns/column.ts'
import type { DistinctValues } from '../columns/distinct-values.ts'
import { anyOf, headerWords, vocabulary, wordList } from '../columns/words.ts'
import type { Drafted } from './drafted.ts'

/** A column whose values name the rows of a file, mostly of another one. */
export interface Relation extends Evidence {
  readonly from: Drafted
  readonly column: Column
  readonly to: Drafted
  /** The column of the other file. */
  readonly by: string
  readonly field: 'parent' | 'contacts' | 'assigned_user' | 'assigned_user_id' | 'followers'
  /** The header says so, too. */
  readonly isTied: boolean
  /** Else the draft asks. */
  readonly isSure: boolean
}

type Evidence = Readonly<ReturnType<typeof evidenceFor>>

const { contact, task } = vocabulary
const identifiers = wordList(`${vocabulary.ids.split('|(')[0]}|${vocabulary.perhapsIds}`)
const fillers = new Set([...identifiers, ...wordList(`${vocabulary.nameEndings}|${vocabulary.places}|email`)])
for (const word of wordList(contact.company)) fillers.delete(word)
const stem = (word: string) => word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')

/** What a header speaks of: `account` for `Account ID` and for `accounts`. */
function subjectOf(words: string): string {
  const stems = words.split(' ').map(stem)
  return stems.filter(word => !fillers.has(word)).join(' ')
}
const subjects = (...lists: readonly string[]) => lists.flatMap(wordList).map(subjectOf).filter(Boolean)

const organization = subjects(contact.company)
const person = subjects(contact.id, contact.name, vocabulary.personKinds)
const users = subjects(task.assignee, task.assigneeEmail, contact.owner, contact.ownerEmail)
const parents = subjects(task.parent)
const subjectsOf = { organization, person, users, mixed: [...organization, ...person], task: parents }
const followers = subjects(task.followers)
const otherPeople = anyOf(vocabulary.otherPeople)

const isParent = (words: string) => parents.includes(subjectOf(words)) || /^parent\b/.test(words)

/** By its header it names organizations; the id of an account may be a person's. */
export const isOfOrganizations = ({ column: { words }, by, to }: Relation): boolean =>
  organization.includes(subjectOf(words)) && (by === to.name || subjectOf(words) !== 'account')

/** The field that a column has for records of a file, if any. */
function fieldFor(from: Drafted, words: string, to: Drafted): Relation['field'] | undefined {
  const subject = subjectOf(words)
  const isUser = users.includes(subject)
  if (to.kind === 'users' && isUser) return from.kind === 'task' ? 'assigned_user' : 'assigned_user_id'
  if (to.kind === 'users')
    return from.kind === 'task' && followers.includes(subject) ? 'followers' : undefined
  if (to.kind === 'task') return from.kind === 'task' && isParent(words) ? 'parent' : undefined
  if (from.kind === 'task') return otherPeople.test(words) ? undefined : 'contacts'
  if (to.kind === 'person' || (to.kind === 'mixed' && from !== to)) return undefined
  return from.kind !== 'organization' || isParent(words) ? 'parent' : undefined
}

function isTied(words: string, to: Drafted, by: string): boolean {
  const subject = subjectOf(words).replace(/^(related|linked|associated) /, '')
  const own = [to.step, by].map(name => subjectOf(headerWords(name)))
  return (
    to.kind === 'users' ||
    isParent(words) ||
    (subject !== '' && [...subjectsOf[to.kind], ...own].includes(subject))
  )
}

/** The field holds several records. */
export const isMultiple = (field: Relation['field']): boolean => /s$/.test(field)

const share = ({ found, total }: Evidence) => found / Math.max(1, total)

/** A cell that names nothing. */
export const nothing = /^(0|[-–—.?]+|n\/?a|none|null|nil|unknown|\\n)$/i

/** How many of the distinct values are there, and the first that is not; `sign` stands between the values of a cell. */
function evidenceFor({ texts }: DistinctValues, to: DistinctValues, sign: string | undefined) {
  const parts = sign === undefined ? texts : texts.flatMap(text => text.split(sign))
  const values = [...new Set(parts.map(part => part.trim()))].filter(Boolean)
  const missing = values.filter(text => !to.has(text))
  return {
    sign,
    total: values.length,
    found: values.length - missing.length,
    missing: missing.find(text => nothing.test(text)) ?? missing[0],
  }
}

/** Few values are equal by chance: no small numbers, no short words. */
const areTelling = ({ texts }: DistinctValues) =>
  texts.filter(text => text.length > 4 && !/^[\d.,]{1,6}$/.test(text)).length > texts.length / 2

/** Undefined where it may be chance; `asks` where it is likely only. */
function strengthOf(
  evidence: Evidence,
  isTied: boolean,
  values: DistinctValues,
): 'sure' | 'asks' | undefined {
  const { found } = evidence
  if (isTied && found > 1 && share(evidence) >= 0.8) return 'sure'
  if (isTied) return found > 0 && share(evidence) >= 0.3 ? 'asks' : undefined
  if (found < 3 || share(evidence) < 0.6 || !areTelling(values)) return undefined
  return found >= 8 && share(evidence) >= 0.9 ? 'sure' : 'asks'
}

/** A column that a rule can read, with one value in each cell. */
const isReadable = ({ name, hasObjects, isList }: Column, mayBeList = false) =>
  name === name.trim() && !hasObjects && (mayBeList || !isList)

/** The columns by which other files may name the rows of this one. */
function namingColumns({ found, values, key, name, kind, distinct }: Drafted): string[] {
  const isNaming = (column: Column) =>
    [key, name].includes(column.name) ||
    kind === 'users' ||
    column.share('email') > 0.5 ||
    identifiers.includes(column.words.split(' ').at(-1) ?? '')
  const isDistinct = (column: Column) =>
    [name, distinct].includes(column.name) || values.get(column.name)?.isNearlyDistinct
  const all = found.columns.filter(column => isReadable(column) && isDistinct(column) && isNaming(column))
  return all.map(column => column.name)
}

/** The ids of a table of users may be those of another service. */
const isTrusted = ({ kind, key = '' }: Drafted) => kind !== 'users' || /user/.test(headerWords(key))

/** A header such as `Person` may name a user, unless the file is called so. */
function isOfUser(words: string, { step, key = '' }: Drafted): boolean {
  const subject = subjectOf(words)
  return users.includes(subject) && ![step, key].map(headerWords).map(subjectOf).includes(subject)
}

/** The relations of a column to the columns of a file. */
function relationsOf(column: Column, from: Drafted, to: Drafted): Relation[] {
  const { name, words } = column
  const [own, field] = [from.values.get(name), fieldFor(from, words, to)]
  const isFree = from.key !== name && (to.kind === 'users' || from.unmapped.includes(name))
  if (!own || !field || !isFree || !isReadable(column, isMultiple(field))) return []
  return namingColumns(to).flatMap(by => {
    const values = from === to && by === name ? undefined : to.values.get(by)
    if (values === undefined) return []
    const signs = isMultiple(field) ? [undefined, column.listSign] : [undefined]
    const [evidence] = signs.map(sign => evidenceFor(own, values, sign)).sort((a, b) => share(b) - share(a))
    const tied = isTied(words, to, by)
    const strength = evidence && strengthOf(evidence, tied, own)
    if (evidence === undefined || strength === undefined) return []
    const isMeant = field === 'contacts' ? !isOfUser(words, to) : tied && isTrusted(to)
    const isSure = (strength === 'sure' && isMeant) || (to.distinct === name && to.path === from.path)
    return [{ ...evidence, from, column, to, by, field, isTied: tied, isSure }]
  })
}

const rank = ({ isSure, isTied, by, to, ...rest }: Relation) =>
  Number(isSure) * 8 + Number(isTied) * 4 + share(rest) + (by === to.key ? 0.1 : 0)

/** Of a file: one of a column, one for a field with a single record, one for what a header speaks of. */
function relationsFrom(from: Drafted, files: readonly Drafted[]): Relation[] {
  const all = from.found.columns.flatMap(column => files.flatMap(to => relationsOf(column, from, to)))
  const placeOf = ({ field, to, column }: Relation) =>
    isMultiple(field) ? `${field} ${to.step} ${subjectOf(column.words)}` : field
  const best: Relation[] = []
  for (const each of all.sort((a, b) => rank(b) - rank(a))) {
    const isTaken = best.some(other => other.column === each.column || placeOf(other) === placeOf(each))
    const isBeside = !each.isTied && best.some(({ to, isTied }) => to === each.to && isTied)
    if (!isTaken) best.push({ ...each, isSure: each.isSure && !isBeside })
  }
  return best
}

/** A file that is referred to refers back, more strongly: a circle. */
const isBack = ({ from, to }: Relation, at: number, all: readonly Relation[]) =>
  from !== to && all.some((other, place) => place < at && other.from === to && other.to === from)

/** The relations among files, and those that a plan could not run. */
export function relationsAmong(files: readonly Drafted[]) {
  const imports = files.filter(({ kind }) => kind !== 'users')
  const all = imports.flatMap(from => relationsFrom(from, files)).sort((a, b) => rank(b) - rank(a))
  return { relations: all.filter((...each) => !isBack(...each)), circular: all.filter(isBack) }
}
