import type { Column } from './column.ts'
import { dateParts } from './date-rule.ts'
import { estimatePart } from './estimate.ts'
import type { RowFacts } from './facts.ts'
import { field, group, item, looking, off, type Part } from './lines.ts'
import { type Match, of, plainest } from './match.ts'
import { namePart, nameQuestion } from './name-part.ts'
import { priorityPart } from './priority.ts'
import { type Distrusted, listSign, ruledPart, textRule, userEmailRule } from './rules.ts'
import type { TaskRole } from './task-words.ts'
import { userLookup } from './user-lookup.ts'
import { yesNoPart } from './yes-no.ts'

/** What a draft of tasks is made of. */
export interface TaskFacts {
  readonly columns: readonly Column[]
  readonly matches: readonly Match<TaskRole>[]
  readonly facts: RowFacts
  readonly distrusted: Distrusted
}

/** The fields of a task. */
export function taskParts(given: TaskFacts): Part[] {
  const { columns, matches, facts, distrusted } = given
  const get = (role: TaskRole) => plainest(matches, role)
  const title = titleOf(given)
  const id = get('id')
  const fallback = title === undefined ? columns.slice(0, 1) : [title]
  const isNamed = of(matches, 'name').some(({ column }) => column === title)
  const chain = [get('description'), id].filter(
    column => column !== undefined && column !== title,
  ) as Column[]
  const description = of(matches, 'description').find(({ column }) => column !== title)?.column
  const [start, due, completed] = [get('start'), dueOf(matches), datesOf(matches, 'completed')]
  const dates = [
    ...(start ? dateParts('start_date', start, distrusted, columns) : []),
    ...(due ? dateParts('due_date', due, distrusted, columns) : []),
  ]
  const priority = get('priority')
  const estimate = get('estimate')
  return [
    namePart(fallback, chain, facts, isNamed ? [] : nameQuestion('task', fallback)),
    ...(description && description.filled > 0
      ? [field('description', { ...textRule(description, '\n\n'), as: 'html' })]
      : []),
    ...(priority ? [priorityPart(priority)] : []),
    ...people(given),
    ...(dates.length > 0 ? [group('date_info', dates)] : []),
    ...(completed ? dateParts('completed_at', completed, distrusted, columns) : []),
    ...(estimate ? estimatePart('estimated_time', estimate, distrusted) : []),
    ...yesNoPart('billable', get('billable'), distrusted),
    ...yesNoPart('archived', get('archived'), distrusted),
    ...projects(get('project')),
    ...parents(get('parent'), id ?? columns.find(({ name }) => name === '#') ?? title),
  ]
}

/** The column that says what is to be done: by its name, else the first whose texts differ. */
function titleOf({ columns, matches }: TaskFacts): Column | undefined {
  const named = plainest(matches, 'name')
  if (named !== undefined && named.filled > 0) return named
  const free = columns.filter(column => column.filled > 0 && !matches.some(match => match.column === column))
  const isText = ({ fits, filled }: Column) =>
    fits.number.count + fits.date.count + fits.email.count + fits.url.count < filled / 2
  return (
    free.find(column => isText(column) && (column.hasMoreValues || column.values.size > column.filled / 2)) ??
    free.find(isText) ??
    named ??
    plainest(matches, 'description') ??
    columns.find(({ filled }) => filled > 0)
  )
}

const looksDated = ({ filled, fits, example }: Column) =>
  filled === 0 || fits.date.count > 0 || /^\d{5,13}$/.test(example?.text ?? '')

const datesOf = (matches: readonly Match<TaskRole>[], role: TaskRole) => {
  const found = of(matches, role).map(({ column }) => column)
  return (
    found.find(column => column.filled > 0 && looksDated(column)) ?? found.find(({ filled }) => filled === 0)
  )
}

/** What is called a date holds dates, or nothing that speaks for anything else. */
const dueOf = (matches: readonly Match<TaskRole>[]) => datesOf(matches, 'due') ?? plainest(matches, 'due')

function people({ matches, distrusted }: TaskFacts): Part[] {
  const candidates = [...of(matches, 'assigneeEmail'), ...of(matches, 'assignee')].map(({ column }) => column)
  const byEmail = candidates.find(({ fits, filled }) => filled > 0 && fits.email.count > filled / 2)
  const named = candidates.find(({ filled }) => filled > 0)
  const followers = of(matches, 'followers').find(
    ({ column }) => column.fits.email.count + Math.max(0, ...column.emailLists.values()) > column.filled / 2,
  )?.column
  const parts: Part[] = []
  if (byEmail !== undefined)
    parts.push(group('assigned_user', [ruledPart('email', userEmailRule(byEmail, distrusted))]))
  else if (named !== undefined) parts.push(userLookup(named, 'task'))
  if (followers !== undefined && followers.filled > 0) {
    const [split] = followers.emailLists.keys()
    parts.push(
      field('followers', {
        from: followers.name,
        ...(split && { split }),
        each: { email: { from: '.', as: 'email', otherwise: 'omit' } },
      }),
    )
  }
  return parts
}

function projects(column: Column | undefined): Part[] {
  if (column === undefined || column.filled === 0) return []
  const split = listSign(column)
  if (split === undefined && !column.isList)
    return [group('projects', [item({ name: { from: column.name } })])]
  return [field('projects', { from: column.name, ...(split && { split }), each: { name: '{{.}}' } })]
}

function parents(column: Column | undefined, id: Column | undefined): Part[] {
  if (column === undefined || column.filled === 0) return []
  return [
    looking(
      off(
        field(
          'parent',
          { record_id: { ...textRule(column), lookup: 'parents', missing: 'omit' } },
          'The parent is another row of this file: put this in, and "parents" of the lookups above, with the column that the parents are named by.',
        ),
      ),
      { parents: { self: true, by: id?.name ?? 'COLUMN' } },
    ),
  ]
}
