import type { Row } from '../../../model/row.ts'
import type { Column, Columns } from '../columns/column.ts'
import { isWordy } from '../columns/evidence.ts'
import { isPersonName, levelOf } from '../columns/values.ts'
import { anyOf, oneOf, someWords, type TaskRole, vocabulary, wordsOf } from '../columns/words.ts'
import type { FileFacts } from '../drafts.ts'
import { type Fragment, field, group, suggestion } from '../lines.ts'
import notes from '../notes.json' with { type: 'json' }
import { fullOnes, haveAreaCode, type TaskRoles } from '../roles/match.ts'
import { areBookings } from '../roles/record.ts'
import { compact, type FlowMap, quote, told } from '../yaml.ts'
import { datePart, estimatePart, hoursPart, rangeHalves, settleByTime } from './dates.ts'
import { parentPart, userPart } from './people.ts'
import {
  amountField,
  descriptionPart,
  namePart,
  onePart,
  perhaps,
  textIn,
  textRule,
  withoutLink,
  withRivals,
  yesNoField,
} from './rules.ts'
import { describing, isInstead, isOfTexts, titleOf, titleQuestion } from './title.ts'

const linked = ['project', 'parent', 'contact', 'contactEmail', 'contactPhone', 'spent'] as const

export function taskParts(
  roles: TaskRoles,
  { country, links }: Pick<FileFacts, 'country' | 'links'>,
): Fragment[] {
  const { rows, columns } = roles
  const title = titleOf(roles)
  const called = title === undefined ? columns.slice(0, 1) : [title]
  const summaries = roles.all('name').filter(({ words, filled }) => filled > 0 && oneOf.summaries.test(words))
  const texts = roles
    .free()
    .filter(column => (column.hasLineBreaks && isOfTexts(column)) || isWordy(column))
    .filter(column => !roles.weak('project').includes(column))
  const others = [...roles.all('description'), ...texts, ...summaries]
  /** The description, without what the task is called by. */
  const described = (names: Columns) => {
    const own = columns.filter(each => others.includes(each) && !names.includes(each) && each.filled > 0)
    return descriptionPart(own, 'html')
  }
  const likely = describing(roles)
  const more = columns.filter(column => !called.includes(column) && likely.includes(column))
  const worked = roles.all('duration').find(inHours) ?? roles.filled('duration')
  const isSpent = worked !== undefined && areBookings(roles)
  const estimate = isSpent ? undefined : roles.filled('estimate')
  // such as a "client name" beside a title
  const untitled = roles.all('name').filter(column => column !== title && column.filled > 0)
  const names = [
    ...roles.all('name', 'description', ...(isSpent ? (['project'] as const) : [])),
    ...roles.free().filter(column => isInstead(column, called, rows)),
  ]
  const priority = roles.filled('priority') ?? [...roles.free(), ...roles.all('tags')].find(isOfLevels)
  const status = roles.all('status').find(({ filled, words }) => filled > 0 && !oneOf.phases.test(words))
  const [project, parent, contact, email, phone, spent] = linked.map(
    role => roles.filled(role) ?? untitled.find(column => roles.candidatesOf(column)[1]?.role === role),
  )
  const costs = roles.all('cost').filter(({ filled }) => filled > 0)
  const unlinked = links ? [] : roles.free() // else they may refer to other files
  const emailOf = (column: Column) =>
    field('contact_email', { ...textRule(column), as: 'email', otherwise: 'omit' })
  const asPhone = { as: 'phone', country, extension: 'keep', otherwise: 'keep' }
  const phoneOf = (column: Column) => field('contact_phone', { ...textRule(column), ...asPhone })
  return compact(
    namePart(called, names, rows, titleQuestion(title, roles), described),
    described(called) ? undefined : perhaps('the description', more, markupPart),
    priority ? priorityPart(priority) : perhaps('the priority', roles.weak('priority'), priorityPart),
    status && statusPart(status),
    assigneePart(roles, called),
    followersField(roles),
    ...dateParts(roles, isSpent),
    estimate
      ? estimatePart(estimate)
      : worked
        ? hoursPart(worked, isSpent)
        : perhaps('the time that is planned', roles.weak('estimate'), column => estimatePart(column)),
    spent && estimatePart(spent, 'actual_time'),
    perhaps('the cost of a task', costs, column => amountField('cost', column)),
    yesNoField('billable', roles.get('billable')),
    yesNoField('archived', roles.get('archived')),
    project
      ? project !== title && projectsPart(project)
      : perhaps('the project', roles.weak('project'), projectsPart),
    parent && parentOf(roles, parent, title),
    email
      ? emailOf(email)
      : perhaps('the e-mail address of a contact', unlinked.filter(haveAddresses), emailOf),
    phone ? phoneOf(phone) : perhaps('the phone number of a contact', unlinked.filter(haveNumbers), phoneOf),
    contact && contactsPart(contact),
  )
}

