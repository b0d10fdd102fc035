import { parse, parseDocument } from 'yaml'
import { dateReader } from '../../mapping/transforms/date.ts'
import type { Format } from '../../model/format.ts'
import { packageFile } from '../../model/package.ts'
import type { Columns } from './columns/column.ts'
import { dateShape } from './columns/date-shapes.ts'
import type { FileFacts, RowFacts, SourceFacts } from './columns/survey.ts'
import { orderQuestion } from './fields/dates.ts'
import knownExports from './known-exports.json' with { type: 'json' }
import { sourceValues } from './opening.ts'
import { comment, type FlowMap, flow, quote } from './yaml.ts'

/** The preset of an export with these columns; the one with most of them wins. */
export function presetFor(columns: readonly string[], format: Format = 'csv'): string | undefined {
  const header = new Set(columns)
  // A column after "!" is one that only another kind of export of the product has; of those between bars one is enough.
  const fits = (names: string) =>
    names.startsWith('!') ? !header.has(names.slice(1)) : names.split('|').some(name => header.has(name))
  const known = Object.entries<string>(knownExports[format === 'xlsx' ? 'csv' : format])
  return known
    .flatMap(([preset, lists]) => lists.split(' / ').map(list => ({ preset, names: list.split(', ') })))
    .filter(({ names }) => names.every(fits))
    .sort((a, b) => b.names.length - a.names.length)[0]?.preset
}

export function adaptedPreset(name: string, { source, rows, columns }: FileFacts): string {
  const text = packageFile(`config/${name}.yaml`)
  return adaptedDates(adaptedKey(adaptedSource(text, source, rows), columns), columns)
}

/** Leaves out a key that the file lacks, or that a spreadsheet rounded: then it is the same in many rows. */
const adaptedKey = (text: string, columns: Columns): string =>
  text.replace(/^key: (.*)$/m, (line, names) => {
    const named = columns.filter(({ name }) => [parse(names)].flat(2).some(each => isSame(each, name)))
    const rounded = named.flatMap(({ values }) => [...values]).find(id => /^\d([.,]\d+)?E\+\d+$/.test(id))
    const question = `# ? A spreadsheet rounded ids (${quote(rounded ?? '')}), so they tell no rows apart. Can the file be exported afresh?`
    if (rounded !== undefined) return `${question}\n# ${line}`
    return named.length > 0 ? line : `# This file has no such column.\n# ${line}`
  })

/** A preset finds a column in other letters, too. */
const isSame = (name: unknown, other: string) => String(name).toLowerCase() === other.toLowerCase()

/** Existing settings of `source:` are kept; without any they come before the comments of the body. */
function adaptedSource(text: string, source: SourceFacts, rows: RowFacts): string {
  const own = text.replace(/^# yaml-language-server:.*\n/, '') // the draft has its own
  const place = /^source:.*\n(?:[ \t]+\S.*\n)*/m
  const [block = ''] = place.exec(own) ?? []
  const document = parseDocument(block)
  const existing = document.toJS()?.source ?? {}
  const changed = Object.entries(sourceValues(source, rows)).filter(
    ([key, value]) => JSON.stringify(existing[key]) !== JSON.stringify(value),
  )
  if (changed.length === 0) return own
  for (const [key, value] of changed) document.setIn(['source', key], value)
  const adapted = document.toString({ lineWidth: 0 })
  if (block !== '') return own.replace(place, () => adapted)
  return own.replace(/^record:.*\n\n?/m, line => `${line}${adapted}\n`)
}

const dateField = /^( *)(\w+): (\{ from: .*\bas: date(?:time)?\b.*\})$/

/** Sets the formats of the date fields, with a question if the order is open. The tests go, for they expect other dates. */
export function adaptedDates(text: string, columns: Columns): string {
  const [body = ''] = text.split(/^tests:/m)
  const adapted = body.split('\n').flatMap(line => {
    const [, indent = '', key = '', value = ''] = dateField.exec(line) ?? []
    const lines = key === '' ? undefined : adaptedField(key, parse(value), columns)
    return lines?.map(each => indent + each) ?? line
  })
  const changed = adapted.join('\n')
  return changed === body ? text : changed
}

/** Undefined if the formats read all dates. */
function adaptedField(key: string, rule: FlowMap, columns: Columns): string[] | undefined {
  const [column] = [rule.from].flat().flatMap(each => columns.filter(({ name }) => isSame(each, name)))
  const own = [rule.format ?? 'iso'].flat().map(String)
  const readers = own.map(format => dateReader(format, String(rule.locale ?? 'en')))
  const unread = [...(column?.values ?? [])].find(
    text => dateShape(text) !== undefined && !readers.some(read => read(text) !== undefined),
  )
  if (column === undefined || unread === undefined) return undefined
  const { formats, open, locale } = column.dates.verdict()
  const line = (more: readonly string[], rest: FlowMap = {}) => {
    const all = [...new Set([...own, ...more])]
    const format = all.length === 1 ? rule.format : all
    return `${key}: ${flow({ ...rule, ...(format && { format }), ...(locale && { locale }), ...rest })}`
  }
  if (open === undefined)
    return [comment(`Dates such as ${quote(unread)} of this file are read as well.`), line(formats)]
  const question = `${orderQuestion(open, column)} Until you choose a line, such dates are left out.`
  const choices = [question, line(formats), line(open.monthFirst)]
  return [...choices.map(comment), line([], { otherwise: 'omit' })]
}
