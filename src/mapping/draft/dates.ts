import type { Column } from './column.ts'
import type { DateVerdict } from './date-shapes.ts'
import { misfitNote, type Rule, textRule } from './rules.ts'
import { field, type Part, quote, suggestion } from './yaml.ts'

/** A date of a record: the field where the column decides how it is read, else the question. */
export function dateParts(
  key: string,
  column: Column,
  columns: readonly Column[],
  distrusted: ReadonlySet<string>,
): Part[] {
  const { fits, filled, name } = column
  const date = { ...textRule(column), as: 'date' }
  if (filled === 0)
    return [
      suggestion(key, date, [
        `${quote(name)} is empty in every row that was read; give it the format of its dates.`,
      ]),
    ]
  const counted = column.share('date') < 0.2 ? countedDate(column) : undefined
  if (counted !== undefined) {
    const example = quote(column.example?.text ?? '')
    const comment = `Numbers such as ${example} are read as ${counted.means}; what is none is left out.`
    return [field(key, { ...date, ...counted.rule, otherwise: 'omit' }, comment)]
  }
  if (fits.date.count === 0) return [unreadableDate(key, column)]
  const verdict = column.dates.verdict()
  const isStrict = fits.date.misfits === 0 && !distrusted.has(name) && !column.isList
  const rule = (formats: readonly string[]) => dateRule(date, verdict, formats, isStrict)
  const misfits = misfitNote(fits.date, 'dates')
  if (verdict.open === undefined) {
    const dots = verdict.byDots
      ? [`Dates with dots, such as ${quote(verdict.byDots.text)}, are read with the day first.`]
      : []
    return [field(key, rule(verdict.formats), ...dots, ...misfits)]
  }
  const { example, dayFirst, monthFirst } = verdict.open
  const [day, month] = readings(example.text)
  const question = [
    orderQuestion(verdict.open, column),
    ...orderElsewhere(columns, column, dayFirst[0] ?? ''),
  ]
  return [
    suggestion(key, rule(dayFirst), [...question, `The day first, ${day}:`, ...misfits]),
    suggestion(key, rule(monthFirst), [`Or the month first, ${month}:`]),
  ]
}

const dateRule = (
  date: Rule,
  { hasTime, locale, zone }: DateVerdict,
  formats: readonly string[],
  isStrict: boolean,
): Rule => ({
  ...date,
  as: hasTime ? 'datetime' : 'date',
  ...(formats.join() !== 'iso' && { format: formats.length === 1 ? formats[0] : formats }),
  locale,
  zone,
  ...(!isStrict && { otherwise: 'omit' }),
})

/** Asks which comes first. */
export function orderQuestion(
  { example, isMixed }: NonNullable<DateVerdict['open']>,
  { name }: Column,
): string {
  const [day, month] = readings(example.text)
  const why = isMixed ? 'Some values have the day first, others the month.' : 'The values allow both.'
  return `Is ${quote(example.text)} in line ${example.line} (column ${quote(name)}) ${day} or ${month}? ${why}`
}

/** What other dates of the file have first; a hint, for a file may have dates of two origins. */
function orderElsewhere(columns: readonly Column[], column: Column, format: string): string[] {
  const sign = /^d(\W)M/.exec(format)?.[1]
  for (const other of columns) {
    const { formats, open, byDots } = other.dates.verdict()
    const order = formats.find(known => known.startsWith(`d${sign}M`) || known.startsWith(`M${sign}d`))
    if (other !== column && open === undefined && byDots === undefined && order !== undefined)
      return [`The dates of ${quote(other.name)} have the ${order.startsWith('d') ? 'day' : 'month'} first.`]
  }
  return []
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]

/** The two readings of a date whose order is open, in words. */
function readings(text: string): [dayFirst: string, monthFirst: string] {
  const [, a = '', b = ''] = /^(\d+)\D(\d+)/.exec(text) ?? []
  const said = (day: string, month: string) =>
    `${Number(day)} ${months[Number(month) - 1] ?? `month ${month}`}`
  return [said(a, b), said(b, a)]
}

const counts = [
  [/^1\d{12}$/, 15, 'epoch_ms', 'milliseconds since 1970'],
  [/^1\d{9}$/, 10, 'epoch_s', 'seconds since 1970'],
  [/^(19|20)\d\d[01]\d[0-3]\d$/, Infinity, 'yyyyMMdd', 'year, month and day'],
  [/^[2-6]\d{4}(\.\d+)?$/, Infinity, 'excel', 'days as Excel counts them'],
] as const

/** Numbers that count milliseconds, seconds or days; only the name of the column says that they are dates. */
function countedDate(column: Column): { readonly rule: Rule; readonly means: string } | undefined {
  const { example, longest } = column
  if (column.share('number') < 0.8) return undefined
  const found = counts.find(([shape, most]) => shape.test(example?.text ?? '') && longest <= most)
  if (found === undefined) return undefined
  const [, , format, means] = found
  const isDay = format === 'yyyyMMdd' || (format === 'excel' && longest === 5)
  return { rule: { as: isDay ? 'date' : 'datetime', format }, means }
}

function unreadableDate(key: string, column: Column): Part {
  const { example, name } = column
  const such = example ? `, such as ${quote(example.text)} in line ${example.line}` : ''
  return suggestion(key, { ...textRule(column), as: 'date', format: 'd/M/yyyy', otherwise: 'omit' }, [
    `No value of ${quote(name)} is a date of a known form${such}. Which format is it?`,
  ])
}
