import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { dateReader } from '../../mapping/transforms/date.ts'
import { packageFile } from '../../model/package.ts'
import type { Columns } from './columns/column.ts'
import { dateShape } from './columns/date-shapes.ts'
import type { RowFacts } from './columns/survey.ts'
import type { FileFacts, SourceFacts } from './drafts.ts'
import { withValue } from './edits/yaml-edits.ts'
import { orderQuestion } from './fields/dates.ts'
import { type Fragment, isText, type Line, placed, question, suggestion } from './lines.ts'
import { sourceValues } from './opening.ts'
import { comment, compact, type FlowMap, flow, quote } from './yaml.ts'

export function adaptedPreset(name: string, { source, rows, columns, country }: FileFacts): Line[] {
  const own = packageFile(`config/${name}.yaml`)
  const text = adaptedSource(country ? withCountry(own, country) : own, source, rows).trimEnd()
  const keyed = linesOf(text).flatMap(line => (isText(line) ? adaptedKey(line, columns) : [line]))
  return adaptedDates(keyed, columns)
}

const withCountry = (text: string, country: string) =>
  text
    .replaceAll(/\bas: phone(?=[,} ])/g, `$&, country: ${country}`)
    .replaceAll(/^( *)as: phone$/gm, `$&\n$1country: ${country}`)

/** Leaves out a key that the file lacks, or that a spreadsheet rounded: then it is the same in many rows. */
function adaptedKey(line: string, columns: Columns): Line[] {
  const names = /^key: (.*)$/.exec(line)?.[1]
  if (names === undefined) return [line]
  const named = columns.filter(({ name }) => [parse(names)].flat(2).some(each => isSame(each, name)))
  const rounded = named.flatMap(({ values }) => [...values]).find(id => /^\d([.,]\d+)?E\+\d+$/.test(id))
  const question = `? A spreadsheet rounded ids (${quote(rounded ?? '')}), so they tell no rows apart. Can the file be exported afresh?`
  if (rounded !== undefined) return [...suggestion({ lines: [line] }, question).lines]
  return named.length > 0 ? [line] : ['# This file has no such column.', comment(line)]
}

/** A preset finds a column in other letters, too. */
const isSame = (name: unknown, other: string) => String(name).toLowerCase() === other.toLowerCase()

/** Existing settings of `source:` are kept; without any they come before the comments of the body. */
function adaptedSource(text: string, source: SourceFacts, rows: RowFacts): string {
  const own = text.replace(/^# yaml-language-server:.*\n/, '') // the draft has its own
  const existing = parse(own).source
  const values = Object.entries(sourceValues(source, rows) as FlowMap)
  const changed = values.filter(([key, value]) => !isDeepStrictEqual(existing?.[key], value))
  const whole = existing || changed.length === 0 ? own : own.replace(/^record:.*\n/m, '$&\nsource:\n')
  return changed.reduce((now, [key, value = null]) => withValue(now, ['source', key], value), whole)
}

const dateField = /^( *)(\w+): (\{ from: .*\bas: date(?:time)?\b.*\})$/

/** Sets the formats of the date fields, with a question if the order is open. The tests go, for they expect other dates. */
export function adaptedDates(lines: readonly Line[], columns: Columns): Line[] {
  const end = lines.indexOf('tests:')
  const body = end < 0 ? lines : lines.slice(0, end - 1)
  let parent = ''
  const adapted = body.map((line): readonly Line[] => {
    if (!isText(line)) return [line]
    parent = /^ {2}(\w+):/.exec(line)?.[1] ?? parent
    const [, spaces = '', key = '', value = ''] = dateField.exec(line) ?? []
    const field = key === '' ? undefined : adaptedField(key, parse(value), columns)
    if (field === undefined) return [line]
    return placed(field.lines, spaces, id => (parent === key ? id : `${parent}.${id}`))
  })
  const isSame = adapted.every(([only], at) => only === body[at])
  return isSame ? [...lines] : adapted.flat()
}

/** Undefined if the formats read all dates. */
function adaptedField(key: string, rule: FlowMap, columns: Columns): Fragment | undefined {
  const [column] = [rule.from].flat().flatMap(each => columns.filter(({ name }) => isSame(each, name)))
  const own = [rule.format ?? 'iso'].flat().map(String)
  const readers = own.map(format => dateReader(format, String(rule.locale ?? 'en')))
  const isRead = (text: string) => readers.some(read => read(text) !== undefined)
  const unread = [...(column?.values ?? [])].find(text => dateShape(text) !== undefined && !isRead(text))
  if (column === undefined || unread === undefined) return undefined
  const { formats, open, locale } = column.dates.verdict()
  const part = (more: readonly string[], rest: FlowMap = {}, note?: string) => {
    const all = [...new Set([...own, ...more])]
    const format = all.length === 1 ? rule.format : all
    const value = { ...rule, ...(format && { format }), ...(locale && { locale }), ...rest }
    return { lines: [...compact(note).map(comment), `${key}: ${flow(value)}`] }
  }
  if (open === undefined)
    return part(formats, {}, `Dates such as ${quote(unread)} of this file are read as well.`)
  const standing = { id: 'omit', label: 'Such dates are left out', part: part([], { otherwise: 'omit' }) }
  return orderQuestion(open, column, [part(formats), part(open.monthFirst)], standing)
}

const asked = /^((?: *# \? .*\n)(?: *# (?!\w+: ).*\n)*(?: *# \w+: .*\n)+)/m

/** The lines of a preset; a comment that begins with "?" is a question, and the fields in the comments below it are its answers. */
const linesOf = (text: string): Line[] =>
  text.split(asked).flatMap((part, at): readonly Line[] => {
    const lines = part.replace(/\n$/, '').split('\n')
    if (at % 2 === 0) return lines
    const texts = lines.map(line => line.replace(/^ *# (\? )?/, ''))
    const first = texts.findIndex(line => /^\w+: /.test(line))
    const fields = texts.slice(first)
    const offers = fields.map((line, at) => ({ id: `take-${at + 1}`, label: line, part: { lines: [line] } }))
    return placed(question(texts.slice(0, first).join(' '), offers).lines, '  ', id => id)
  })
