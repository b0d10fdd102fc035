import { durationTransform } from '../../../mapping/transforms/number.ts'
import { Column, type Columns } from '../columns/column.ts'
import { dateShape, type OpenOrder } from '../columns/date-shapes.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isDuration, readDuration, unitLetter } from '../columns/values.ts'
import { someWords, vocabulary } from '../columns/words.ts'
import { type Flow, type FlowMap, type Fragment, field, quote, suggestion, together } from '../yaml.ts'
import { misfitNote, textRule, unlessAll } from './rules.ts'

/** The field of a date; a question if the values leave it open. */
export function datePart(key: string, column: Column, columns: Columns, time?: Column): Fragment {
  const { fits, filled, name, example } = column
  const date = { ...textRule(column), as: 'date' }
  if (filled === 0) {
    const note = `${quote(name)} is empty in every row that was read; give it the format of its dates.`
    return suggestion(key, date, [note])
  }
  const counted = countedDate(column)
  if (counted !== undefined) {
    const comment = `Numbers such as ${quote(example?.text ?? '')} are read as ${counted.means}; what is none is left out.`
    return field(key, { ...date, as: counted.as, format: counted.format, otherwise: 'omit' }, comment)
  }
  if (fits.date.count === 0) {
    const such = example ? `, such as ${quote(example.text)} in line ${example.line}` : ''
    const question = `? No value of ${quote(name)} is a date of a known form${such}. Which format is it?`
    return suggestion(key, { ...date, format: 'd/M/yyyy', otherwise: 'omit' }, [question])
  }
  return readableDate(key, column, columns, time)
}

function readableDate(key: string, column: Column, columns: Columns, time: Column | undefined): Fragment {
  const { date } = column.fits
  const { formats, hasTime, locale, zone, open, byDots } = column.dates.verdict()
  const rule = (all: readonly string[]): Flow => {
    const timed = time ? [...all.flatMap(each => withTimes(each, time)), ...all] : all
    const format = timed.join() === 'iso' ? undefined : timed.length === 1 ? timed[0] : timed
    const as = hasTime || time ? 'datetime' : 'date'
    const from = time ? { join: [column.name, time.name], with: ' ' } : textRule(column)
    return { ...from, as, format, locale, zone, otherwise: unlessAll(column, date) }
  }
  const misfits = misfitNote(date, unlessAll(column, date))
  const dots = byDots && `Dates with dots, such as ${quote(byDots.text)}, are read with the day first.`
  if (open === undefined) return field(key, rule(formats), dots, misfits)
  if (!open.isDifferent) {
    const same = `Dates such as ${quote(open.example.text)} do not say which comes first; later ones are read with the day first.`
    return field(key, rule(open.dayFirst), same, misfits)
  }
  const [day, month] = readings(open.example.text)
  const hint = orderElsewhere(columns, column, open.dayFirst[0] ?? '')
  const question = [orderQuestion(open, column), hint, `The day first, ${day}:`, misfits]
  return together(
    suggestion(key, rule(open.dayFirst), question),
    suggestion(key, rule(open.monthFirst), [`Or the month first, ${month}:`]),
  )
}

export function orderQuestion({ example, isMixed }: OpenOrder, { name }: Column): string {
  const [day, month] = readings(example.text)
  const why = isMixed ? 'Some values have the day first, others the month.' : 'The values allow both.'
  return `? Is ${quote(example.text)} in line ${example.line} (column ${quote(name)}) ${day} or ${month}? ${why}`
}

const clocks = [
  [/[ap]\.?m/i, 'h:mm a'],
  [/:\d\d:/, 'H:mm:ss'],
  [/^\d{1,2}:\d\d$/, 'H:mm'],
] as const

/** The formats of a date with the times of the column beside it. */
function withTimes(format: string, { samples }: Column): string[] {
  const used = clocks.filter(([shape]) => [...samples].some(text => shape.test(text)))
  return used.map(([, clock]) => `${format === 'iso' ? 'yyyy-MM-dd' : format} ${clock}`)
}

/** A hint only: a file may have dates of two origins. */
function orderElsewhere(columns: Columns, column: Column, format: string): string | undefined {
  const sign = /^d(\W+)M/.exec(format)?.[1]
  for (const other of columns) {
    const { formats, open, byDots } = other.dates.verdict()
    const order = formats.find(known => known.startsWith(`d${sign}M`) || known.startsWith(`M${sign}d`))
    if (other !== column && open === undefined && byDots === undefined && order !== undefined)
      return `The dates of ${quote(other.name)} have the ${order.startsWith('d') ? 'day' : 'month'} first.`
  }
  return undefined
}

const monthName = (month: number) =>
  month > 12 ? `month ${month}` : new Date(2000, month - 1).toLocaleString('en', { month: 'long' })

function readings(text: string): [dayFirst: string, monthFirst: string] {
  const [a = 0, b = 0] = (/^(\d+)\D(\d+)/.exec(text) ?? []).slice(1).map(Number)
  return [`${a} ${monthName(b)}`, `${b} ${monthName(a)}`]
}

