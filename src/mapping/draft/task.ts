import { durationTransform } from '../transforms/duration.ts'
import type { Column } from './column.ts'
import { datePart } from './dates.ts'
import { type BodyFacts, columnsOf, plainest } from './match.ts'
import { namePart } from './names.ts'
import { type Rule, textRule, userPart, yesNoField } from './rules.ts'
import { anyOf, headerWords, type TaskRole, vocabulary, wordList } from './words.ts'
import { compact, field, group, type Part, quote, suggestion } from './yaml.ts'

type TaskFacts = BodyFacts<TaskRole>

/** The fields of a task. */
export function taskParts(given: TaskFacts): Part[] {
  const { columns, matches, rows } = given
  const get = (role: TaskRole) => plainest(matches, role)
  const [priority, estimate, project, parent, start] = (
    ['priority', 'estimate', 'project', 'parent', 'start'] as const
  ).map(get)
  const title = titleOf(given)
  const called = title === undefined ? columns.slice(0, 1) : [title]
  const isNamed = title !== undefined && columnsOf(matches, 'name').includes(title)
  const question = `No column says that it names a task. Is ${quote(called[0]?.name ?? '')} what is to be done?`
  const description = columnsOf(matches, 'description').find(column => column !== title)
  const date = (key: string, column: Column | undefined) => column && datePart(key, column, columns)
  const due = datedColumn(matches, 'due') ?? get('due')
  const id = get('id') ?? columns.find(({ name }) => name === '#') ?? title
  return compact(
    namePart(called, [get('description'), get('id')], rows, !isNamed && question),
    description &&
      description.filled > 0 &&
      field('description', { ...textRule(description, '\n\n'), as: 'html' }),
    priority && priorityPart(priority),
    userPart(columnsOf(matches, 'assigneeEmail', 'assignee'), id => ['assigned_user', { user_id: id }]),
    followersField(given),
    group('date_info', [date('start_date', start), date('due_date', due)]),
    date('completed_at', datedColumn(matches, 'completed')),
    estimate && estimatePart(estimate),
    yesNoField('billable', get('billable')),
    yesNoField('archived', get('archived')),
    project && project.filled > 0 && projectsPart(project),
    parent && parent.filled > 0 && parentPart(parent, id),
  )
}

/** The column that says what is to be done: by its name, else the first whose texts differ. */
function titleOf({ columns, matches }: TaskFacts): Column | undefined {
  const named = plainest(matches, 'name')
  if (named !== undefined && named.filled > 0) return named
  const filled = columns.filter(column => column.filled > 0)
  const texts = filled.filter(
    column =>
      !matches.some(match => match.column === column) && column.share('number', 'date', 'email', 'url') < 0.5,
  )
  const differ = ({ hasMoreValues, values, filled }: Column) => hasMoreValues || values.size > filled / 2
  return texts.find(differ) ?? texts[0] ?? named ?? plainest(matches, 'description') ?? filled[0]
}

/** The plainest column of a role that holds dates, or that is empty. */
function datedColumn(matches: TaskFacts['matches'], role: TaskRole): Column | undefined {
  const found = columnsOf(matches, role)
  const isDated = ({ fits, example }: Column) => fits.date.count > 0 || /^\d{5,13}$/.test(example?.text ?? '')
  return found.find(isDated) ?? found.find(({ filled }) => filled === 0)
}

function followersField({ matches }: TaskFacts): Part | undefined {
  const column = columnsOf(matches, 'followers').find(each => each.share('emails') > 0.5)
  const each = { email: { from: '.', as: 'email', otherwise: 'omit' } }
  return column && field('followers', { from: column.name, split: column.emailSigns.best, each })
}

function projectsPart({ name, listSign, isList }: Column): Part | undefined {
  if (listSign === undefined && !isList) return group('projects', [field('-', { name: { from: name } })])
  return field('projects', { from: name, split: listSign, each: { name: '{{.}}' } })
}

const parentPart = (column: Column, id: Column | undefined): Part =>
  suggestion(
    'parent',
    { record_id: { ...textRule(column), lookup: 'parents', missing: 'omit' } },
    [
      'The parent is another row of this file: put this in, and "parents" of the lookups above, with the column that the parents are named by.',
    ],
    { parents: { self: true, by: id?.name ?? 'COLUMN' } },
  )

const levels = new Map(
  Object.entries(vocabulary.priorities).flatMap(([level, words]) =>
    wordList(words).map(word => [word, level] as const),
  ),
)
const levelOf = (text: string) => levels.get(headerWords(text).replaceAll(/^\d+ | \d+$/g, ''))

/** The words of a priority column by what they mean; of numbers nobody can know which end is urgent. */
function priorityPart(column: Column): Part {
  const words = [...column.values]
  const rule = (table: readonly (readonly [string, string | undefined])[]) => ({
    ...textRule(column),
    map: Object.fromEntries(table.length > 0 ? table : [['High', 'high']]),
    otherwise: 'omit',
  })
  const known = words.filter(levelOf)
  if (known.length > 0) {
    const unknown = words.filter(text => !levelOf(text)).slice(0, 6)
    return field(
      'priority',
      rule(known.map(text => [text, levelOf(text)])),
      'Which words the service knows beyond "high" is not documented; what the table lacks is left out.',
      unknown.length > 0 && `Not in the table: ${unknown.map(quote).join(', ')}`,
    )
  }
  const examples = words.slice(0, 6)
  const question =
    examples.length > 0
      ? `Which of ${examples.map(quote).join(', ')} is the most urgent? Put the words right, then take this in:`
      : 'No row has a priority; fill in its words:'
  const table = examples.map((text, at) => [text, ['high', 'medium'][at] ?? 'low'] as const)
  return suggestion('priority', rule(table), [question])
}

const readDuration = durationTransform('hours', 'hours', undefined)
const readDays = durationTransform('hours', 'hours', 8)
const units = (['hours', 'minutes', 'seconds'] as const).map(
  unit => [unit, anyOf(vocabulary.units[unit])] as const,
)

/** A duration, in hours; where nothing says what a number counts, with the question. */
function estimatePart(column: Column): Part {
  const key = 'estimated_time'
  const values = [...column.values]
  const bad = values.filter(text => typeof readDuration(text) !== 'number')
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const [said] = units.find(([, words]) => words.test(column.words)) ?? []
  const isStrict = bad.length === 0 && !column.hasMoreValues && !column.isDistrusted
  const rule = (more: Rule) => ({
    ...textRule(column),
    as: 'duration',
    unit: 'hours',
    ...more,
    otherwise: isStrict ? undefined : 'omit',
  })
  if (said !== undefined || (bare.length === 0 && values.length > bad.length)) {
    const comment = 'Sent in hours; in which unit the service counts is not documented.'
    const left = bad
      .slice(0, 1)
      .map(text => `Values such as ${quote(text)} are no known durations and are left out.`)
    return field(key, rule(said && said !== 'hours' ? { input_unit: said } : {}), comment, ...left)
  }
  const inDays = bare.length > 0 ? undefined : values.find(text => typeof readDays(text) === 'number')
  if (inDays !== undefined) {
    const question = `How many hours has a day in ${quote(inDays)} (column ${quote(column.name)})? If it is 8:`
    return suggestion(key, rule({ hours_per_day: 8 }), [question])
  }
  const example = quote(bare[0] ?? column.example?.text ?? '')
  return suggestion(key, rule({ input_unit: 'minutes' }), [
    `Does ${example} (column ${quote(column.name)}) count hours, minutes or seconds? Nothing says it. If it is minutes:`,
  ])
}
