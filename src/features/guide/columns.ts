// Step "Columns": what each column holds, and what becomes of it.

import type { Header } from '../../mapping/columns.ts'
import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { compileMapping } from '../../mapping/mapping.ts'
import type { Row } from '../../model/row.ts'
import { isObject, leavesOf } from '../../model/values.ts'
import { type FileFacts, hasTable } from '../draft/columns/survey.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { draftJson } from '../draft/draft-json.ts'
import { type Body, bodyIn, decisionsIn } from '../draft/edits/column-edits.ts'
import type { Path } from '../draft/edits/yaml-edits.ts'
import type { ColumnSettings, ColumnsView, ColumnView } from './api.ts'
import { knownFields } from './fields.ts'
import type { Guide } from './guide.ts'
import { cellText, faultOf, openTables, provideTables, valueText } from './samples.ts'
import { CallError } from './server.ts'
import { keeping } from './sources.ts'

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
}

const [mostRows, mostValues, mostWords] = [1_000, 3, 200]
const keepDrafted = keeping<Awaited<ReturnType<typeof draftedColumns>>>()
const keepValues = keeping<ColumnView['values']>(2_000)

export async function columnsView(file: string, { known, mappings }: Guide): Promise<ColumnsView> {
  const { version, text, mapping, fault } = await known.compiled(file)
  if (mapping === undefined) throw new CallError('bad_call', fault ?? '')
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const drafted = await keepDrafted(draft.text, () => draftedColumns(facts, draft))
  const rows = facts.rows.kept.filter(row => mapping.selects(row)).slice(0, mostRows)
  const names = facts.columns.map(({ name }) => name)
  const header = hasTable(facts.source) ? names : undefined
  const [body, tables] = [bodyIn(text, names), await openTables(mapping, mappings)]
  const { views } = knownFields(mapping.record)
  const [decided, state] = [decisionsIn(text), await known.tablesOf(mapping)]
  const columns = names.map(async (name): Promise<ColumnView> => {
    const { filled = 0, shapes = [], candidates = [], fields: own = [] } = drafted.get(name) ?? {}
    const places = body.placesOf(name)
    const fields = fieldsOf(places, body)
    const samples = samplesOf(rows, name)
    const alone = onlyFor(places, body)
    const key = JSON.stringify([name, state, alone, [...samples.keys()]])
    const become = async () => becoming(samples, fields, alone, header, tables)
    const best = candidates.find(({ field }) => fields.includes(field))
    const rule = places[0] && body.ruleAt(places[0]).rule
    const isLinked = isObject(rule) && 'step' in (mapping.lookupSpecs[`${rule.lookup}`] ?? {}) // by a plan
    const isByHand = fields.join() !== own.join() && !isLinked
    const chosen = isLinked || (best && best.by_values > best.by_name) ? 'values' : 'name'
    const none = decided.has(name) ? 'not_imported' : 'undecided'
    const fits = [...new Set(candidates.map(({ field }) => field).filter(field => field !== 'key'))]
    const hasWords = views.some(
      ({ path, takes }) => takes.includes('words') && [...fields, ...fits].includes(path),
    )
    const settings = settingsOf(rule)
    return {
      ...{ name, filled, fields, candidates: fits, shapes: shapes.map(({ shape }) => shape) },
      values: await keepValues(key, become),
      by: fields.length === 0 ? none : isByHand ? 'hand' : chosen,
      settings: hasWords ? { ...settings, words: wordsOf(rows, name) } : settings,
    }
  })
  return { version, columns: await Promise.all(columns), fields: views }
}

/** What `init --json` says of columns, and the fields it chose; of a preset it says no candidates, so those are of a draft without it. */
async function draftedColumns(facts: FileFacts, draft: Draft) {
  const columnsOf = (facts: FileFacts, draft: Draft): readonly Drafted[] =>
    JSON.parse(draftJson(facts, draft)).columns
  const plain = { ...facts, preset: undefined, record: draft.mapping.record }
  const all = draft.explained.length > 0 ? columnsOf(facts, draft) : columnsOf(plain, draftOf(plain))
  const body = bodyIn(
    draft.text,
    all.map(({ name }) => name),
  )
  return new Map(all.map(each => [each.name, { ...each, fields: fieldsOf(body.placesOf(each.name), body) }]))
}