const haveAddresses = (column: Column) =>
  column.share('email') > 0.5 && !oneOf.correspondents.test(column.words)
const haveNumbers = (column: Column) =>
  haveAreaCode(column) || (anyOf.phoneWords.test(column.words) && column.share('phones') > 0.5)

/** The header has the unit, which values in days leave open. */
const inHours = ({ filled, words }: Column) => filled > 0 && someWords(vocabulary.units.hours).test(words)
/** An end is when a task was done if only rows that are done have one, else when it is due. */
function dateParts(roles: TaskRoles, isSpent: boolean) {
  const { rows } = roles
  const firsts = roles.all('created', 'start')
  const lasts = roles.all('due', 'end', 'completed')
  for (const first of firsts) for (const last of lasts) settleByTime(first, last, rows)
  const date = (key: string, column: Column | undefined, time?: TaskRole) =>
    column && datePart(key, column, time && roles.filled(time))
  const done = completedColumn(roles)
  const ends = roles.all('due', 'end').filter(column => column !== done)
  const dated = ends.filter(column => column.filled > 0)
  const planned = fullOnes(dated)
  // in few rows, beside an end that may be the actual one
  const deadline = dated.slice(0, 1).find(column => column.isVaried && !planned.includes(column))
  const dates = roles.free().filter(column => column.share('date') > 0.8)
  const other = dates.filter(({ words }) => !anyOf.pastDates.test(words)).at(-1)
  const day = planned[0] ?? roles.filled('date') ?? ends[0] ?? other
  const [start, due = day] = day ? rangeHalves(day, rows) : []
  const isEnd = roles.all('end').some(column => column === day)
  const begin = roles.get('start') ?? start ?? (isEnd ? roles.filled('date') : undefined)
  const isBare = day === other || (!begin && day === roles.filled('date'))
  const [first, second] = day ? roles.candidatesOf(day) : []
  const isEither = second?.role === 'completed' && second.distance === first?.distance
  const isUnsure = isEither || (planned.length === 0 && (isBare || isSpent))
  const instead = isSpent ? 'the day on which the hours were worked' : 'when it was noted or done'
  const question = `? Is ${quote(day?.name ?? '')} when the task is due, or ${instead}? If it is due:`
  const rivals = withRivals(compact(due, ...planned.slice(1)), rows)
  const last = onePart('Which says when the task is due', compact(...rivals, deadline), column =>
    datePart('due_date', column, roles.filled('dueTime')),
  )
  const end = isUnsure ? last && suggestion(last, question) : last
  return [group('date_info', [date('start_date', begin, 'startTime'), end]), date('completed_at', done)]
}

/** The column that says when a task was done. */
export const completedColumn = (roles: TaskRoles): Column | undefined =>
  roles.all('completed').find(isDated) ?? roles.all('end').find(column => isOfDone(roles, column))

/** The status says that rows with a value are done, and that those without are not. */
function isOfDone(roles: TaskRoles, column: Column): boolean {
  const { kept } = roles.rows
  const isEmpty = (row: Row) => textIn(row, column) === ''
  const [having, lacking] = [kept.filter(row => !isEmpty(row)), kept.filter(isEmpty)]
  return roles.all('status').some(status => {
    const statuses = (of: readonly Row[]) => new Set(of.map(row => wordsOf(textIn(row, status))))
    const open = statuses(lacking)
    return open.size > 0 && [...statuses(having)].every(each => oneOf.done.test(each) && !open.has(each))
  })
}

/** A column of yes and no says whether, not when. */
const isDated = ({ fits, filled, example }: Column): boolean =>
  fits.date.count > 0 || filled === 0 || /^\d{5,13}$/.test(example?.text ?? '')