const counts = [
  [/^(19|20)\d\d[01]\d[0-3]\d$/, Infinity, 'yyyyMMdd', 'year, month and day'],
  [/^1\d{12}$/, 15, 'epoch_ms', 'milliseconds since 1970'],
  [/^1\d{9}$/, 10, 'epoch_s', 'seconds since 1970'],
  [/^[2-6]\d{4}(\.\d+)?$/, Infinity, 'excel', 'days as Excel counts them'],
] as const

/** Milliseconds, seconds or days; only the column's name says that they are dates. */
function countedDate(column: Column) {
  const { example, longest } = column
  const found = counts.find(([shape, most]) => shape.test(example?.text ?? '') && longest <= most)
  if (found === undefined || column.share('number') < 0.8) return undefined
  const [, , format, means] = found
  const isDay = format === 'yyyyMMdd' || (format === 'excel' && longest === 5)
  return { as: isDay ? 'date' : 'datetime', format, means }
}

const rangeSigns = ['→', ' - ', ' – ', ' — ', ' to ', ' bis ', ' au ', ' al ', ' до ', '~', '～', '〜']

/** The start and the end of a column that holds both, as in "1 May 2026 → 3 May 2026"; a single date is an end. */
export function rangeHalves(column: Column, { kept }: RowFacts): Column[] {
  const isRange = (sign: string) => (text: string) =>
    text.split(sign).length === 2 && text.split(sign).every(half => dateShape(half.trim()) !== undefined)
  const sign = rangeSigns.find(sign => column.shareOf(isRange(sign)) > 0)
  if (sign === undefined) return []
  return [`${sign}.*$|^((?!${sign}).)*$`, `^.*${sign}`].map(pattern =>
    changed(column, kept, { pattern, with: '' }),
  )
}

/** Puts signs between the numbers of dates such as 28042026. */
export const withSigns = (column: Column, { kept }: RowFacts): Column =>
  column.shareOf(text => /^\d{4}(19|20|21)\d\d$/.test(text)) === 1
    ? changed(column, kept, { pattern: '^(\\d\\d)(\\d\\d)(\\d{4})$', with: '$1/$2/$3' })
    : column

function changed(column: Column, kept: RowFacts['kept'], replace: { pattern: string; with: string }): Column {
  const { name, rows } = column
  const other = Object.assign(new Column(name), { rows, replace: [replace] })
  const textOf = (value: unknown) =>
    String(value ?? '')
      .trim()
      .replace(new RegExp(replace.pattern), replace.with)
      .trim()
  for (const row of kept) other.add(textOf(row.value(name)), row.line)
  return other
}

const readHours = durationTransform({})

/** Read in hours, with the units of other languages put into letters. */
function durationRule(column: Column, more: FlowMap = {}): FlowMap {
  const words = [...column.samples].flatMap(text => text.match(/\p{L}+\.?/gu) ?? [])
  const isForeign = (word: string) => unitLetter(word) && typeof readDuration(`1${word}`) !== 'number'
  const foreign = [...new Set(words)].filter(isForeign).sort((a, b) => b.length - a.length)
  const replace = foreign.map(word => ({ pattern: word.replace('.', '\\.'), with: unitLetter(word) }))
  const unit = { as: 'duration', unit: 'hours', ...more }
  return { ...textRule(column), ...(replace.length > 0 && { replace }), ...unit }
}

/** The estimate in hours, with a question if the unit is unknown. */
export function estimatePart(column: Column): Fragment {
  const values = [...column.values]
  const bad = values.filter(text => !isDuration(text, readHours))
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const [unit] =
    Object.entries(vocabulary.units).find(([, words]) => someWords(words).test(column.words)) ?? []
  const inDays =
    unit === 'days' ? bare[0] : unit || bare.length === 0 ? bad.find(text => isDuration(text)) : undefined
  const isStrict = bad.length === 0 && !column.hasMoreValues && !column.isDistrusted
  const otherwise = isStrict ? undefined : 'omit'
  const rule = (more: FlowMap) => ({ ...durationRule(column, more), otherwise })
  if (!inDays && (unit || (bare.length === 0 && values.length > bad.length))) {
    const comment = 'Sent in hours; in which unit the service counts is not documented.'
    const left = bad[0] && `Values such as ${quote(bad[0])} are no known durations and are left out.`
    const input_unit = unit === 'hours' || unit === 'days' ? undefined : unit
    return field('estimated_time', rule({ input_unit }), comment, left)
  }
  const place = `${quote(inDays ?? bare[0] ?? column.example?.text ?? '')} (column ${quote(column.name)})`
  const question = inDays
    ? `? How many hours has a day in ${place}? If it is 8:`
    : `? Does ${place} count hours, minutes or seconds? Nothing says it. If it is minutes:`
  const ofDays = unit === 'days' ? { replace: [{ pattern: '^([\\d.,]+)$', with: '$1d' }] } : {}
  const more = inDays ? { ...ofDays, hours_per_day: 8 } : { input_unit: 'minutes' }
  return suggestion('estimated_time', rule(more), [question])
}

/** Hours that were worked, or planned. */
export function bookedPart(hours: Column): Fragment {
  const rule = durationRule(hours)
  const question = `? Does ${quote(hours.name)} hold the time that was spent, or that is planned? If it was spent:`
  return together(
    suggestion('actual_time', rule, [question]),
    suggestion('estimated_time', rule, ['Or if it is planned:']),
  )
}
