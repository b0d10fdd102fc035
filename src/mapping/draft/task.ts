import { durationTransform } from '../transforms/duration.ts'
import type { Column } from './column.ts'
import { datePart } from './dates.ts'
import type { Roles } from './match.ts'
import { descriptionPart, namePart, parentPart, textRule, userPart, yesNoField } from './rules.ts'
import { anyOf, type TaskRole, vocabulary, wordList, wordsOf } from './words.ts'
import { asked, compact, field, group, type Part, quote, type Rule, suggestion } from './yaml.ts'

type TaskRoles = Roles<TaskRole>

export function taskParts(roles: TaskRoles): Part[] {
  const { columns, rows } = roles
  const filled = (role: TaskRole) => roles.all(role).find(column => column.filled > 0)
  const title = titleOf(roles)
  const called = title === undefined ? columns.slice(0, 1) : [title]
  const isNamed = title !== undefined && roles.all('name').includes(title)
  const question = `No column says that it names a task. Is ${quote(called[0]?.name ?? '')} what is to be done?`
  const description = roles.all('description').find(column => column !== title)
  const date = (key: string, column: Column | undefined, time?: TaskRole) =>
    column && datePart(key, column, columns, time && filled(time))
  const [priority, estimate] = [roles.get('priority'), roles.get('estimate')]
  const [project, parent, contact] = [filled('project'), filled('parent'), filled('contact')]
  const [email, phone] = [filled('contactEmail'), filled('contactPhone')]
  const completed = roles.all('completed').find(isDated)
  return compact(
    namePart(called, [...roles.all('name', 'description', 'id')], rows, !isNamed && question),
    description?.example && descriptionPart(description, [], 'html'),
    priority && priorityPart(priority),
    userPart(roles.all('assigneeEmail', 'assignee'), rule => ['assigned_user', { user_id: rule }]),
    followersField(roles),
    group('date_info', [
      date('start_date', roles.get('start'), 'startTime'),
      date('due_date', filled('due') ?? filled('date') ?? roles.get('due'), 'dueTime'),
    ]),
    date('completed_at', completed),
    estimate && estimatePart(estimate),
    yesNoField('billable', roles.get('billable')),
    yesNoField('archived', roles.get('archived')),
    project && projectsPart(project),
    parent && parentOf(roles, parent, title),
    email && field('contact_email', { ...textRule(email), as: 'email', otherwise: 'omit' }),
    phone &&
      field('contact_phone', { ...textRule(phone), as: 'phone', extension: 'keep', otherwise: 'keep' }),
    contact && contactsPart(contact),
  )
}

/** A column of yes and no says whether, not when. */
const isDated = ({ fits, filled, example }: Column): boolean =>
  fits.date.count > 0 || filled === 0 || /^\d{5,13}$/.test(example?.text ?? '')

/** By the column that holds what the parents are called; asked where some are not found. */
function parentOf({ columns, rows }: TaskRoles, parent: Column, title: Column | undefined): Part {
  const wanted = [...parent.samples]
  const found = ({ name }: Column) => {
    const values = new Set(rows.kept.map(row => String(row.value(name) ?? '').trim()))
    return wanted.filter(text => values.has(text)).length
  }
  const isId = (column: Column) => column.words === 'id' || column.name === '#'
  const others = columns.filter(column => column !== parent && column.filled > 0 && !column.hasObjects)
  const ranked = others
    .map(column => ({ column, count: found(column), rank: isId(column) ? 2 : column === title ? 1 : 0 }))
    .sort((a, b) => b.count - a.count || b.rank - a.rank)
  const [best] = ranked
  const lookup = { self: true, by: best?.column.name ?? 'COLUMN' }
  if (best === undefined || best.count < wanted.length || !best.column.isKeyed || parent.filled === 0)
    return parentPart(parent, ['parents', lookup], parentsNote)
  const rule = { record_id: { ...textRule(parent), lookup: 'parents', missing: 'omit' } }
  const note = `All parents are rows of this file, called by ${quote(best.column.name)}.`
  return { ...field('parent', rule, note), used: { parents: lookup } }
}

/** The contact of an activity, by whatever the import of the contacts has as key. */
function contactsPart(column: Column): Part {
  const why = `The contact is a record of its own: import the contacts first, with a key that holds what ${quote(column.name)} holds, then put this in, and "people" of the lookups above.`
  const each = { record_id: { from: '.', lookup: 'people', missing: 'omit' } }
  const rule = { from: column.name, split: column.emailSigns.split ?? column.listSign, each }
  return suggestion('contacts', rule, [why], { people: { results: 'people.results.ndjson' } })
}

