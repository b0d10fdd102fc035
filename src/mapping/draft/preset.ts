import { isMap, isSeq, parse, parseDocument } from 'yaml'
import { sourceSchema } from '../source-schema.ts'
import { dateReader } from '../transforms/date-formats.ts'
import type { Column } from './column.ts'
import { dateShape } from './date-shapes.ts'
import { orderQuestion } from './dates.ts'
import type { Found, RowFacts, SourceFacts } from './facts.ts'
import knownExports from './known-exports.json' with { type: 'json' }
import { sourceValues } from './opening.ts'
import type { Rule } from './rules.ts'
import { flow, quote } from './yaml.ts'

/** A preset and its text. */
export interface Preset {
  readonly name: string
  readonly text: string
}

/** The preset that reads an export with these columns; of several the one that knows it by most of them. */
export function presetFor(columns: readonly string[], format: 'csv' | 'ndjson'): string | undefined {
  const there = new Set(columns)
  // A column behind "!" is one that only another kind of export of the product has; of those between bars one is enough.
  const fits = (names: string) =>
    names.startsWith('!') ? !there.has(names.slice(1)) : names.split('|').some(name => there.has(name))
  const known = Object.entries<string>(knownExports[format]).filter(([list]) => list.split(', ').every(fits))
  return known.sort(([a], [b]) => b.split(', ').length - a.split(', ').length)[0]?.[1]
}

/** The text of a preset that reads this very file: its source, and the forms of its dates. */
export const adaptedPreset = ({ text }: Preset, { source, rows, columns }: Found): string =>
  adaptedDates(adaptedSource(text, source, rows), columns)

/** What `source:` says already stays as it is. */
function adaptedSource(text: string, source: SourceFacts, rows: RowFacts): string {
  // The draft may end up anywhere, so the path of the schema would be wrong.
  const own = text.replace(/^# yaml-language-server:.*\n/, '')
  const [start, end] = sourceRange(own)
  const document = parseDocument(own.slice(start, end))
  const said = document.toJS()?.source ?? {}
  const { header: found, ...settings } = sourceValues(source, rows)
  const surplus = (['delimiter', 'encoding', 'format'] as const)
    .filter(key => said[key] !== undefined && !(key in settings))
    .map(key => [key, source[key]] as const)
  const wanted = { ...settings, ...headerWanted(said, found), ...Object.fromEntries(surplus) }
  const changed = Object.entries(wanted).filter(
    ([key, value]) => JSON.stringify(said[key]) !== JSON.stringify(value),
  )
  if (changed.length === 0) return own
  for (const [key, value] of changed) document.setIn(['source', key], value)
  return `${own.slice(0, start)}${document.toString({ lineWidth: 0 })}${start === end ? '\n' : ''}${own.slice(end)}`
}

/** Where `source:` is in a preset; without one, where it belongs: before the comments of the body. */
function sourceRange(text: string): readonly [number, number] {
  const block = /^source:.*\n(?:\s+\S.*\n)*/m.exec(text)
  if (block !== null) return [block.index, block.index + block[0].length]
  const record = /^record:.*\n\n?/m.exec(text)
  const at = record === null ? 0 : record.index + record[0].length
  return [at, at]
}

/** The preset's own rule is left alone where it finds the same header. */
function headerWanted(said: unknown, found: unknown): { readonly header?: unknown } {
  const own = sourceSchema.safeParse(said).data?.header
  const wanted = sourceSchema.safeParse({ header: found ?? true }).data?.header
  if (wanted === undefined || JSON.stringify(own) === JSON.stringify(wanted)) return {}
  return wanted.type === 'first_line' && own?.type !== 'columns' ? {} : { header: found ?? true }
}

const dateField = /^( *)(\w+): (\{ from: .*\bas: date(?:time)?\b.*\})$/

/** Makes the date fields of a preset read the forms that this file has; where the order is open, with the question. */
export function adaptedDates(text: string, columns: readonly Column[]): string {
  const changes: Adapted[] = []
  const [body = '', tests = ''] = text.split(/^(?=tests:)/m)
  const lines = body.split('\n').flatMap(line => {
    const [, indent = '', key = '', value = ''] = dateField.exec(line) ?? []
    const found = key === '' ? undefined : adaptedField(key, parse(value), columns)
    if (found === undefined) return [line]
    changes.push(found)
    return found.lines.map(each => indent + each)
  })
  return lines.join('\n') + testsWithout(changes, tests)
}

/** The lines of a date field whose formats do not read some dates of its column; undefined where they read all. */
function adaptedField(key: string, rule: Rule, columns: readonly Column[]) {
  const column = columnOf(columns, String(rule.from))
  const own = [rule.format ?? 'iso'].flat().map(String)
  const readers = own.map(format => dateReader(format, String(rule.locale ?? 'en')))
  const unread = [...(column?.values ?? [])].find(
    text => dateShape(text) !== undefined && !readers.some(read => read(text) !== undefined),
  )
  if (column === undefined || unread === undefined) return undefined
  const { formats, open, locale } = column.dates.verdict()
  const line = (more: readonly string[], rest: Rule = {}) => {
    const all = [...new Set([...own, ...more])]
    const format = all.length === 1 ? rule.format : all
    return `${key}: ${flow({ ...rule, ...(format && { format }), ...(locale && { locale }), ...rest })}`
  }
  const question =
    open && `# ${orderQuestion(open, column)} Until you choose a line, such dates are left out.`
  const lines = question
    ? [question, `# ${line(open.dayFirst)}`, `# ${line(open.monthFirst)}`, line([], { otherwise: 'omit' })]
    : [`# Dates such as ${quote(unread)} of this file are read as well.`, line(formats)]
  return { key, column: String(rule.from), isOpen: open !== undefined, lines }
}

/** A preset finds a column in other letters, too. */
const columnOf = (columns: readonly Column[], wanted: string) =>
  columns.find(({ name }) => name === wanted) ??
  columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())

type Adapted = NonNullable<ReturnType<typeof adaptedField>>

/** Takes the tests out that want such dates refused. */
function testsWithout(changes: readonly Adapted[], text: string): string {
  const items = parseDocument(text).get('tests')
  if (changes.length === 0 || !isSeq(items)) return text
  const over = items.items.flatMap(item => {
    const { errors = [], row = {} } = isMap(item) ? item.toJSON() : {}
    const isOver = changes.some(
      ({ key, column, isOpen }) =>
        [errors].flat().some(path => String(path).split('.').at(-1) === key) &&
        (isOpen || dateShape(String(row[column] ?? '')) !== undefined),
    )
    return isOver && isMap(item) && item.range ? [item.range] : []
  })
  return over.reduceRight((rest, [from, , to]) => {
    const start = rest.lastIndexOf('\n', from) + 1
    const remarks = /(?<=\n)(?: *#[^\n]*\n)+$/.exec(rest.slice(0, start))?.[0].length ?? 0
    return rest.slice(0, start - remarks) + rest.slice(to)
  }, text)
}
