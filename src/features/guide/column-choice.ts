import { compileMapping } from '../../mapping/mapping.ts'
import { isObject } from '../../model/values.ts'
import type { Column } from '../draft/columns/column.ts'
import {
  bodyIn,
  itemOf,
  withDecision,
  withoutColumn,
  withParts,
  withRule,
} from '../draft/edits/column-edits.ts'
import { withValue } from '../draft/edits/yaml-edits.ts'
import { ruleFor } from '../draft/fields/single.ts'
import type { Flow, FlowMap } from '../draft/yaml.ts'
import { type ColumnView, fieldsOf, valuesBy } from './columns.ts'
import { knownFields } from './fields.ts'
import type { Guide } from './guide.ts'
import { settled } from './questions.ts'
import { CallError } from './server.ts'
import type { Seen } from './views.ts'

/** What the rule of a field can be set to. */
type Settings = Partial<Omit<ColumnView['settings'], 'words'>>

export type ColumnChoice =
  | ({
      readonly type: 'field'
      readonly path: string
      /** The id that the service gave an own field, for a path that begins with `custom_field_values`. */
      readonly customFieldId?: string | undefined
    } & Settings)
  | { readonly type: 'not_imported' | 'undecided' }

type FieldChoice = Extract<ColumnChoice, { type: 'field' }>

export interface ChoiceOf extends Seen {
  readonly column: string
  readonly choice: ColumnChoice
  /** Answers with the values as they would be, and saves nothing. */
  readonly preview?: boolean
}

/**
 * Writes the choice for a column into the mapping; a preview only returns what becomes of its values.
 * Throws a CallError, or a UsageError, such as with the faults that the mapping would have.
 */
export async function chooseColumn(input: ChoiceOf, { known, mappings }: Guide) {
  const { file, version, column: name, choice, preview: isPreview = false } = input
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const column = facts.columns.find(each => each.name === name)
  if (column === undefined) throw new CallError('bad_call', `${file} has no column "${name}"`)
  const field = choice.type === 'field' ? choice : undefined
  const chosen = (text: string) => (field ? withField(text, column, field) : withoutColumn(text, name))
  if (isPreview) {
    const { version, text } = await mappings.read(file)
    const now = chosen(text)
    const { valuesOf } = await valuesBy(now, compileMapping('preview', now, ''), facts, mappings)
    return { version, values: valuesOf(name) }
  }
  return mappings.edit(file, version, text => {
    const now = chosen(settled(text, name, field?.path, facts, draft))
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
  if (!isThere || !isObject(rule) || customFieldId !== undefined) {
    const constants = customFieldId === undefined ? {} : { custom_field_id: customFieldId }
    const drafted = ruleFor(path, column, kindOf(path), record === 'task')
    const whole: Record<string, Flow | undefined> = { ...drafted, ...parts, split: split || undefined }
    if (choice.dateFormat) whole.otherwise = undefined // what it does not fit is shown as a fault
    return withRule(withoutColumn(text, column.name), path, whole, isList, constants)
  }
  const steps = path.split('.').slice(1)
  const isSplit = rule.each !== undefined
  if (isSplit === Boolean(split ?? isSplit) || !isList(path.split('.')[0] ?? '')) {
    const own = split === undefined ? text : withParts(text, at, { split: split || undefined })
    return withParts(own, isSplit ? [...at, 'each', ...steps] : at, parts)
  }
  const inner = isSplit ? steps.reduce<unknown>((at, step) => isObject(at) && at[step], rule.each) : rule
  const whole = { ...(inner as FlowMap), ...parts, from: column.name, split: split || undefined }
  return withValue(
    text,
    at.slice(0, at.findIndex(step => typeof step === 'number') + 1),
    itemOf(steps, whole, {}),
  )
}

/** The parts of a rule that a choice names; an empty text takes a part out. */
function partsOf({ country, dateFormat, map }: FieldChoice, as: string | undefined): FlowMap {
  const to = (word: string) => Object.entries(map ?? {}).flatMap(([text, use]) => (use === word ? text : []))
  const list = (words: string[]) => (words.length > 0 ? words : undefined)
  const kind = /h/i.test(dateFormat ?? '') ? 'datetime' : 'date'
  return {
    ...(country !== undefined && { country: country || undefined, otherwise: country ? undefined : 'keep' }),
    ...(dateFormat !== undefined && { format: dateFormat || undefined, as: kind }),
    ...(map && as === 'boolean' && { true: list(to('true')), false: list(to('false')) }),
    ...(map && as !== 'boolean' && { map: Object.keys(map).length > 0 ? map : undefined }),
  }
}
