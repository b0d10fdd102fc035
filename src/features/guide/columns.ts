// Step "Columns": what each column holds, and what becomes of it.
import { compileMapping } from '../../mapping/mapping.ts'
import type { Row } from '../../model/row.ts'
import { atPath, isObject, leavesOf } from '../../model/values.ts'
import type { Column } from '../draft/columns/column.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { outlineOf } from '../draft/draft-json.ts'
import { type FileFacts, hasTable } from '../draft/drafts.ts'
import {
  type Body,
  bodyIn,
  decisionsIn,
  withDecision,
  withoutColumn,
  withParts,
  withRule,
} from '../draft/edits/column-edits.ts'
import type { Path } from '../draft/edits/yaml-edits.ts'
import { ruleFor } from '../draft/fields/single.ts'
import type { FlowMap } from '../draft/yaml.ts'
import { knownFields } from './fields.ts'
import type { Guide } from './guide.ts'
import { settled } from './questions.ts'
import { cellText, faultOf, provideLookups, valueText } from './samples.ts'
import { CallError, type Of, type Seen } from './server.ts'

type By = 'values' | 'name' | 'hand' | 'key' | 'condition' | 'not_imported' | 'undecided'
export type ColumnView = Awaited<ReturnType<typeof columnsView>>['columns'][number]

const [mostRows, mostValues, mostWords] = [1_000, 3, 200]
const outlines = new WeakMap<Draft, ReturnType<typeof outlinedColumns>>()

