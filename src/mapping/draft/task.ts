import { type DurationUnit, durationTransform } from '../transforms/duration.ts'
import { type Column, commonest, listSign } from './column.ts'
import { dateParts } from './dates.ts'
import { type BodyFacts, columnsOf, plainest } from './match.ts'
import { namePart, nameQuestion } from './names.ts'
import { type Distrusted, textRule, userParts, yesNoParts } from './rules.ts'
import { anyOf, headerWords, type TaskRole, vocabulary, wordList } from './words.ts'
import { field, group, type Part, quote, suggestion } from './yaml.ts'

type TaskFacts = BodyFacts<TaskRole>

/** The fields of a task. */
export function taskParts(given: TaskFacts): Part[] {
  const { columns, matches, rows, distrusted } = given
  const get = (role: TaskRole) => [plainest(matches, role)].filter(column => column !== undefined)
  const getFilled = (role: TaskRole) => get(role).filter(({ filled }) => filled > 0)
  const title = titleOf(given)
  const called = title === undefined ? columns.slice(0, 1) : [title]
  const isNamed = title !== undefined && columnsOf(matches, 'name').includes(title)
  const [description] = columnsOf(matches, 'description').filter(column => column !== title)
  const toDates = (key: string) => (column: Column) => dateParts(key, column, columns, distrusted)
  const due = datedColumn(matches, 'due')
  const dates = [
    ...get('start').flatMap(toDates('start_date')),
    ...(due ? [due] : get('due')).flatMap(toDates('due_date')),
  ]
  const id = get('id')[0] ?? columns.find(({ name }) => name === '#') ?? title
  return [
    namePart(
      called,
      [...get('description'), ...get('id')],
      rows,
      isNamed ? [] : nameQuestion('task', called),
    ),
    ...(description?.filled ? [field('description', { ...textRule(description, '\n\n'), as: 'html' })] : []),
    ...get('priority').map(priorityPart),
    ...userParts(columnsOf(matches, 'assigneeEmail', 'assignee'), distrusted, user_id => [
      'assigned_user',
      { user_id },
    ]),
    ...followerParts(given),
    ...(dates.length > 0 ? [group('date_info', dates)] : []),
    ...[datedColumn(matches, 'completed')].flatMap(column => (column ? toDates('completed_at')(column) : [])),
    ...get('estimate').flatMap(column => estimateParts(column, distrusted)),
    ...yesNoParts('billable', get('billable')[0], distrusted),
    ...yesNoParts('archived', get('archived')[0], distrusted),
    ...getFilled('project').map(projectsPart),
    ...getFilled('parent').map(column => parentPart(column, id)),
  ]
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

function followerParts({ matches }: TaskFacts): Part[] {
  const column = columnsOf(matches, 'followers').find(
    ({ fits, emailLists, filled }) => fits.email.count + Math.max(0, ...emailLists.values()) > filled / 2,
  )
  if (column === undefined) return []
  const split = commonest(column.emailLists)
  const each = { email: { from: '.', as: 'email', otherwise: 'omit' } }
  return [field('followers', { from: column.name, ...(split && { split }), each })]
}

function projectsPart(column: Column): Part {
  const split = listSign(column)
  return split === undefined && !column.isList
    ? group('projects', [field('-', { name: { from: column.name } })])
    : field('projects', { from: column.name, ...(split && { split }), each: { name: '{{.}}' } })
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
      ...(unknown.length > 0 ? [`Not in the table: ${unknown.map(quote).join(', ')}`] : []),
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

/** A duration, in hours; where nothing says what a number counts, a line for each unit is ready. */
function estimateParts(column: Column, distrusted: Distrusted): Part[] {
  const key = 'estimated_time'
  const values = [...column.values]
  const bad = values.filter(text => typeof readDuration(text) !== 'number')
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const [said] = units.find(([, words]) => words.test(column.words)) ?? []
  const isStrict = bad.length === 0 && !column.hasMoreValues && !distrusted.has(column.name)
  const rule = (input: DurationUnit) => ({
    ...textRule(column),
    as: 'duration',
    unit: 'hours',
    ...(input !== 'hours' && { input_unit: input }),
    ...(!isStrict && { otherwise: 'omit' }),
  })
  if (said !== undefined || (bare.length === 0 && values.length > bad.length)) {
    const comment = 'Sent in hours; in which unit the service counts is not documented.'
    const [example] = bad
    const left = example ? [`Values such as ${quote(example)} are no known durations and are left out.`] : []
    return [field(key, rule(said ?? 'hours'), comment, ...left)]
  }
  const inDays = bare.length > 0 ? undefined : values.find(text => typeof readDays(text) === 'number')
  if (inDays !== undefined) {
    const question = `How many hours has a day in ${quote(inDays)} (column ${quote(column.name)})? If it is 8:`
    return [suggestion(key, { ...rule('hours'), hours_per_day: 8 }, [question])]
  }
  const example = quote(bare[0] ?? column.example?.text ?? '')
  const question = `Does ${example} (column ${quote(column.name)}) count hours, minutes or seconds? Nothing says it. Hours:`
  return units.map(([unit], at) => suggestion(key, rule(unit), [at === 0 ? question : `Or ${unit}:`]))
}
