// Step "Columns": what each column holds and becomes, and the choice for one.
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { Row } from '../../model/row.ts'
import { isObject, leavesOf, present, textOf } from '../../model/values.ts'
import { LocatedYaml } from '../../settings/located-yaml.ts'
import type { FileFacts } from '../draft/columns/survey.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { draftJson } from '../draft/draft-json.ts'
import type { FlowMap } from '../draft/yaml.ts'
import type { ColumnChoice, ColumnSettings, ColumnsView, ColumnView } from './api.ts'
import { placesOf, ruleAt, withoutColumn, withParts, withRule } from './column-edits.ts'
import { decisionsIn, withDecision, withoutDecision } from './decisions.ts'
import { fieldViews, isListField, ruleFor } from './fields.ts'
import type { Guide } from './guide.ts'
import { keeping } from './kept.ts'
import { settled } from './questions.ts'
import { faultOf, mostSampled, provideLookups, valueText } from './samples.ts'
import { CallError } from './server.ts'

/** A column of `init --json`. */
interface Drafted {
  readonly name: string
  readonly filled: number
  readonly shapes: readonly { readonly shape: string }[]
  readonly candidates: readonly {
    readonly field: string
    readonly by_name: number
    readonly by_values: number
  }[]
  readonly fields: readonly string[]
}

const mostValues = 3
const mostWords = 200
const keepDrafted = keeping<readonly Drafted[]>()
const keepValues = keeping<ColumnView['values']>(2_000)

export async function columnsView(file: string, guide: Guide): Promise<ColumnsView> {
  const { version, text, mapping, fault } = await guide.known.compiled(file)
  if (mapping === undefined) throw new CallError('bad_call', fault ?? '')
  const facts = await guide.known.facts(file)
  const draft = await guide.known.draft(file)
  const drafted = await draftedColumns(facts, draft)
  const rows = facts.rows.kept.filter(row => mapping.selects(row)).slice(0, mostSampled)
  const decided = decisionsIn(text)
  const columns = facts.columns.map(async ({ name }): Promise<ColumnView> => {
    const { filled = 0, shapes = [], candidates = [], fields: own = [] } = drafted.get(name) ?? {}
    const fields = bodyFields(mapping, name)
    const { values, settings } = await valuesOf(name, { text, mapping, rows, fields, guide })
    const isDrafted = fields.join() === own.filter(isOfBody).join()
    const best = candidates.find(({ field }) => fields.includes(field))
    const byName = best === undefined || best.by_name >= best.by_values
    const none = decided.has(name) ? 'not_imported' : 'undecided'
    return {
      ...{ name, values, filled, fields, settings, shapes: shapes.map(({ shape }) => shape) },
      by: fields.length === 0 ? none : !isDrafted ? 'hand' : byName ? 'name' : 'values',
      candidates: [...new Set(candidates.map(({ field }) => field).filter(field => field !== 'key'))],
    }
  })
  return { version, columns: await Promise.all(columns), fields: fieldViews(mapping.record) }
}

const partsOfMapping = ['key', 'where', 'lookups', 'identity']
const isOfBody = (field: string) => !partsOfMapping.includes(field)
const bodyFields = (mapping: Mapping, column: string) => mapping.columns.fieldsOf(column).filter(isOfBody)

/** What `init --json` says of the columns; a preset says nothing of candidates, so those are of a draft without it. */
async function draftedColumns(facts: FileFacts, draft: Draft) {
  const key = `${facts.source.name} ${draft.mapping.record} ${draft.text.length} ${draft.text}`
  const all = await keepDrafted(key, async () => {
    const own: readonly Drafted[] = JSON.parse(draftJson(facts, draft)).columns
    if (draft.explained.length > 0) return own
    const plain = { ...facts, preset: undefined, record: draft.mapping.record }
    const others: readonly Drafted[] = JSON.parse(draftJson(plain, draftOf(plain))).columns
    return own.map((each, at) => ({ ...each, candidates: others[at]?.candidates ?? [] }))
  })
  return new Map(all.map(each => [each.name, each]))
}

interface Sampled {
  readonly text: string
  readonly mapping: Mapping
  readonly rows: readonly Row[]
  readonly fields: readonly string[]
  readonly guide: Guide
}

const textIn = (row: Row, column: string): string => {
  const text = textOf(present(row.value(column)) ?? '')
  return typeof text === 'string' ? text.trim() : JSON.stringify(row.value(column))
}

/** Three different values of a column, and what the fields that read it make of each; other columns have no say in it. */
async function valuesOf(name: string, { text, mapping, rows, fields, guide }: Sampled) {
  const byText = new Map<string, Row>()
  for (const row of rows) {
    const own = textIn(row, name)
    if (own !== '' && !byText.has(own)) byText.set(own, row)
    if (byText.size === mostValues) break
  }
  const places = fields.length === 0 ? [] : placesOf(text, name)
  const first = places[0] && ruleAt(text, places[0])
  const settings = settingsOf(first?.rule, name, rows)
  if (places.length === 0)
    return { settings, values: [...byText.keys()].map(before => ({ before, after: null, fault: null })) }
  const own = JSON.stringify(onlyFor(text, places))
  const key = JSON.stringify([own, ...byText].map(each => (typeof each === 'string' ? each : each[0])))
  const values = await keepValues(`${mapping.sha256.length} ${key}`, async () => {
    const alone = compileMapping('column', own, '')
    alone.settleColumns([rows[0] ? [...rows[0].cells()].map(([column]) => column) : [name]])
    await provideLookups(alone, guide.mappings)
    return [...byText].map(([before, row]) => {
      const mapped = alone.map(row, true)
      const leaves = 'body' in mapped ? leavesOf(mapped.body) : []
      const ofFields = leaves.filter(({ path }) => fields.includes(path.replaceAll(/\.\d+(?=\.|$)/g, '')))
      const after = ofFields.map(({ value }) => valueText(value)).join('; ')
      return { before, after: after === '' ? null : after, fault: faultOf(mapped) }
    })
  })
  return { settings, values }
}

