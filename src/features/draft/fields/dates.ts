import { dateReader } from '../../../mapping/transforms/date.ts'
import { durationTransform } from '../../../mapping/transforms/number.ts'
import type { Row } from '../../../model/row.ts'
import { Column } from '../columns/column.ts'
import { dateShape, type First, type OpenOrder } from '../columns/date-shapes.ts'
import forms from '../columns/forms.json' with { type: 'json' }
import type { RowFacts } from '../columns/survey.ts'
import { isDuration, readDuration, unitLetter, unitWords } from '../columns/values.ts'
import { someWords, taskRoles, vocabulary, wholeWords, wordList } from '../columns/words.ts'
import { type Choice, type Fragment, field, isQuestion, question, suggestion } from '../lines.ts'
import { type FlowMap, quote } from '../yaml.ts'
import { misfitNote, textIn, textRule, unlessAll } from './rules.ts'

/** The field of a date; a question if the values leave it open. */
export function datePart(key: string, column: Column, time?: Column): Fragment {
  const { fits, name, example } = column
  const date = { ...textRule(column), as: 'date' }
  if (example === undefined) {
    const note = `${quote(name)} is empty in every row that was read; give it the format of its dates.`
    return suggestion(field(key, date), note)
  }
  const counted = countedDate(column, example.text)
  if (counted !== undefined) {
    const { means, ...rule } = counted
    const note = `Numbers such as ${quote(example.text)} are read as ${means}; what is none is left out.`
    return field(key, { ...date, ...rule, otherwise: 'omit' }, note)
  }
  if (fits.date.count === 0) {
    const why = `? No value of ${quote(name)} is a date of a known form, such as ${quote(example.text)} in line ${example.line}. Which format is it?`
    return suggestion(field(key, { ...date, format: 'd/M/yyyy', otherwise: 'omit' }), why)
  }
  const { formats, hasTime, locale, zone, open, byDots, settled } = column.dates.verdict()
  const otherwise = unlessAll(column, fits.date)
  const rule = (all: readonly string[]): FlowMap => {
    const timed = time ? [...all.flatMap(each => withTimes(each, time)), ...all] : all
    const format = timed.length > 1 ? timed : timed[0] === 'iso' ? undefined : timed[0]
    const from = time ? { join: [name, time.name], with: ' ' } : textRule(column)
    return { ...from, as: hasTime || time ? 'datetime' : 'date', format, locale, zone, otherwise }
  }
  const misfits = misfitNote(fits.date, otherwise)
  const order =
    settled &&
    `Dates such as ${quote(settled.example.text)} are read with the ${settled.first === 'd' ? 'day' : 'month'} first, ${settled.why}.`
  const dots = byDots && `Dates with dots, such as ${quote(byDots.text)}, are read with the day first.`
  const same =
    open &&
    `Dates such as ${quote(open.example.text)} do not say which comes first; later ones are read with the day first.`
  if (!open?.isDifferent) return field(key, rule(formats), order, dots, same, misfits)
  const parts = [field(key, rule(formats), misfits), field(key, rule(open.monthFirst))]
  return orderQuestion(open, column, parts)
}

/** Settles an open order if by the other one a row would end before it begins. */
export function settleByTime(first: Column, last: Column, { kept }: RowFacts): void {
  const opens = [first, last].filter(({ dates }) => dates.verdict().open?.isMixed === false)
  if (opens.length === 0) return
  const isTurned = (order: First) => {
    const [start, end] = [first, last].map(column => reader(column, order))
    return kept.some(row => (start?.(row) ?? Number.NaN) > (end?.(row) ?? Number.NaN))
  }
  const [day, month] = [isTurned('d'), isTurned('M')]
  const why = `else a row would have ${quote(last.name)} before ${quote(first.name)}`
  if (day !== month) for (const { dates } of opens) dates.settle(day ? 'M' : 'd', why)
}

/** Reads the day of a row by one of the orders. */
function reader(column: Column, order: First): (row: Row) => number | undefined {
  const { formats, open, locale = 'en' } = column.dates.verdict()
  const all = (order === 'M' && open ? open.monthFirst : formats).map(format => dateReader(format, locale))
  return row => {
    const [at] = all.flatMap(read => read(textIn(row, column))?.at ?? [])
    return at?.startOf('day').toMillis()
  }
}

/** Asks for the order of dates, with the fields for the day and for the month first; `standing` are the lines until then. */
export function orderQuestion(open: OpenOrder, column: Column, parts: Fragment[], standing?: Choice) {
  const { example, isMixed } = open
  const read = readings(example.text)
  const why = isMixed ? 'Some values have the day first, others the month.' : 'The values allow both.'
  const until = standing ? ' Until you choose a line, such dates are left out.' : ''
  const place = `in line ${example.line} (column ${quote(column.name)})`
  const text = `Is ${quote(example.text)} ${place} ${read.join(' or ')}? ${why}${until}`
  const offers = parts.map((part, at) => {
    const first = at === 0 ? 'day' : 'month'
    return { id: `${first}-first`, label: `The ${first} first, ${read[at]}`, isTitled: true, part }
  })
  return question(text, offers, standing)
}

const times = Object.entries(forms.dates.times)

function withTimes(format: string, { samples }: Column): string[] {
  const used = times.filter(([, shape]) => [...samples].some(text => new RegExp(shape).test(text)))
  return used.map(([clock]) => `${format === 'iso' ? 'yyyy-MM-dd' : format} ${clock}`)
}

const monthName = (month: number) =>
  month > 12 ? `month ${month}` : new Date(2000, month - 1).toLocaleString('en', { month: 'long' })

/** What a text is with the day first, and with the month first. */
function readings(text: string): string[] {
  const [a = 0, b = 0] = (text.match(/\d+/g) ?? []).map(Number)
  return [`${a} ${monthName(b)}`, `${b} ${monthName(a)}`]
}