export async function columnsView({ file }: Of, guide: Guide) {
  const { version, text, mapping, open, fault, facts } = await guide.known.read(file)
  if (mapping === undefined) throw fault
  const { draft } = guide.known.draftFor(facts, mapping.record)
  const outlined = outlines.get(draft) ?? outlinedColumns(facts, draft)
  outlines.set(draft, outlined)
  const { body, rows, valuesOf } = await valuesBy(text, facts, guide)
  const { views: fields } = knownFields(mapping.record)
  const decided = decisionsIn(text)

  /** Who chose the fields of a column, or why it has none. A key names rows, for lookups as well; a condition leaves some out. */
  function byOf(name: string, fields: readonly string[], rule: unknown): By {
    const isLinked = isObject(rule) && 'step' in (mapping?.lookupSpecs[`${rule.lookup}`] ?? {}) // by a plan
    const uses = mapping?.columns.fieldsOf(name) ?? []
    const best = outlined.get(name)?.candidates.find(({ field }) => fields.includes(field))
    if (open.includes(name)) return 'undecided'
    if (fields.length === 0 && (decided.has(name) || uses.length === 0)) return 'not_imported'
    if (fields.length === 0) return uses.some(use => /^(key|lookups)$/.test(use)) ? 'key' : 'condition'
    if (uses.join() !== draft.mapping.columns.fieldsOf(name).join() && !isLinked) return 'hand'
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

/** What a text makes of the first values of each column, whatever becomes of the others. Throws a UsageError. */
async function valuesBy(text: string, facts: FileFacts, { mappings }: Guide) {
  const names = facts.columns.map(({ name }) => name)
  const body = bodyIn(text, names)
  const lenient = JSON.stringify(body.content, (key, value) => (key === 'required' ? undefined : value))
  const mapping = compileMapping('columns', lenient, '')
  mapping.settleColumns([hasTable(facts.source) ? names : undefined])
  await provideLookups(mapping, mappings)
  const rows = facts.rows.kept.filter(row => mapping.selects(row)).slice(0, mostRows)

  /** Three different values, and what becomes of them alone: null for one that is left out or refused. */
  function valuesOf(name: string) {
    const fields = fieldsOf(body.placesOf(name), body).map(field => `${field}.`)
    const isOwn = (path: string) =>
      fields.some(field => `${path.replaceAll(/\.\d+/g, '')}.`.startsWith(field))
    const values = valuesIn(rows, name).slice(0, mostValues)
    return values.map(({ word: before, row }) => {
      const mapped = mapping.map(only(row, name), true)
      const leaves = 'body' in mapped ? leavesOf(mapped.body) : []
      const after = leaves.flatMap(({ path, value }) => (isOwn(path) ? valueText(value) : []))
      return { before, after: after.join('; ') || null, fault: faultOf(mapped) }
    })
  }

  return { body, rows, valuesOf }
}

/** A row with the cells of one column alone. */
const only = ({ source, row, line, value }: Row, column: string): Row => ({
  ...{ source, row, line, cells: () => [] },
  value: name => (`${name}.`.startsWith(`${column}.`) ? value(name) : undefined),
})

/** What `init --json` says of columns; of a preset it says no candidates, so those are of a draft without it. */
function outlinedColumns(facts: FileFacts, draft: Draft) {
  const plain = { ...facts, preset: undefined, record: draft.mapping.record }
  const { columns } = draft.explained.length > 0 ? outlineOf(facts, draft) : outlineOf(plain, draftOf(plain))
  return new Map(columns.map(each => [each.name, each]))
}

/** The fields of some places, such as `emails.email`. */
const fieldsOf = (places: readonly Path[], { ruleAt }: Body): string[] => [
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

/** Different values of a column, with the first row of each, and how many have it. */
function valuesIn(rows: readonly Row[], name: string) {
  const values = new Map<string, { readonly row: Row; rows: number }>()
  for (const row of rows) {
    const text = cellText(row, name)
    const known = values.get(text)
    if (known) known.rows += 1
    else if (text !== '') values.set(text, { row, rows: 1 })
  }
  return [...values].map(([word, each]) => ({ word, ...each }))
}

/** The rule of a field as the page can set it. */
function settingsOf(rule: unknown) {
  const own = isObject(rule) ? rule : {}
  const [inner = {}] = [isObject(own.each) ? Object.values(own.each).find(isObject) : own]
  const { country, format, map, as } = { ...own, ...inner }
  const text = (value: unknown) => (value === undefined ? undefined : String([value].flat()[0]))
  const yesOrNo = ['true', 'false'].flatMap(to => [own[to] ?? []].flat().map(word => [word, to]))
  const words = as === 'boolean' ? yesOrNo : Object.entries<unknown>(Object(map))
  const uses = words.map(([word, to]): [string, string] => [String(word), String(to)])
  return {
    split: own.split === undefined ? undefined : [own.split].flat().join(''),
    country: text(country),
    dateFormat: text(format),
    map: uses.length > 0 ? Object.fromEntries(uses) : undefined,
  }
}

/** Distinct values, most first; undefined if they are too many to be words of a list. */
function wordsOf(rows: readonly Row[], name: string) {
  const words = valuesIn(rows, name).map(({ word, rows }) => ({ word, rows }))
  return words.length > mostWords ? undefined : words.sort((a, b) => b.rows - a.rows)
}

/** A field, with what its rule can be set to. */
interface FieldChoice extends Partial<Omit<ColumnView['settings'], 'words'>> {
  readonly type: 'field'
  readonly path: string
  /** The id that the service gave an own field, for a path that begins with `custom_field_values`. */
  readonly customFieldId?: string | undefined
}

export type ColumnChoice = FieldChoice | { readonly type: 'not_imported' | 'undecided' }

interface ChoiceOf extends Seen {
  readonly column: string
  readonly choice: ColumnChoice
  /** Answers with the values as they would be, and saves nothing. */
  readonly preview?: boolean
}

/**
 * Writes the choice for a column into the mapping; a preview only returns what becomes of its values.
 * Throws a CallError, or a UsageError, such as with the faults that the mapping would have.
 */
export async function chooseColumn({ column: name, choice, preview, file, version }: ChoiceOf, guide: Guide) {
  const { known, mappings } = guide
  const { facts, mapping } = await known.read(file)
  const column = facts.columns.find(each => each.name === name)
  if (column === undefined) throw new CallError('bad_call', `${file} has no column "${name}"`)
  const field = choice.type === 'field' ? choice : undefined
  const chosen = (text: string) => (field ? withField(text, column, field) : withoutColumn(text, name))
  if (preview) {
    const { version, text } = await mappings.read(file)
    const now = chosen(text)
    const { valuesOf } = await valuesBy(now, facts, guide)
    return { version, values: valuesOf(name) }
  }
  return mappings.edit(file, version, text => {
    const now = chosen(settled(text, name, field?.path, known.draftFor(facts, mapping?.record)))
    const isImported = field ? true : choice.type === 'not_imported' ? false : undefined
    const done = withDecision(now, name, isImported)
    compileMapping(mappings.nameOf(file), done, '')
    return done
  })
}

/** Puts a column under a field. If it is there already, parts of its rule change; what the choice does not name stays. */
function withField(text: string, column: Column, choice: FieldChoice): string {
  const { path, split, customFieldId } = choice
  const { record } = compileMapping('mapping', text, '')
  const { views, isList, kindOf } = knownFields(record)
  if (!views.some(field => field.path === path))
    throw new CallError('bad_call', `a ${record} has no field ${path}`)
  const parts = partsOf(choice, kindOf(path))
  const body = bodyIn(text)
  const places = body.placesOf(column.name)
  const [place] = places
  const { path: at = [], rule } = place ? body.ruleAt(place) : {}
  const isThere = places.length === 1 && fieldsOf(places, body).join() === path && place?.at(-1) === 'from'
  const old = isThere && isObject(rule) && customFieldId === undefined ? (rule as FlowMap) : undefined
  const [root = '', ...steps] = path.split('.')
  const isSplit = old?.each !== undefined
  if (old && (isSplit === Boolean(split ?? isSplit) || !isList(root))) {
    const own = split === undefined ? text : withParts(text, at, { split: split || undefined })
    return withParts(own, isSplit ? [...at, 'each', ...steps] : at, parts)
  }
  const kept = isSplit ? atPath(old.each, steps) : old
  const whole = {
    ...((kept as FlowMap | undefined) ?? ruleFor(path, column, kindOf(path), record === 'task')),
    ...parts,
    ...{ from: column.name, split: split || undefined },
    ...(choice.dateFormat && { otherwise: undefined }), // what it does not fit is shown as a fault
  }
  const constants = customFieldId === undefined ? {} : { custom_field_id: customFieldId }
  return withRule(withoutColumn(text, column.name), path, whole, isList, constants)
}

/** The parts of a rule that a choice names; an empty text takes a part out. */
function partsOf({ country, dateFormat, map }: FieldChoice, as: string | undefined): FlowMap {
  const to = (word: string) => {
    const words = Object.entries(map ?? {}).flatMap(([text, use]) => (use === word ? text : []))
    return words.length > 0 ? words : undefined
  }
  const kind = /h/i.test(dateFormat ?? '') ? 'datetime' : 'date'
  return {
    ...(country !== undefined && { country: country || undefined, otherwise: country ? undefined : 'keep' }),
    ...(dateFormat !== undefined && { format: dateFormat || undefined, as: kind }),
    ...(map && as === 'boolean' && { true: to('true'), false: to('false') }),
    ...(map && as !== 'boolean' && { map: Object.keys(map).length > 0 ? map : undefined }),
  }
}
