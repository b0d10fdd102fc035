import type { RecordType } from '../../../records/kinds.ts'
import type { Column } from '../columns/column.ts'
import { isPersonName, isSentence } from '../columns/evidence.ts'
import {
  anyOf,
  type ContactRole,
  headerWords,
  oneOf,
  type TaskRole,
  vocabulary,
  wordList,
} from '../columns/words.ts'
import type { Match, Roles } from './match.ts'

type ContactRoles = Roles<ContactRole>
type TaskRoles = Roles<TaskRole>

/** Which record the rows are, by the names and the values of the columns, and whether it is to be asked. */
export function judged(contact: ContactRoles, task: TaskRoles, fileName: string) {
  const { shared, worth } = vocabulary
  const ofContact = besides(contact, task, shared.contact)
  const ofTask = besides(task, contact, shared.task)
  const [entity] = contact.columns.flatMap(({ words }) => entityOf(words, ids) ?? [])
  const file = entityOf(headerWords(fileName.replace(/^.*[\\/]/, '')), mentions)
  const named = (record: RecordType) => (entity === record ? 3 : 0) + (file === record ? 1.5 : 0)
  const people =
    ofContact.filter(naming).length > 1 ? 3 : contact.columns.some(areFreePeople(ofContact, task)) ? 1 : 0
  const score = {
    contact: scoreOf(ofContact, worth.contact) + people + named('contact'),
    task: scoreOf(ofTask, worth.task) + signsOfTasks(contact, task, ofContact) + named('task'),
  }
  const record: RecordType = score.task > score.contact ? 'task' : 'contact'
  const lead = Math.abs(score.task - score.contact)
  const isClose = lead === 0 || (lead <= 1 && score.task > 0) || (record === 'task' && score.task < 2)
  return { record, isAsked: isClose || areBookings(task) || hasOther(contact, ofContact) }
}

const isOf = (roles: string, most = Infinity) => {
  const names = roles.split('|')
  return ({ role, distance }: Match<string>) => names.includes(role) && distance <= most
}
const naming = isOf('first|last', 3)
const calling = isOf('name|company|first|last', 0)
const reaching = isOf('email|phone')

/** Without the shared roles whose columns are as near to a role of the other record. */
function besides<A extends string, B extends string>(own: Roles<A>, other: Roles<B>, shared: string) {
  const nearest = ({ column }: Match<A>) =>
    Math.min(Infinity, ...(other.candidates.get(column) ?? []).map(({ distance }) => distance))
  return own.matches.filter(match => !isOf(shared)(match) || match.distance < nearest(match))
}

/** Addresses and numbers that repeat are less likely those of the rows. */
const repeats = ({ filled, samples }: Column) => filled > 2 && samples.size < Math.min(filled * 0.6, 50)

function scoreOf(matches: readonly Match<string>[], weights: string): number {
  const weightOf = ({ column, role }: Match<string>, weight: string) =>
    Number(weight) * (/^(email|phone)$/.test(role) && repeats(column) ? 0.5 : 1)
  const near = matches.filter(({ distance }) => distance <= 4 || distance === Infinity)
  const worth = weights.split('|').map(each => {
    const [role = '', weight = ''] = each.split(' ')
    return Math.max(0, ...near.filter(match => match.role === role).map(match => weightOf(match, weight)))
  })
  return worth.reduce((sum, each) => sum + each, 0)
}

/** What speaks for tasks beside the roles. */
function signsOfTasks(contact: ContactRoles, task: TaskRoles, ofContact: readonly Match<string>[]): number {
  const { columns, candidates } = contact
  const found = (column: Column) => candidates.get(column) ?? []
  const isPerson = ofContact.some(naming)
  const isReached = isPerson || ofContact.some(reaching)
  const isTitled = task.matches.some(
    match => isOf('name', 0)(match) && !found(match.column).some(calling) && areLong(match.column),
  )
  const areTitles = (column: Column) =>
    !repeats(column) && column.shareOf(isSentence) >= 0.5 && !found(column).some(isOf(texts, 3))
  const areDates = (column: Column) => column.share('date') > 0.8 && found(column).length === 0
  return [
    isTitled ? 1.5 : 0,
    !isPerson && columns.some(areTitles) ? 2 : 0,
    !isReached && columns.some(areDates) ? 1 : 0,
    columns.some(areLevels) ? 1.5 : 0,
    columns.some(column => column.shareOf(isTrackerKey) > 0.8) ? 1.5 : 0,
    columns.some(({ words }) => taskWords.test(words) && words.split(' ').length <= 4) ? 3 : 0,
  ].reduce((sum, each) => sum + each, 0)
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
const areFreePeople = (ofContact: readonly Match<string>[], task: TaskRoles) => (column: Column) =>
  column.shareOf(isPersonName) > 0.6 &&
  (task.candidates.get(column)?.length === 0 ||
    ofContact.some(match => match.column === column && match.role === 'name'))

const numbers = '[ns]? ?(ids?|uid|key|no|nr|num|number|nummer|ref|code|name|subject|betreff)'
const { contact: contacts, task: tasks } = vocabulary.entityOf
const ids = [oneOf(`(${contacts})${numbers}`), oneOf(`(${tasks})${numbers}`)] as const
const mentions = [anyOf(`(${contacts})(e?s|en)?`), anyOf(`(${tasks})(e?s|en)?`)] as const
const entityOf = (words: string, [contact, task]: typeof ids) =>
  contact.test(words) ? 'contact' : task.test(words) ? 'task' : undefined

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
  const isHeld = (own.length > 0 ? own : matches.filter(isOf('name', 4))).some(
    ({ column: { filled, rows, samples } }) => filled === rows && samples.size === Math.min(filled, 60),
  )
  return (
    !isPlanned &&
    !isHeld &&
    columns.some(({ words }) => worked.test(words)) &&
    columns.some(column => column.share('date') > 0.8)
  )
}
