import type { RecordType } from '../../../records/kinds.ts'
import type { Column } from '../columns/column.ts'
import { isPersonName, isSentence } from '../columns/evidence.ts'
import { anyOf, headerWords, oneOf, vocabulary, wordList } from '../columns/words.ts'
import { weighed } from './kind.ts'
import type { ContactRoles, Match, Roles, TaskRoles } from './match.ts'

/** Decides by the names and values of the columns which record the rows are, and whether to ask. */
export function recordOf(contact: ContactRoles, task: TaskRoles, fileName: string) {
  const { columns } = contact
  const ofContact = besides(contact, task, vocabulary.shared.contact)
  const ofTask = besides(task, contact, vocabulary.shared.task)
  const people = ofContact.filter(naming).length > 1 ? 3 : columns.some(areFreePeople(task)) ? 1 : 0
  const file = headerWords(fileName.replace(/^.*[\\/]/, ''))
  const own = columns.find(({ words }) => ids.contact.test(words) || ids.task.test(words))?.words ?? ''
  const named = (record: keyof typeof ids) =>
    weighed([3, ids[record].test(own)], [1.5, mentions[record].test(file)])
  const score = {
    contact: worthOf(ofContact, vocabulary.worth.contact) + named('contact') + people,
    task: worthOf(ofTask, vocabulary.worth.task) + named('task') + signsOfTasks(contact, task, ofContact),
  }
  const record: RecordType = score.task > score.contact ? 'task' : 'contact'
  const lead = Math.abs(score.task - score.contact)
  const isClose = lead === 0 || (lead <= 1 && score.task > 0) || (record === 'task' && score.task < 2)
  const isCalledOther = lead < 4 && mentions[record === 'task' ? 'contact' : 'task'].test(file)
  return { record, asks: isClose || isCalledOther || areBookings(task) || hasOther(contact, ofContact) }
}

const isOf = (roles: string, most = Infinity) => {
  const names = roles.split('|')
  return ({ role, distance }: Match<string>) => names.includes(role) && distance <= most
}
const naming = isOf('first|last', 3)
const calling = isOf('name|company|first|last', 0)
const reaching = isOf('email|phone')

/** Leaves out the shared roles whose columns are as near to a role of the other record. */
function besides<A extends string, B extends string>(own: Roles<A>, other: Roles<B>, shared: string) {
  const nearest = ({ column }: Match<A>) =>
    Math.min(Infinity, ...(other.candidates.get(column) ?? []).map(({ distance }) => distance))
  return own.matches.filter(match => !isOf(shared)(match) || match.distance < nearest(match))
}

/** `weights` are roles with what a column of each is worth. */
function worthOf(matches: readonly Match<string>[], weights: string): number {
  const worths = weights.split('|').map(each => each.split(' '))
  return weighed(
    ...worths.map(([name, weight]) => [Number(weight), matches.some(({ role }) => role === name)] as const),
  )
}

/** Signs of tasks beside the roles. */
function signsOfTasks(contact: ContactRoles, task: TaskRoles, ofContact: readonly Match<string>[]): number {
  const { columns, candidates } = contact
  const found = (column: Column) => candidates.get(column) ?? []
  const isPerson = ofContact.some(naming)
  const isReached = isPerson || ofContact.some(reaching)
  const isTitled = task.matches.some(
    match => isOf('name', 0)(match) && !found(match.column).some(calling) && areLong(match.column),
  )
  const areTitles = (column: Column) =>
    column.shareOf(isSentence) >= 0.5 && !found(column).some(isOf(texts, 3))
  const areDates = (column: Column) => column.share('date') > 0.8 && found(column).length === 0
  return weighed(
    [1.5, isTitled],
    [2, !isPerson && columns.some(areTitles)],
    [1, !isReached && columns.some(areDates)],
    [1.5, columns.some(areLevels)],
    [1.5, columns.some(column => column.shareOf(isTrackerKey) > 0.8)],
    [3, columns.some(({ words }) => taskWords.test(words) && words.split(' ').length <= 4)],
  )
}

/** Titles of people are often a single word. */
const areLong = (column: Column) =>
  column.filled === 0 || column.shareOf(text => /\s|[\u3040-\uD7FF]/.test(text)) >= 0.5

const texts = 'designation|description|address|street|street2|company|prefix'
const isTrackerKey = (text: string) => /^[A-Z]{2,10}-\d+$/.test(text)
const taskWords = anyOf(vocabulary.taskWords)
const levels = new Set(Object.values(vocabulary.priorities).flatMap(wordList))
const areLevels = ({ values, hasMoreValues }: Column) =>
  !hasMoreValues &&
  values.size > 0 &&
  [...values].every(text => text.length > 2 && levels.has(headerWords(text)))

/** Full names in a column that is no role of a task, such as its assignee. */
const areFreePeople =
  ({ candidates }: TaskRoles) =>
  (column: Column) =>
    column.shareOf(isPersonName) > 0.6 && candidates.get(column)?.length === 0

const { entityOf } = vocabulary
const numbers = '[ns]? ?(ids?|uid|key|no|nr|num|number|nummer|ref|code|name|subject|betreff)'
const ids = { contact: oneOf(`(${entityOf.contact})${numbers}`), task: oneOf(`(${entityOf.task})${numbers}`) }
const mentions = {
  contact: anyOf(`(${entityOf.contact})(e?s|en)?`),
  task: anyOf(`(${entityOf.task})(e?s|en)?`),
}

const otherWords = new Set(wordList(vocabulary.others))
/** Such as products, with prices and stock. */
const hasOther = ({ columns }: ContactRoles, ofContact: readonly Match<string>[]) =>
  !ofContact.some(reaching) && columns.filter(({ words }) => otherWords.has(words)).length > 1

const worked = oneOf(vocabulary.worked)
/** Hours on a day, in several rows of the same task or of none. */
function areBookings({ columns, matches }: TaskRoles): boolean {
  const isPlanned = matches.some(
    match => isOf('due|priority', 2)(match) && !/^end\b/.test(match.column.words),
  )
  const own = matches.filter(isOf('id', 4))
  const isHeld = (own.length > 0 ? own : matches.filter(isOf('name', 4))).some(({ column }) => column.isKeyed)
  return (
    !isPlanned &&
    !isHeld &&
    columns.some(({ words }) => worked.test(words)) &&
    columns.some(column => column.share('date') > 0.8)
  )
}