/** Milliseconds, seconds or days; only the column's name says that they are dates. */
function countedDate(column: Column, example: string) {
  const { longest } = column
  const isOf = ({ shape, longest: most = Infinity }: { shape: string; longest?: number }) =>
    new RegExp(shape).test(example) && longest <= most
  const { format, means } = forms.dates.counts.find(isOf) ?? {}
  if (format === undefined || column.share('number') < 0.8) return undefined
  const isDay = format === 'yyyyMMdd' || (format === 'excel' && longest === 5)
  return { as: isDay ? 'date' : 'datetime', format, means }
}

/** The start and the end of a column that holds both, as in "1 May 2026 → 3 May 2026"; a single date is an end. */
export function rangeHalves(column: Column, rows: RowFacts): Column[] {
  const isRange = (sign: string) => (text: string) => {
    const halves = text.split(sign)
    return halves.length === 2 && halves.every(half => dateShape(half.trim()) !== undefined)
  }
  const sign = forms.dates.ranges.find(sign => column.shareOf(isRange(sign)) > 0)
  if (sign === undefined) return []
  return [`${sign}.*$|^((?!${sign}).)*$`, `^.*${sign}`].map(pattern => replaced(column, rows, pattern, ''))
}

function replaced({ name, rows }: Column, { kept }: RowFacts, pattern: string, by: string): Column {
  const column = Object.assign(new Column(name), { rows, replace: [{ pattern, with: by }] })
  for (const row of kept) column.add(textIn(row, column).replace(new RegExp(pattern), by).trim(), row.line)
  return column
}

const readHours = durationTransform({})

/** Durations in hours, with the units of other languages put into letters. */
function durationRule(column: Column, more: FlowMap = {}): FlowMap {
  const words = [...column.samples].flatMap(text => text.match(unitWords) ?? [])
  const isForeign = (word: string) => unitLetter(word) && typeof readDuration(`1${word}`) !== 'number'
  const foreign = [...new Set(words)].filter(isForeign).sort((a, b) => b.length - a.length)
  const replace = foreign.map(word => ({ pattern: word.replace('.', '\\.'), with: unitLetter(word) }))
  const unit = { as: 'duration', unit: 'hours', ...more }
  return { ...textRule(column), ...(replace.length > 0 && { replace }), ...unit }
}

const inDaysOnly = { replace: [{ pattern: '^([\\d.,]+)$', with: '$1d' }] }

/** The unit that a header names; one in brackets comes first. */
function unitIn({ words, alternatives }: Column): string | undefined {
  const units = Object.entries(vocabulary.units)
  const unitOf = (part: string) => units.find(([, list]) => wholeWords(list).test(part))
  const [unit] =
    alternatives.map(unitOf).findLast(Boolean) ?? units.find(([, list]) => someWords(list).test(words)) ?? []
  return unit
}

/** The estimate in hours, with a question if the unit is unknown. */
export function estimatePart(column: Column, key = 'estimated_time'): Fragment {
  const values = [...column.values]
  const bad = values.filter(text => !isDuration(text, readHours))
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const unit = unitIn(column)
  const ofDays = unit || bare.length === 0 ? bad.find(text => isDuration(text)) : undefined
  const inDays = unit === 'days' ? bare[0] : ofDays
  const otherwise = bad.length > 0 || column.hasMoreValues || column.isDistrusted ? 'omit' : undefined
  const rule = (more: FlowMap) => ({ ...durationRule(column, more), otherwise })
  if (!inDays && (unit || (bare.length === 0 && values.length > bad.length))) {
    const note = 'Sent in hours; in which unit the service counts is not documented.'
    const left = bad[0] && `Values such as ${quote(bad[0])} are no known durations and are left out.`
    const input_unit = unit === 'hours' || unit === 'days' ? undefined : unit
    return field(key, rule({ input_unit }), note, left)
  }
  const place = `${quote(inDays ?? bare[0] ?? column.example?.text ?? '')} (column ${quote(column.name)})`
  if (!inDays) {
    const offers = ['hours', 'minutes', 'seconds', 'days'].map(id => {
      const more = id === 'days' ? { ...inDaysOnly, hours_per_day: 8 } : { input_unit: id }
      const label = id === 'days' ? 'If it is days of 8 hours' : `If it is ${id}`
      return { id, label, isTitled: true, part: field(key, rule(more)) }
    })
    return question(`Does ${place} count hours, minutes or seconds? Nothing says it.`, offers)
  }
  const replace = unit === 'days' ? inDaysOnly : {}
  const why = `? How many hours has a day in ${place}? If it is 8:`
  return suggestion(field(key, rule({ ...replace, hours_per_day: 8 })), why)
}

const durations = wholeWords(wordList(taskRoles.duration.words).join('|'))
const inHours = new RegExp(someWords(vocabulary.units.hours), 'gu')

/** A duration is planned; mere hours, by whatever word, may have been spent. */
export function hoursPart(hours: Column, isSpent: boolean): Fragment {
  const part = estimatePart(hours)
  const isPlanned = durations.test(hours.words.replaceAll(inHours, '').trim()) || hours.filled === 0
  const unit = unitIn(hours)
  if (unit === 'days' || (!isSpent && (isPlanned || part.lines.some(isQuestion)))) return part
  const rule = durationRule(hours, { input_unit: unit === 'hours' ? undefined : unit })
  return question(`Does ${quote(hours.name)} hold the time that was spent, or that is planned?`, [
    { id: 'spent', label: 'If it was spent', isTitled: true, part: field('actual_time', rule) },
    { id: 'planned', label: 'If it is planned', isTitled: true, part: field('estimated_time', rule) },
  ])
}
