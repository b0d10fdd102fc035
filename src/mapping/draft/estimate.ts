import { type DurationUnit, durationTransform } from '../transforms/duration.ts'
import type { Column } from './column.ts'
import { field, off, type Part } from './lines.ts'
import { type Distrusted, textRule } from './rules.ts'
import { quote } from './yaml-words.ts'

const readDuration = durationTransform('hours', 'hours', undefined)
const readDays = durationTransform('hours', 'hours', 8)
const isDuration = (text: string) => typeof readDuration(text) === 'number'
const isBareNumber = (text: string) => /^\d+([.,]\d+)?$/.test(text)

const unitWords: readonly (readonly [unit: DurationUnit, words: RegExp])[] = [
  ['hours', /\b(h|hr|hrs|hours?|std|stunden|heures?|horas?|ore|uren|часы|часов)\b/],
  ['minutes', /\b(min|mins|minutes?|minuten|minutos|minuti|минуты?)\b/],
  ['seconds', /\b(s|sec|secs|seconds?|sekunden|secondes|segundos)\b/],
]

/** A duration, in hours; where nothing says what a number counts, all readings stand ready. */
export function estimatePart(key: string, column: Column, distrusted: Distrusted): Part[] {
  const values = [...column.values.keys()]
  const bad = values.filter(text => !isDuration(text))
  const said = unitWords.find(([, words]) => words.test(column.words))?.[0]
  const bare = values.filter(isBareNumber)
  const isClear = said !== undefined || (bare.length === 0 && values.length > bad.length)
  const isStrict = bad.length === 0 && !column.hasMoreValues && !distrusted.has(column.name)
  const rule = (input: DurationUnit) => ({
    ...textRule(column),
    as: 'duration',
    unit: 'hours',
    ...(input !== 'hours' && { input_unit: input }),
    ...(!isStrict && { otherwise: 'omit' }),
  })
  const misfits =
    bad[0] === undefined
      ? []
      : [`Values such as ${quote(bad[0])} are no durations that can be read, and left out.`]
  if (isClear)
    return [
      field(
        key,
        rule(said ?? 'hours'),
        'Sent in hours; in which unit the service counts is not documented.',
        ...misfits,
      ),
    ]
  const inDays = values.filter(text => typeof readDays(text) === 'number')
  if (bare.length === 0 && inDays[0] !== undefined)
    return [
      off(
        field(
          key,
          { ...rule('hours'), hours_per_day: 8 },
          `How many hours has a day in ${quote(inDays[0])} (column ${quote(column.name)})? If it is 8:`,
        ),
      ),
    ]
  const example = quote(bare[0] ?? column.example?.text ?? '')
  return [
    off(
      field(
        key,
        rule('hours'),
        `Does ${example} (column ${quote(column.name)}) count hours, minutes or seconds? Nothing says it. Hours:`,
      ),
    ),
    off(field(key, rule('minutes'), 'Or minutes:')),
    off(field(key, rule('seconds'), 'Or seconds:')),
  ]
}