/** The mapping with the fields alone that stand at these places. */
function onlyFor(text: string, places: ReturnType<typeof placesOf>): object {
  const { record, source, lookups, body, empty_values } = new LocatedYaml('mapping', text).content as FlowMap
  const kept = (value: unknown, at: readonly (string | number)[]): unknown => {
    const inside = places.filter(place => at.every((step, depth) => place[depth] === step))
    if (inside.length === 0) return undefined
    const isEnd = inside.some(place => ruleAt(text, place).path.length <= at.length)
    if (isEnd || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return value.map((item, index) => kept(item, [...at, index])).filter(item => item !== undefined)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === 'custom_field_id' ? inner : kept(inner, [...at, key]),
      ]),
    )
  }
  return { record, source, lookups, empty_values, allow_unknown_fields: true, body: kept(body, ['body']) }
}

function settingsOf(rule: unknown, column: string, rows: readonly Row[]): ColumnSettings {
  const own = isObject(rule) ? rule : {}
  const { split, country, format, map } = isObject(own.each) ? { ...own.each, ...own } : own
  const text = (value: unknown) => (value === undefined ? undefined : [value].flat().join(''))
  const counts = new Map<string, number>()
  for (const row of rows) {
    const word = textIn(row, column)
    if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1)
    if (counts.size > mostWords) break
  }
  const words = [...counts].map(([word, count]) => ({ word, rows: count })).sort((a, b) => b.rows - a.rows)
  return {
    ...{ split: text(split), country: text(country), dateFormat: text([format].flat()[0]) },
    map: isObject(map)
      ? Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]))
      : undefined,
    words: words.length > mostWords ? undefined : words,
  }
}

/** Writes the choice for a column into the mapping. Throws a CallError. */
export async function chooseColumn(
  file: string,
  version: string,
  name: string,
  choice: ColumnChoice,
  guide: Guide,
) {
  const facts = await guide.known.facts(file)
  const column = facts.columns.find(each => each.name === name)
  if (column === undefined) throw new CallError('bad_call', `${file} has no column "${name}"`)
  const draft = await guide.known.draft(file)
  return guide.mappings.edit(file, version, text => {
    const { record } = compileMapping('mapping', text, '')
    const isField = choice.type === 'field'
    const plain = settled(text, name, isField ? choice.path : undefined, facts, draft)
    const now = isField ? withField() : withoutColumn(plain, name)
    const open = withoutDecision(now, name, isField)
    const done = choice.type === 'not_imported' ? withDecision(open, name) : open
    compileMapping(guide.mappings.nameOf(file), done, '') // throws its faults
    return done

    function withField(): string {
      if (choice.type !== 'field') return plain
      const { path, split, country, dateFormat, map, customFieldId } = choice
      if (!fieldViews(record).some(field => field.path === path))
        throw new CallError('bad_call', `no field ${path}`)
      const places = placesOf(plain, name)
      const [place, ...others] = places
      const own = place && others.length === 0 ? ruleAt(plain, place) : undefined
      const isThere =
        own &&
        place?.at(-1) === 'from' &&
        bodyFields(compileMapping('mapping', plain, ''), name).includes(path)
      if (own && isThere && isObject(own.rule) && customFieldId === undefined) {
        const parts = {
          split,
          country,
          map,
          ...(dateFormat !== undefined && { format: dateFormat, as: kindOfDate(dateFormat) }),
        }
        const hasChanged = split === (own.rule.split ?? undefined) && !own.path.includes('each')
        if (hasChanged)
          return withParts(plain, own.path, country ? { ...parts, otherwise: undefined } : parts)
      }
      const drafted = ruleFor(record, path, column as NonNullable<typeof column>)
      const ofCountry = country ? { country, otherwise: undefined } : {}
      const ofDate = dateFormat === undefined ? {} : { format: dateFormat, as: kindOfDate(dateFormat) }
      const rule = { ...drafted, ...ofCountry, ...ofDate, ...(split && { split }), ...(map && { map }) }
      const cleared =
        places.length > 0 && Object.keys(new LocatedYaml('mapping', plain).content as object).length > 0
      const of = customFieldId === undefined ? {} : { custom_field_id: customFieldId }
      const put = (before: string) => withRule(before, path, rule, isListField(record), of)
      return cleared ? moved(plain, name, put) : put(plain)
    }
  })
}

/** Takes a column out and puts it in elsewhere; the other way round if it is the only field. */
function moved(text: string, column: string, put: (text: string) => string): string {
  try {
    return put(withoutColumn(text, column))
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    throw error
  }
}

const kindOfDate = (format: string) => (/[hH]/.test(format) ? 'datetime' : 'date')
