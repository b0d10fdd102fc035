import { addTo } from '../../model/values.ts'
import { type ContentLine, oneOrAll, resolved, splitEscaped } from '../cards/content-lines.ts'
import { endOfRule, instantBy, readTime, utcOf, writtenTime, type Zones } from './calendar-time.ts'
import { occurrences } from './recurrence.ts'

/** A VTODO, or an event as one; its number counts from 1 in the file. */
export interface Todo {
  readonly number: number
  readonly lines: readonly ContentLine[]
}

const lineOf = ({ lines }: Todo, wanted: string) => lines.find(({ name }) => name === wanted)
const isOccurrence = (todo: Todo) => lineOf(todo, 'RECURRENCE-ID') !== undefined

/** Lines without alarms and other components; undefined if one of them has no end. */
export function withoutInner(lines: readonly ContentLine[]): ContentLine[] | undefined {
  let depth = 0
  const own = lines.filter(({ name }) => {
    if (name === 'BEGIN') depth += 1
    if (name === 'END') depth -= 1
    return depth === 0 && name !== 'END'
  })
  return depth === 0 ? own : undefined
}

/** Checks that a task belongs to those before it, as an occurrence of the same task or as the task of these occurrences. */
export function isOneTask(before: readonly Todo[], todo: Todo): boolean {
  const uid = lineOf(todo, 'UID')?.value
  const isSame = before[0] !== undefined && uid !== undefined && lineOf(before[0], 'UID')?.value === uid
  return isSame && (isOccurrence(todo) || before.every(isOccurrence))
}

const ownNames: Readonly<Record<string, string>> = {
  DTSTART: 'start',
  DTEND: 'due',
  'PERCENT-COMPLETE': 'percent',
  'LAST-MODIFIED': 'modified',
  RRULE: 'recurs',
  'RECURRENCE-ID': 'recurrence_id',
  ATTENDEE: 'attendees',
  ATTACH: 'attachments',
}
const times = /^(DTSTART|DTEND|DUE|COMPLETED|CREATED|LAST-MODIFIED|RECURRENCE-ID)$/
const numbers = /^(PRIORITY|PERCENT-COMPLETE|SEQUENCE)$/
const lists = /^(categories|resources|attendees|attachments|comment|contact)$/
const plain = /^(URL|ATTACH|RRULE|GEO|DURATION)$/
/** DTSTAMP is often the time of the export. */
const unread = /^(|DTSTAMP|EXDATE|EXRULE|RELATED-TO)$/

/** The properties of a task by their names; `shift` is how far start and end of this occurrence are from those of the task. */
export function objectOf(todo: Todo, zones: Zones, shift: number): Readonly<Record<string, unknown>> {
  const nameOf = ({ name }: ContentLine) => ownNames[name] ?? name.toLowerCase()
  const isEvent = lineOf(todo, 'DTEND') !== undefined // a line with "Due:" is of its text then
  const lines = todo.lines.filter(({ name }) => !unread.test(name) && !(isEvent && name === 'DUE'))
  const members = new Map<string, unknown[]>(lines.map(line => [nameOf(line), []]))
  for (const line of lines) {
    const isMoved = /^(DTSTART|DTEND|DUE)$/.test(line.name)
    const moved = isMoved ? shift - (isDayAfter(line, todo) ? day : 0) : 0
    addTo(members.get(nameOf(line)) ?? [], memberOf(line, zones, moved))
  }
  const [start, end, due = end, duration] = ['DTSTART', 'DTEND', 'DUE', 'DURATION'].map(name =>
    lineOf(todo, name),
  )
  return {
    ...Object.fromEntries([...members].map(([name, all]) => [name, lists.test(name) ? all : oneOrAll(all)])),
    ...(start && duration && !due && { due: timeText(start, zones, shift, duration.value) }),
    ...relationsOf(todo),
  }
}

const day = 86_400_000
/** A date at which an event ends is the day after its last one. */
const isDayAfter = ({ name, value }: ContentLine, todo: Todo) =>
  name === 'DTEND' && /^\d{8}$/.test(value) && value !== lineOf(todo, 'DTSTART')?.value

