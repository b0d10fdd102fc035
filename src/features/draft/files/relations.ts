import type { Column, DistinctValues } from '../columns/column.ts'
import { anyOf, contactRoles, headerWords, taskRoles, vocabulary, wordList } from '../columns/words.ts'
import type { FileFacts } from '../drafts.ts'
import { companies } from '../roles/parties.ts'

/** A file among several, with what its own draft makes of it. */
export interface DraftedFile {
  readonly step: string
  /** The path relative to the plan. */
  readonly path: string
  readonly facts: FileFacts
  /** A table of users is no import; `mixed` are people and organizations. */
  readonly kind: 'organization' | 'mixed' | 'person' | 'task' | 'users'
  readonly key: string | undefined
  /** The only column of the name. */
  readonly name: string | undefined
  readonly unmapped: readonly string[]
  /** Each value of the key is a record, and the rows hold more than that. */
  readonly isOfValues?: boolean
}

export const isImport = ({ kind }: DraftedFile): boolean => kind !== 'users'

/** A column whose values name the rows of a file, mostly of another one. */
export interface Relation extends Readonly<ReturnType<typeof evidenceFor>> {
  readonly from: DraftedFile
  readonly column: Column
  readonly to: DraftedFile
  readonly by: string
  readonly field: 'parent' | 'contacts' | 'assigned_user' | 'assigned_user_id'
  /** The header says so, too. */
  readonly isTied: boolean
  /** The draft asks about the others. */
  readonly isSure: boolean
  /** The key of the other file; one without ids takes the column that others refer to. */
  readonly key?: string | undefined
  /** Reason why a plan could not run it: the other file refers back, more strongly, or its rows cannot be found. */
  readonly left?: 'circle' | 'keyless' | undefined
}

const { ids, perhapsIds, nameEndings, places, personKinds } = vocabulary
const identifiers = wordList(`${ids.split('|(')[0]}|${perhapsIds}`)
const endings = wordList(`${nameEndings}|${places}|email|related|linked|associated`)
const fillers = new Set([...identifiers, ...endings].filter(word => !companies.has(word)))
const stem = (word: string) => word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')

/** The subject of a header: `account` for `Account ID` and for `accounts`. */
function subjectOf(words: string): string {
  const stems = words.split(' ').map(stem)
  return stems.filter(word => !fillers.has(word)).join(' ')
}

const subjectsIn = (words: string) => wordList(words).map(subjectOf).filter(Boolean)
const { company, id, name, owner, ownerEmail } = contactRoles
const { assignee, assigneeEmail, parent } = taskRoles
const organization = subjectsIn(company.words)
const person = subjectsIn(`${id.words}|${name.words}|${personKinds}`)
const users = [assignee, assigneeEmail, owner, ownerEmail].flatMap(({ words }) => subjectsIn(words))
const parents = subjectsIn(parent.words)
const subjectsOf = { organization, person, users, mixed: [...organization, ...person], task: parents }

const isParent = (words: string) => parents.includes(subjectOf(words)) || /^parent\b/.test(words)

/** The header names organizations; the id of an account may be a person's. */
export const isOfOrganizations = ({ column: { words }, by, to }: Relation): boolean =>
  organization.includes(subjectOf(words)) && (by === to.name || subjectOf(words) !== 'account')

/** The field that a column has for records of a file, if any. */
function fieldFor(from: DraftedFile, words: string, to: DraftedFile): Relation['field'] | undefined {
  const isOfTasks = from.kind === 'task'
  if (to.kind === 'users' && !users.includes(subjectOf(words))) return undefined
  if (to.kind === 'users') return isOfTasks ? 'assigned_user' : 'assigned_user_id'
  if (to.kind === 'task') return isOfTasks && isParent(words) ? 'parent' : undefined
  if (isOfTasks) return anyOf.otherPeople.test(words) ? undefined : 'contacts'
  if (to.kind === 'person' || (to.kind === 'mixed' && from !== to)) return undefined
  return from.kind !== 'organization' || isParent(words) ? 'parent' : undefined
}

const share = ({ matched, total }: Pick<Relation, 'matched' | 'total'>) => matched / Math.max(1, total)

const mostTexts = 2_000

/** Counts the first distinct values that are in another column; `sign` is between the values of a cell. */
function evidenceFor(own: DistinctValues, other: DistinctValues, sign: string | undefined) {
  const texts = [...own.texts].slice(0, mostTexts)
  const parts = sign === undefined ? texts : texts.flatMap(text => text.split(sign))
  const values = [...new Set(parts.map(part => part.trim()))].filter(Boolean)
  const missing = values.filter(text => !other.texts.has(text))
  const [total, matched] = [values.length, values.length - missing.length]
  return { sign, total, matched, missing: missing[0], isUnique: other.repeats === 0 }
}