const parentsNote =
  'Is the parent another row of this file? Then put this in, and "parents" of the lookups above, with the column that the parents are named by.'

/** By its name, else the first column whose texts differ. */
function titleOf(roles: TaskRoles): Column | undefined {
  const named = roles.get('name')
  if (named?.example !== undefined) return named
  const filled = roles.columns.filter(column => column.filled > 0)
  const free = filled.filter(column => roles.candidates.get(column)?.length === 0)
  const texts = free.filter(column => column.share('number', 'date', 'email', 'url') < 0.5)
  const differ = ({ hasMoreValues, values, filled }: Column) => hasMoreValues || values.size > filled / 2
  return texts.find(differ) ?? texts[0] ?? named ?? roles.get('description') ?? filled[0]
}

function followersField(roles: TaskRoles): Part | undefined {
  const column = roles.all('followers').find(each => each.share('emails') > 0.5)
  const each = { email: { from: '.', as: 'email', otherwise: 'omit' } }
  return column && field('followers', { from: column.name, split: column.emailSigns.split, each })
}

function projectsPart({ name, listSign, isList }: Column): Part | undefined {
  if (listSign === undefined && !isList) return group('projects', [field('-', { name: { from: name } })])
  return field('projects', { from: name, split: listSign, each: { name: '{{.}}' } })
}

const levels = new Map<string, string>()
for (const [level, words] of Object.entries(vocabulary.priorities))
  for (const word of wordList(words)) levels.set(word, level)
const levelOf = (text: string) => levels.get(wordsOf(text).replaceAll(/^\d+ | \d+$/g, ''))

const priorityNote =
  'Which words the service knows beyond "high" is not documented; what the table lacks is left out.'

/** Of numbers it is unknown which end is urgent. */
function priorityPart(column: Column): Part {
  const words = [...column.values]
  const rule = (map: Record<string, string>) => ({ ...textRule(column), map, otherwise: 'omit' })
  const known = words.map(text => [text, levelOf(text) ?? ''] as const).filter(([, level]) => level)
  if (known.length > 0) {
    const unknown = words.filter(text => !levelOf(text)).slice(0, 6)
    const rest = unknown.length > 0 && `Not in the table: ${unknown.map(quote).join(', ')}`
    return field('priority', rule(Object.fromEntries(known)), priorityNote, rest)
  }
  const examples = words.slice(0, 6)
  const which = examples.map(quote).join(', ')
  const question = which
    ? `Which of ${which} is the most urgent? Put the words right`
    : 'No row has a priority; put its words in'
  const table = examples.map((text, at) => [text, ['high', 'medium'][at] ?? 'low'] as const)
  const map = which ? Object.fromEntries(table) : { High: 'high' }
  return suggestion('priority', rule(map), [
    which ? asked(`${question}, then take this in:`) : `${question}, then take this in:`,
  ])
}

const readDuration = durationTransform('hours', 'hours', undefined)
const readDays = durationTransform('hours', 'hours', 8)
/** In hours; where the unit is unknown, with the question. */
function estimatePart(column: Column): Part {
  const values = [...column.values]
  const bad = values.filter(text => typeof readDuration(text) !== 'number')
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const [inputUnit] =
    Object.entries(vocabulary.units).find(([, words]) => anyOf(words).test(column.words)) ?? []
  const isStrict = bad.length === 0 && !column.hasMoreValues && !column.isDistrusted
  const otherwise = isStrict ? undefined : 'omit'
  const rule = (more: Rule) => ({ ...textRule(column), as: 'duration', unit: 'hours', ...more, otherwise })
  if (inputUnit !== undefined || (bare.length === 0 && values.length > bad.length)) {
    const comment = 'Sent in hours; in which unit the service counts is not documented.'
    const left = bad[0] && `Values such as ${quote(bad[0])} are no known durations and are left out.`
    return field(
      'estimated_time',
      rule({ input_unit: inputUnit === 'hours' ? undefined : inputUnit }),
      comment,
      left,
    )
  }
  const inDays = bare.length > 0 ? undefined : values.find(text => typeof readDays(text) === 'number')
  const place = `${quote(inDays ?? bare[0] ?? column.example?.text ?? '')} (column ${quote(column.name)})`
  const question = inDays
    ? `How many hours has a day in ${place}? If it is 8:`
    : `Does ${place} count hours, minutes or seconds? Nothing says it. If it is minutes:`
  const more = inDays ? { hours_per_day: 8 } : { input_unit: 'minutes' }
  return suggestion('estimated_time', rule(more), [asked(question)])
}