/** The parent, by the column that holds what the parents are called; a question if some are missing. */
function parentOf(roles: TaskRoles, parent: Column, title: Column | undefined): Fragment {
  const { columns, rows } = roles
  const wanted = [...parent.samples].map(textRule(parent).replace ? withoutLink : String)
  const areNumbers = wanted.every(text => /^#?\d{1,6}$/.test(text))
  const isId = (column: Column) => column.words === 'id' || column.name === '#'
  const countIn = (column: Column) => {
    const values = new Set(rows.kept.map(row => textIn(row, column)))
    return wanted.filter(text => values.has(text)).length
  }
  const [best] = columns
    .filter(column => column !== parent && column.filled > 0)
    .map(column => ({ column, count: countIn(column), rank: isId(column) ? 2 : Number(column === title) }))
    .sort((a, b) => b.count - a.count || b.rank - a.rank)
  const lookup = { self: true, by: best?.column.name ?? 'COLUMN' }
  const such = `${quote(parent.name)}, such as ${quote(parent.example?.text ?? '')}`
  if (best?.count === 0 && parent.filled > 0) {
    const from = areNumbers ? { self: true, by: 'COLUMN' } : { results: 'parents.results.ndjson' }
    const note = notes.fields[areNumbers ? 'counted_parents' : 'other_parents']
    return suggestion(parentPart(parent, 'parents', from), told(note, { such }))
  }
  if (best === undefined || best.count < wanted.length || !best.column.isKeyed || parent.filled === 0)
    return suggestion(parentPart(parent, 'parents', lookup), notes.fields.parents)
  const note = `All parents are rows of this file, called by ${quote(best.column.name)}.`
  return parentPart(parent, 'parents', lookup, note)
}

/** The contact of an activity, by whatever the import of the contacts has as key. */
function contactsPart(column: Column): Fragment {
  const why = `The contact is a record of its own: import the contacts first, with a key that holds what ${quote(column.name)} holds, then put this in, and "people" of the lookups above.`
  const each = { record_id: { from: '.', lookup: 'people', missing: 'omit' } }
  const rule = { from: column.name, split: column.emailSigns.split ?? column.listSign, each }
  const used = { people: { results: 'people.results.ndjson' } }
  return suggestion({ ...field('contacts', rule), used }, why)
}

/** Who made a task, or did it, is last. */
function assigneePart(roles: TaskRoles, called: Columns): Fragment | undefined {
  const all = roles.all('assigneeEmail', 'assignee')
  const isAuthor = ({ words }: Column) => /^owner\b/.test(words) || oneOf.correspondents.test(words)
  const others = all.filter(column => !isAuthor(column) && column.filled > 0)
  const known = (others.length > 0 ? others : all).filter(({ filled }) => filled > 0)
  const isPeople = (column: Column) => column.isVaried && column.shareOf(isPersonName) > 0.5
  const people = [
    ...roles.weak('assignee').filter(({ fits }) => fits.email.count === 0),
    ...roles.free().filter(isPeople),
  ]
  const likely = people.filter((column, at) => !called.includes(column) && people.indexOf(column) === at)
  return userPart(all.length > 0 ? known : likely, roles.rows, 'task')
}

function followersField(roles: TaskRoles): Fragment | undefined {
  const column = roles.all('followers').find(each => each.share('emails') > 0.5)
  const each = { email: { from: `.${column?.item}`, as: 'email', otherwise: 'omit' } }
  return column && field('followers', { from: column.name, split: column.emailSigns.split, each })
}

const markupPart = (column: Column) => descriptionPart([column], 'html') ?? { lines: [] }

function projectsPart(column: Column): Fragment {
  const { name, listSign, isList } = column
  if (listSign === undefined && !isList) return field('projects', [{ name: textRule(column) }])
  const { replace } = textRule(column)
  return field('projects', { from: name, split: listSign, replace, each: { name: '{{.}}' } })
}

/** Words of several levels; codes such as "M-100" and "M-101" are of one. */
const isOfLevels = ({ values, hasMoreValues, words }: Column) => {
  const levels = new Set([...values].map(levelOf))
  return !hasMoreValues && levels.size > 1 && !levels.has(undefined) && !anyOf.notPriorities.test(words)
}

/** A rule with a table of words, which a person may fill in. */
const tableRule = (name: string, column: Column, table: FlowMap): FlowMap => {
  const map_file = column.worksheets && `${column.worksheets}${name}.csv`
  return { ...textRule(column), ...table, map_file, otherwise: 'omit' }
}

/** The status by numbers of the service, which only a person can look up. */
function statusPart(column: Column): Fragment {
  const map = column.hasMoreValues ? {} : Object.fromEntries([...column.values].map(text => [text, 1]))
  const table = { map: column.worksheets ? undefined : map, as: 'integer' }
  const part = field('status', tableRule('status', column, table))
  return column.worksheets === undefined ? suggestion(part, notes.fields.status) : part
}

/** The priority; for numbers it is unknown which end is urgent. */
function priorityPart(column: Column): Fragment {
  const words = [...column.values]
  const rule = (map: FlowMap) => tableRule('priority', column, Object.keys(map).length > 0 ? { map } : {})
  const known = words.map(text => [text, levelOf(text) ?? ''] as const).filter(([, level]) => level)
  if (known.length > 0 || column.worksheets !== undefined) {
    const unknown = words.filter(text => !levelOf(text)).slice(0, 6)
    const rest = unknown.length > 0 && `Not in the table: ${unknown.map(quote).join(', ')}`
    return field('priority', rule(Object.fromEntries(known)), notes.fields.priority, rest)
  }
  if (words.length < 2) return { lines: [] }
  const examples = words.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).slice(0, 6)
  const table = examples.map((text, at) => [text, ['high', 'medium'][at] ?? 'low'] as const)
  const question = `? Which of ${examples.map(quote).join(', ')} is the most urgent? Put the words right, then take this in:`
  return suggestion(field('priority', rule(Object.fromEntries(table))), question)
}
