import type { RecordType } from '../../../records/kinds.ts'
import type { Column, Columns } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isCompanyName, isPersonName, isSentence } from '../columns/values.ts'
import { anyOf, contactRoles, oneOf, someWords, taskRoles, vocabulary, wholeWords } from '../columns/words.ts'
import { weighed, wordsOfFile } from './kind.ts'
import { type ContactRoles, type Match, type Roles, rolesOf, roleWords, type TaskRoles } from './match.ts'

let known: WeakRef<ReturnType<typeof makeWords>> | undefined
const makeWords = () => ({ contact: roleWords(contactRoles), task: roleWords(taskRoles) })

/** The words of all roles: 12 MB, which go after a draft if memory is needed, and are made again for the next one. */
function knownWords() {
  const words = known?.deref() ?? makeWords()
  known = new WeakRef(words)
  return words
}

/** The roles that the columns would have in each record. */
export const rolesOfBoth = (columns: Columns, rows: RowFacts) => ({
  contact: rolesOf(columns, rows, knownWords().contact, ['owner', 'ownerEmail', 'kind']),
  task: rolesOf(columns, rows, knownWords().task),
})

/** The words of a column are those of a role, to the letter. */
export const isKnown = ({ words }: Column) =>
  Object.values(knownWords()).some(({ named }) => named(words, '')[0]?.distance === 0)

/** What speaks for each record: the names and values of the columns, and the name of the file. */
export function scoresOf(contact: ContactRoles, task: TaskRoles, fileName: string) {
  const { columns } = contact
  const ofContact = besides(contact, task)
  const ofTask = besides(task, contact)
  const people = ofContact.filter(naming).length > 1
  const firms = columns.filter(({ words }) => oneOf.organizations.test(words)).length
  const file = wordsOfFile(fileName)
  const own =
    columns.find(({ words }) => signs.contact.id.test(words) || signs.task.id.test(words))?.words ?? ''
  const named = (record: keyof typeof signs) =>
    weighed([3, signs[record].id.test(own)], [1.5, signs[record].mention.test(file)])
  return {
    ofContact,
    contact: worthOf(ofContact, contact.facts) + named('contact') + (firms > 1 ? firms + 1 : people ? 3 : 0),
    task: worthOf(ofTask, task.facts) + named('task') + signsOfTasks(contact, task, ofContact),
  }
}

/** Decides which record the rows are, and whether to ask. */
export function recordOf(contact: ContactRoles, task: TaskRoles, fileName: string) {
  const { ofContact, ...score } = scoresOf(contact, task, fileName)
  const isNamed = [telling, calling].some(of => ofContact.some(of)) || contact.columns.some(areNames)
  const isWork =
    !isNamed && contact.columns.some(column => column.isKeyed && areTitles(column) && !areBriefNames(column))
  const record: RecordType = score.task > score.contact || isWork ? 'task' : 'contact'
  const lead = Math.abs(score.task - score.contact)
  const isClose = lead === 0 || (lead <= 1 && score.task > 0) || (record === 'task' && score.task < 2)
  // of neither record, such as the price and stock of a product, or names of whatever
  const hasOther = contact.columns.filter(({ words }) => oneOf.others.test(words)).length > 1
  const isBare = record === 'contact' && score.contact < 3 && !ofContact.some(telling)
  const isPlanned = task.matches.some(match => isOf('due|date|start|end', 2)(match) && areDays(match.column))
  const isNameless = record === 'contact' && isPlanned && ![naming, calling].some(of => ofContact.some(of))
  const isThin =
    record === 'task' && !task.matches.some(isOf(planned, 2)) && ofContact.some(isOf('email|phone|website'))
  const isOther = isThin || (hasOther && !ofContact.some(reaching)) || isBare || isNameless
  return {
    record,
    asks: isClose || areBookings(task) || isOther || areMessages(task, ofContact),
  }
}

const areDays = (column: Column) => column.share('date') > 0.8

const isOf = (roles: string, most = Infinity) => {
  const names = roles.split('|')
  return ({ role, distance }: Match<string>) => names.includes(role) && distance <= most
}
const naming = isOf('first|last', 3)
const calling = isOf('name|company|first|last', 0)
const reaching = isOf('email|phone')
/** Only people or organizations have such columns. */
const telling = isOf(
  'first|last|email|phone|designation|company|linkedin|twitter|facebook|instagram|prefix|about|postal|street|address',
)