/** Few values are equal by chance: no small numbers, no short words. */
const areTelling = ({ texts }: DistinctValues) =>
  [...texts].filter(text => text.length > 4 && !/^[\d.,]{1,6}$/.test(text)).length > texts.size / 2

/** A column that a rule can read, with one value in each cell. */
const isReadable = ({ name, hasObjects, isList }: Column, mayBeList = false) =>
  name === name.trim() && !hasObjects && (mayBeList || !isList)

/** The columns by which other files may name the rows of this one. */
function namingColumns({ facts, key, name, kind }: DraftedFile): Column[] {
  const endsInId = ({ words }: Column) => identifiers.includes(words.split(' ').at(-1) ?? '')
  const isNaming = (column: Column) => kind === 'users' || column.share('email') > 0.5 || endsInId(column)
  const isNearlyKey = (column: Column) => isNaming(column) && column.distinct?.isNearlyDistinct
  const readable = facts.columns.filter(column => isReadable(column))
  return readable.filter(column => [name, key].includes(column.name) || isNearlyKey(column))
}

function relationsOf(column: Column, from: DraftedFile, to: DraftedFile): Relation[] {
  const { name, words, distinct, listSign } = column
  const field = fieldFor(from, words, to)
  const isFree = from.key !== name && (to.kind === 'users' || from.unmapped.includes(name))
  if (!distinct || !field || !isFree || !isReadable(column, field === 'contacts')) return []
  const { step, key = '', kind } = to
  const subject = subjectOf(words)
  return namingColumns(to).flatMap(({ name: by, distinct: other }) => {
    // A header says what it names, by the name of the file or in other words.
    const isOwn = subject !== '' && [step, key, by].map(headerWords).map(subjectOf).includes(subject)
    const isTied = isOwn || kind === 'users' || isParent(words) || subjectsOf[kind].includes(subject)
    // A header such as `Person` may name a user, and the ids of a table of users may be of another service.
    const isMeant = kind === 'users' ? /user/.test(headerWords(key)) : isOwn || !users.includes(subject)
    const signs = field === 'contacts' ? [undefined, listSign] : [undefined]
    const [evidence] = signs
      .flatMap(sign => (other && (from !== to || by !== name) ? [evidenceFor(distinct, other, sign)] : []))
      .sort((a, b) => share(b) - share(a))
    const [few, some, many, most] = isTied ? [1, 0.3, to.isOfValues ? 1 : 2, 0.8] : [3, 0.6, 8, 0.9]
    if (!evidence || evidence.matched < few || share(evidence) < some) return []
    if (!isTied && !areTelling(distinct)) return []
    const isSure =
      evidence.matched >= many && share(evidence) >= most && isMeant && (isTied || field === 'contacts')
    return [{ ...evidence, from, column, to, by, field, isTied, isSure }]
  })
}

const rank = ({ isSure, isTied, by, to, ...counts }: Relation) =>
  Number(isSure) * 8 + Number(isTied) * 4 + share(counts) + (by === to.key ? 0.1 : 0)

/** The relations of a file: one of a column, one for a field with a single record, one for the subject of a header. */
function relationsFrom(from: DraftedFile, files: readonly DraftedFile[]): Relation[] {
  const all = from.facts.columns.flatMap(column => files.flatMap(to => relationsOf(column, from, to)))
  const placeOf = ({ field, to, column }: Relation) =>
    field === 'contacts' ? `${to.step} ${subjectOf(column.words)}` : field
  const best: Relation[] = []
  for (const each of all.sort((a, b) => rank(b) - rank(a))) {
    const isTaken = best.some(other => other.column === each.column || placeOf(other) === placeOf(each))
    const isLesser = !each.isTied && best.some(({ to, isTied }) => to === each.to && isTied)
    if (!isTaken) best.push({ ...each, isSure: each.isSure && !isLesser })
  }
  return best
}

/** The relations among files, the strongest first. */
export function relationsAmong(files: readonly DraftedFile[]): Relation[] {
  const all = files
    .filter(isImport)
    .flatMap(from => relationsFrom(from, files))
    .sort((a, b) => rank(b) - rank(a))
  const isBack = ({ from, to }: Relation, at: number) =>
    from !== to && all.slice(0, at).some(other => other.from === to && other.to === from)
  const ahead = all.filter((each, at) => !isBack(each, at))
  const asking = (file: DraftedFile) =>
    ahead.find(({ from, to, isUnique }) => to === file && from !== to && isUnique)
  return all.map(each => {
    const key = each.to.key ?? asking(each.to)?.by
    const hasKey = each.from === each.to || key !== undefined
    return { ...each, key, left: !ahead.includes(each) ? 'circle' : hasKey ? undefined : 'keyless' }
  })
}
