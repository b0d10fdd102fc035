import type { Column } from './column.ts'
import type { DateVerdict } from './date-column.ts'
import { field, off, type Part } from './lines.ts'
import { type Distrusted, misfitNote, textRule } from './rules.ts'
import { flow, quote } from './yaml-words.ts'

/** A date of a record: the field where the column decides how it is read, else the question. */
export function dateParts(
  key: string,
  column: Column,
  distrusted: Distrusted,
  others: readonly Column[],
): Part[] {
  const { fits, dates, filled } = column
  if (filled === 0)
    return [
      off(
        field(
          key,
          { ...textRule(column), as: 'date' },
          `${quote(column.name)} is empty in every row that was read; give it the format of its dates.`,
        ),
      ),
    ]
  const serial = serialFormat(column)
  if (fits.date.count < filled / 5 && serial !== undefined) return [serialPart(key, column, serial)]
  if (fits.date.count === 0) return [unreadable(key, column)]
  const verdict = dates.verdict()
  const as = verdict.hasTime ? 'datetime' : 'date'
  const isStrict = fits.date.misfits === 0 && !distrusted.has(column.name) && !column.isList
  const rule = (formats: readonly string[]) => ({
    ...textRule(column),
    as,
    ...(formats.join() !== 'iso' && { format: formats.length === 1 ? formats[0] : formats }),
    ...(verdict.locale !== undefined && { locale: verdict.locale }),
    ...(verdict.zone !== undefined && { zone: verdict.zone }),
    ...(!isStrict && { otherwise: 'omit' }),
  })
  const misfits = misfitNote(fits.date, 'no date', 'no dates', 'omit')
  if (verdict.open === undefined) {
    const dots = verdict.byDots
      ? [`Dates with dots, such as ${quote(verdict.byDots.text)}, are read with the day first.`]
      : []
    return [field(key, rule(verdict.formats), ...dots, ...misfits)]
  }
  const { example, dayFirst, monthFirst } = verdict.open
  const hint = orderElsewhere(others, column, dayFirst[0] ?? '')
  const [day, month] = readings(example.text)
  return [
    off(
      field(
        key,
        rule(dayFirst),
        orderQuestion(verdict.open, column),
        ...hint,
        `The day first, ${day}:`,
        ...misfits,
      ),
    ),
    off(field(key, rule(monthFirst), `Or the month first, ${month}:`)),
  ]
}

/** Asks which comes first. */
export function orderQuestion(
  { example, isMixed }: NonNullable<DateVerdict['open']>,
  column: Column,
): string {
  const [day, month] = readings(example.text)
  const why = isMixed ? 'Some values have the day first, others the month.' : 'The values allow both.'
  return `Is ${quote(example.text)} in line ${example.line} (column ${quote(column.name)}) ${day} or ${month}? ${why}`
}

/** What other dates of the file have first; a hint, for a file may have dates of two origins. */
function orderElsewhere(others: readonly Column[], column: Column, format: string): string[] {
  const sign = /^d(\W)M/.exec(format)?.[1]
  for (const other of others) {
    const { formats, open, byDots } = other.dates.verdict()
    const order = formats.find(known => known.startsWith(`d${sign}M`) || known.startsWith(`M${sign}d`))
    if (other === column || open !== undefined || byDots !== undefined || order === undefined) continue
    return [`The dates of ${quote(other.name)} have the ${order.startsWith('d') ? 'day' : 'month'} first.`]
  }
  return []
}

const months = 'January|February|March|April|May|June|July|August|September|October|November|December'.split(
  '|',
)

/** The two readings of a date whose order is open, in words. */
function readings(text: string): [dayFirst: string, monthFirst: string] {
  const [, a = '', b = ''] = /^(\d+)\D(\d+)/.exec(text) ?? []
  const said = (day: string, month: string) =>
    `${Number(day)} ${months[Number(month) - 1] ?? `month ${month}`}`
  return [said(a, b), said(b, a)]
}

interface Serial {
  readonly format: 'epoch_ms' | 'epoch_s' | 'excel' | 'yyyyMMdd'
  readonly means: string
}

/** Numbers that count milliseconds, seconds or days; a column that is called a date is needed to take them so. */
function serialFormat({ fits, filled, example, longest }: Column): Serial | undefined {
  const text = example?.text ?? ''
  if (fits.number.count < filled * 0.8) return undefined
  if (/^1\d{12}$/.test(text) && longest <= 15) return { format: 'epoch_ms', means: 'milliseconds since 1970' }
  if (/^1\d{9}$/.test(text) && longest <= 10) return { format: 'epoch_s', means: 'seconds since 1970' }
  if (/^(19|20)\d\d[01]\d[0-3]\d$/.test(text)) return { format: 'yyyyMMdd', means: 'year, month and day' }
  if (/^[2-6]\d{4}(\.\d+)?$/.test(text)) return { format: 'excel', means: 'days as Excel counts them' }
  return undefined
}

function serialPart(key: string, column: Column, { format, means }: Serial): Part {
  const as = format === 'yyyyMMdd' || (format === 'excel' && column.longest === 5) ? 'date' : 'datetime'
  return field(
    key,
    { ...textRule(column), as, format, otherwise: 'omit' },
    `Numbers such as ${quote(column.example?.text ?? '')} are read as ${means}; what is none is left out.`,
  )
}

function unreadable(key: string, column: Column): Part {
  const rule = { ...textRule(column), as: 'date', format: 'd/M/yyyy', otherwise: 'omit' }
  const example = column.example
    ? `, such as ${quote(column.example.text)} in line ${column.example.line}`
    : ''
  return off(
    field(
      key,
      rule,
      `No value of ${flow(column.name)} is a date of a known form${example}. Which format is it?`,
    ),
  )
}
