// Step "Columns": what each column holds, and what becomes of it.
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { Row } from '../../model/row.ts'
import { isObject, leavesOf } from '../../model/values.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { outlineOf } from '../draft/draft-json.ts'
import { type FileFacts, hasTable } from '../draft/drafts.ts'
import { type Body, bodyIn, decisionsIn } from '../draft/edits/column-edits.ts'
import type { Path } from '../draft/edits/yaml-edits.ts'
import { knownFields } from './fields.ts'
import type { Guide } from './guide.ts'
import { cellText, faultOf, openTables, provideTables, valueText } from './samples.ts'

type By = 'values' | 'name' | 'hand' | 'key' | 'condition' | 'not_imported' | 'undecided'
export type ColumnView = Awaited<ReturnType<typeof columnsView>>['columns'][number]

const [mostRows, mostValues, mostWords] = [1_000, 3, 200]
const outlines = new WeakMap<Draft, ReturnType<typeof outlinedColumns>>()

export async function columnsView(file: string, { known, mappings }: Guide) {
  const { version, text, mapping, open = [], fault } = await known.compiled(file)
  if (mapping === undefined) throw fault
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const outlined = outlines.get(draft) ?? outlinedColumns(facts, draft)
  outlines.set(draft, outlined)
  const { body, rows, valuesOf } = await valuesBy(text, mapping, facts, mappings)
  const { views: fields } = knownFields(mapping.record)
  const decided = decisionsIn(text)

  /** Who chose the fields of a column, or why it has none. A key names rows, for lookups as well; a condition leaves some out. */
  function byOf(name: string, fields: readonly string[], rule: unknown): By {
    const isLinked = isObject(rule) && 'step' in (mapping?.lookupSpecs[`${rule.lookup}`] ?? {}) // by a plan
    const uses = mapping?.columns.fieldsOf(name) ?? []
    const { candidates = [], fields: drafted = [] } = outlined.get(name) ?? {}
    const best = candidates.find(({ field }) => fields.includes(field))
    if (open.includes(name)) return 'undecided'
    if (fields.length === 0 && (decided.has(name) || uses.length === 0)) return 'not_imported'
    if (fields.length === 0) return uses.some(use => /^(key|lookups)$/.test(use)) ? 'key' : 'condition'
    if (fields.join() !== drafted.join() && !isLinked) return 'hand'
    return isLinked || (best && best.by_values > best.by_name) ? 'values' : 'name'
  }

  function columnView({ name }: { readonly name: string }) {
    const { filled = 0, shapes = [], candidates = [] } = outlined.get(name) ?? {}
    const places = body.placesOf(name)
    const rule = places[0] && body.ruleAt(places[0]).rule
    const own = fieldsOf(places, body)
    const fits = [...new Set(candidates.map(({ field }) => field).filter(field => field !== 'key'))]
    const hasWords = fields.some(
      ({ path, takes }) => takes.includes('words') && [...own, ...fits].includes(path),
    )
    return {
      ...{ name, fields: own, by: byOf(name, own, rule) },
      /** 0 to 1. */
      filled,
      shapes: shapes.map(({ shape }) => shape),
      values: valuesOf(name),
      /** Fields that fit, best first. */
      candidates: fits,
      /** `words` are distinct values with their rows, most first, if the field takes words of a list. */
      settings: { ...settingsOf(rule), words: hasWords ? wordsOf(rows, name) : undefined },
    }
  }

  return { version, columns: facts.columns.map(columnView), fields }
}

/** What the text of a mapping makes of the first values of each column; `mapping` leaves out rows. */
export async function valuesBy(
  text: string,
  mapping: Mapping,
  facts: FileFacts,
  mappings: Guide['mappings'],
) {
  const names = facts.columns.map(({ name }) => name)
  const rows = facts.rows.kept.filter(row => mapping.selects(row)).slice(0, mostRows)
  const [body, tables] = [bodyIn(text, names), await openTables(mapping, mappings)]
  const { record, lookups, empty_values } = body.content

  /** A rule alone: other columns have no say in what becomes of one. */
  function mappingAt(place: Path): Mapping {
    const { path } = body.ruleAt(place)
    const inner = path.findIndex(step => step === 'default' || step === 'each')
    const whole = inner < 0 ? path : path.slice(0, inner)
    const rule = whole.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], body.content)
    const wrapped = whole.reduceRight<unknown>(
      (rule, step) => (typeof step === 'number' ? [rule] : { [step]: rule }),
      rule,
    )
    const alone = { record, lookups, empty_values, allow_unknown_fields: true, ...(wrapped as object) }
    const mapping = compileMapping('column', JSON.stringify(alone), '')
    mapping.settleColumns([hasTable(facts.source) ? names : undefined])
    provideTables(mapping, tables)
    return mapping
  }

  /** Three different values, and what becomes of them: null for one that is left out or refused. */
  function valuesOf(name: string) {
    const places = body.placesOf(name)
    const fields = fieldsOf(places, body).map(field => `${field}.`)
    const own = places.map(mappingAt)
    return [...samplesOf(rows, name)].map(([before, row]) => {
      const mapped = own.map(mapping => mapping.map(row, true))
      const leaves = mapped.flatMap(each => ('body' in each ? leavesOf(each.body) : []))
      const after = leaves.flatMap(({ path, value }) =>
        fields.some(field => `${path.replaceAll(/\.\d+/g, '')}.`.startsWith(field)) ? valueText(value) : [],
      )
      const faults = mapped.flatMap(each => faultOf(each) ?? [])
      return { before, after: after.join('; ') || null, fault: faults.join('; ') || null }
    })
  }

  return { body, rows, valuesOf }
}

/** What `init --json` says of columns, and the fields it chose; of a preset it says no candidates, so those are of a draft without it. */
function outlinedColumns(facts: FileFacts, draft: Draft) {
  const plain = { ...facts, preset: undefined, record: draft.mapping.record }
  const { columns } = draft.explained.length > 0 ? outlineOf(facts, draft) : outlineOf(plain, draftOf(plain))
  const names = columns.map(({ name }) => name)
  const body = bodyIn(draft.text, names)
  const fields = (name: string) => fieldsOf(body.placesOf(name), body)
  return new Map(columns.map(each => [each.name, { ...each, fields: fields(each.name) }]))
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

/** The rule of a field as the page can set it. */
function settingsOf(rule: unknown) {
  const own = isObject(rule) ? rule : {}
  const [inner = {}] = [isObject(own.each) ? Object.values(own.each).find(isObject) : own]
  const { country, format, map, as } = { ...own, ...inner }
  const text = (value: unknown) => (value === undefined ? undefined : String([value].flat()[0]))
  const yesOrNo = ['true', 'false'].flatMap(to => [own[to] ?? []].flat().map(word => [word, to]))
  const words =
    as === 'boolean'
      ? yesOrNo
      : Object.entries(isObject(map) ? map : {}).map(([word, to]) => [word, String(to)])
  return {
    split: own.split === undefined ? undefined : [own.split].flat().join(''),
    country: text(country),
    dateFormat: text(format),
    map: words.length > 0 ? (Object.fromEntries(words) as Readonly<Record<string, string>>) : undefined,
  }
}

/** Distinct values, most first; undefined if they are too many to be words of a list. */
function wordsOf(rows: readonly Row[], name: string) {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const word = cellText(row, name)
    if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].map(([word, rows]) => ({ word, rows })).sort((a, b) => b.rows - a.rows)
  return words.length > mostWords ? undefined : words
}