/** The value of a property; a list for one that may have several in a line. */
function memberOf(line: ContentLine, zones: Zones, shift: number): unknown {
  const { name, value } = line
  if (times.test(name)) return timeText(line, zones, shift)
  if (numbers.test(name)) return /^\d{1,9}$/.test(value) ? Number(value) : value
  if (/^(ORGANIZER|ATTENDEE)$/.test(name)) return personOf(line)
  if (name !== 'CATEGORIES' && name !== 'RESOURCES') return plain.test(name) ? value : resolved(value)
  const parts = splitEscaped(value, ',').flatMap(part => splitEscaped(part, ';')) // as in version 1.0
  return parts.map(part => resolved(part).trim()).filter(part => part !== '')
}

/** The time in ISO 8601. One that cannot be read is kept as written, with its zone: no type takes that for a date. */
const timeText = ({ value, params }: ContentLine, zones: Zones, shift: number, duration?: string): string => {
  const time = readTime(value, params, zones)
  const text = writtenTime({ ...time, wall: time.wall + shift }, duration)
  return text ?? [value, duration, ...(params.TZID ?? [])].filter(part => part !== undefined).join(' ')
}

function personOf({ value, params: { CN, EMAIL } }: ContentLine) {
  const [email = value.replace(/^mailto:/i, '')] = EMAIL ?? []
  return { name: CN?.join(', '), ...(email.includes('@') ? { email } : { uri: value }) }
}

/** The relations of a task; one without a type is to the parent. */
function relationsOf({ lines }: Todo) {
  const relations = lines
    .filter(({ name }) => name === 'RELATED-TO')
    .map(({ value, params: { RELTYPE: [type = 'parent'] = [] } }) => ({
      uid: resolved(value),
      type: type.toLowerCase(),
    }))
  const parent = relations.find(({ type }) => type === 'parent')
  const related = relations.filter(each => each !== parent)
  return { parent: parent?.uid, related: related.length > 0 ? related : undefined }
}

function isDone(todo: Todo): boolean {
  const status = lineOf(todo, 'STATUS')?.value
  return status === undefined
    ? lineOf(todo, 'COMPLETED') !== undefined
    : /^(COMPLETED|CANCELLED)$/i.test(status)
}

/** KDE leaves a task at its first occurrence, and writes when the next one is due. */
const dueOfNext = 'X-KDE-LIBKCAL-DTRECURRENCE'

/** The first occurrence that is not done, else the last one, of a task and its changed occurrences. */
export function nextOf(todos: readonly [Todo, ...Todo[]], zones: Zones): { todo: Todo; shift: number } {
  const [task, own] = [todos.find(todo => !isOccurrence(todo)), todos.filter(isOccurrence)]
  if (task === undefined) return { todo: own.find(todo => !isDone(todo)) ?? todos[0], shift: 0 }
  const [anchor, rule] = [lineOf(task, 'DTSTART') ?? lineOf(task, 'DUE'), lineOf(task, 'RRULE')]
  const recurs = rule !== undefined || own.length > 0
  if (anchor === undefined || !recurs || isDone(task)) return { todo: task, shift: 0 }
  const start = readTime(anchor.value, anchor.params, zones)
  const datesOf = ({ lines }: Todo, wanted: string) =>
    lines
      .filter(({ name }) => name === wanted)
      .flatMap(({ value, params }) => value.split(',').map(date => readTime(date, params, zones)))
      .map(date => instantBy(start, date))
  const idsOf = (todo: Todo) => datesOf(todo, 'RECURRENCE-ID')
  const done = new Set([...datesOf(task, 'EXDATE'), ...own.filter(isDone).flatMap(idsOf)])
  const [due = utcOf(start)] = datesOf(task, 'DUE')
  const [next = due] = datesOf(task, dueOfNext)
  const first = utcOf(start) + next - due
  for (const wall of occurrences(rule?.value ?? '', start.wall, until => endOfRule(until, start))) {
    const at = utcOf({ ...start, wall })
    if (done.has(at) || at < first) continue
    const todo = own.find(each => idsOf(each)[0] === at)
    return todo ? { todo: partOf(todo, rule), shift: 0 } : { todo: task, shift: wall - start.wall }
  }
  const last = own.at(-1)
  return { todo: last ? partOf(last, rule) : task, shift: 0 }
}

/** The occurrence as the task, with its rule. */
function partOf(todo: Todo, rule: ContentLine | undefined): Todo {
  const lines = todo.lines.filter(({ name }) => name !== 'RECURRENCE-ID')
  return { ...todo, lines: rule ? [...lines, rule] : lines }
}