/** Leaves out the shared roles whose columns are as near to a role of the other record. */
function besides<A extends string, B extends string>(own: Roles<A>, other: Roles<B>): Match<A>[] {
  const nearest = ({ column }: Match<A>) =>
    Math.min(Infinity, ...other.candidatesOf(column).map(({ distance }) => distance))
  return own.matches.filter(match => !own.facts[match.role].isShared || match.distance < nearest(match))
}

/** The sum of what the roles weigh, each once, without those of vague words. */
function worthOf(matches: readonly Match<string>[], facts: Roles<string>['facts']): number {
  const roles = new Set(matches.flatMap(({ role, isVague }) => (isVague ? [] : role)))
  return [...roles].reduce((sum, role) => sum + (facts[role]?.worth ?? 0), 0)
}

/** Signs of tasks besides the roles. */
function signsOfTasks(contact: ContactRoles, task: TaskRoles, ofContact: readonly Match<string>[]): number {
  const { columns, candidatesOf } = contact
  const isTitle = (match: Match<string>) =>
    isOf('name', 0)(match) && !candidatesOf(match.column).some(calling) && areLong(match.column)
  const areWorks = (column: Column) =>
    column.shareOf(isSentence) >= 0.5 && !candidatesOf(column).some(isOf(texts, 3))
  return weighed(
    [1.5, task.matches.some(isTitle)],
    [2, !ofContact.some(naming) && columns.some(areWorks)],
    [3, columns.some(({ words }) => anyOf.taskWords.test(words) && words.split(' ').length <= 4)],
    [3, columns.some(({ words }) => oneOf.trackers.test(words))],
  )
}

/** Most are of several words. */
export const areLong = (column: Column): boolean =>
  column.filled === 0 || column.shareOf(text => /\s|[\u3040-\uD7FF]/.test(text)) >= 0.5

const areNames = (column: Column) => column.shareOf(text => isPersonName(text) || isCompanyName(text)) > 0.5

/** Most are a few capital words, perhaps before a note. */
const areBriefNames = (column: Column) =>
  column.shareOf(text => /^\p{Lu}[\p{L}.]+(\s+\p{Lu}[\p{L}.]*){0,2}\s*([(/].*)?$/u.test(text)) > 0.5

/** Nearly every row has a text of its own, of several words. */
export const areTitles = (column: Column): boolean =>
  column.filled > column.rows * 0.9 && column.isVaried && areLong(column)

/** Roles of what is to be done by somebody, or at some time. */
const planned = 'due|start|end|assignee|assigneeEmail|priority|estimate|duration|spent|completed'
const texts = 'designation|description|address|street|street2|company|prefix'

const { entityOf, entityNumbers } = vocabulary
const signsOf = (entity: string) => ({
  id: wholeWords(`(${entity})[ns]? ?(${entityNumbers})`),
  mention: someWords(`(${entity})(e?s|en)?`),
})
const signs = { contact: signsOf(entityOf.contact), task: signsOf(entityOf.task) }

/** Recognizes what somebody wrote to others: it has a sender and a text, and nothing that is planned. */
function areMessages({ columns, matches }: TaskRoles, ofContact: readonly Match<string>[]): boolean {
  const has = (pattern: RegExp) => columns.some(({ words, filled }) => filled > 0 && pattern.test(words))
  const isOther = ({ column }: Match<string>) => !oneOf.messageEnds.test(column.words)
  const isPlanned = matches.filter(isOther).some(isOf('due|priority|status|assignee|assigneeEmail', 2))
  const isReached = ofContact.filter(isOther).some(reaching)
  return has(oneOf.messageEnds) && has(oneOf.messages) && !isPlanned && !isReached
}

/** Recognizes hours on a day with nothing planned: in several rows of a task, or of tasks that are all over or have neither status nor start. */
export function areBookings({ columns, matches }: TaskRoles): boolean {
  const has = (...of: Parameters<typeof isOf>) => matches.filter(isOf(...of))
  const own = has('id', 4)
  const isKeyed = (own.length > 0 ? own : has('name', 4)).some(({ column }) => column.isKeyed)
  const isOver = has('completed', 2).some(({ column }) => column.fits.date.count === column.rows)
  const isHeld = isKeyed && !isOver && has('start|end|completed|status', 2).length > 0
  const isOfDays = ({ column }: Match<string>) => areDays(column) && !column.dates.verdict().hasTime
  const hasClock = has('startTime|dueTime', 2).length > 0
  const isPlanned = !hasClock && has('start', 2).some(isOfDays) && has('due|end', 2).some(isOfDays)
  const isWorked = has('duration|spent', 2).length > 0 && has('due|priority', 2).length === 0
  return !isHeld && !isPlanned && isWorked && columns.some(areDays)
}