/** The fields of some places, such as `emails.email`. */
export const fieldsOf = (places: readonly Path[], { ruleAt }: Body): string[] => [
  ...new Set(
    places.map(place => {
      const { path, rule } = ruleAt(place)
      const each =
        isObject(rule) && isObject(rule.each) ? [leavesOf(rule.each)[0]?.path.replace(/\.from$/, '')] : []
      return [...path.slice(1), ...each]
        .filter(step => typeof step === 'string' && !/^(each|default)$/.test(step))
        .join('.')
    }),
  ),
]

/** Different values of a column, with the first row of each. */
function samplesOf(rows: readonly Row[], name: string): Map<string, Row> {
  const samples = new Map<string, Row>()
  for (const row of rows) {
    const text = cellText(row, name)
    if (text !== '' && !samples.has(text)) samples.set(text, row)
    if (samples.size === mostValues) break
  }
  return samples
}

/** The mapping with the fields alone that stand at these places: other columns have no say in what becomes of one. */
function onlyFor(places: readonly Path[], { content, ruleAt }: Body): string | undefined {
  if (places.length === 0) return undefined
  const ends = places.map(place => {
    const { path } = ruleAt(place)
    const inner = path.findIndex(step => step === 'default' || step === 'each')
    return inner < 0 ? path : path.slice(0, inner)
  })
  const kept = (value: unknown, at: Path): unknown => {
    const inside = ends.filter(end => at.every((step, depth) => end[depth] === step))
    const isEnd = inside.some(end => end.length === at.length) || at.at(-1) === 'custom_field_id'
    if (isEnd || inside.length === 0) return isEnd ? value : undefined
    if (Array.isArray(value)) return value.flatMap((item, index) => kept(item, [...at, index]) ?? [])
    return Object.fromEntries(
      Object.entries(value as object).map(([key, inner]) => [key, kept(inner, [...at, key])]),
    )
  }
  const { record, lookups, empty_values } = content
  return JSON.stringify({
    record,
    lookups,
    empty_values,
    allow_unknown_fields: true,
    body: kept(content.body, ['body']),
  })
}

function becoming(
  samples: ReadonlyMap<string, Row>,
  fields: readonly string[],
  text: string | undefined,
  header: Header,
  tables: Map<string, Lookup>,
) {
  if (text === undefined) return [...samples.keys()].map(before => ({ before, after: null, fault: null }))
  const mapping = compileMapping('column', text, '')
  mapping.settleColumns([header])
  provideTables(mapping, tables)
  return [...samples].map(([before, row]) => {
    const mapped = mapping.map(row, true)
    const leaves = 'body' in mapped ? leavesOf(mapped.body) : []
    const isOwn = (path: string) =>
      fields.some(field => `${path.replaceAll(/\.\d+/g, '')}.`.startsWith(`${field}.`))
    const own = leaves.filter(({ path }) => isOwn(path) && !path.endsWith('custom_field_id'))
    const after = own.map(({ value }) => valueText(value)).join('; ')
    return { before, after: after === '' ? null : after, fault: faultOf(mapped) }
  })
}

function settingsOf(rule: unknown): ColumnSettings {
  const own = isObject(rule) ? rule : {}
  const [inner = {}] = [isObject(own.each) ? Object.values(own.each).find(isObject) : own]
  const { country, format, map, as } = { ...own, ...inner }
  const text = (value: unknown) => (value === undefined ? undefined : String([value].flat()[0]))
  const yesOrNo = ['true', 'false'].flatMap(to => [own[to] ?? []].flat().map(word => [word, to]))
  const words =
    as === 'boolean'
      ? yesOrNo
      : Object.entries(isObject(map) ? map : {}).map(([word, to]) => [word, String(to)])
  const split = own.split === undefined ? undefined : [own.split].flat().join('')
  return {
    split,
    country: text(country),
    dateFormat: text(format),
    map: words.length > 0 ? Object.fromEntries(words) : undefined,
  }
}

/** Distinct values, most first; undefined if they are too many to be words of a list. */
function wordsOf(rows: readonly Row[], name: string): ColumnSettings['words'] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const word = cellText(row, name)
    if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].map(([word, rows]) => ({ word, rows })).sort((a, b) => b.rows - a.rows)
  return words.length > mostWords ? undefined : words
}
