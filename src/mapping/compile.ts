import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { addTo, present, textOf } from '../model/values.ts'
import { type CompileContext, columnLabel, compileReader } from './columns.ts'
import { nearest } from './did-you-mean.ts'
import { type DocumentPath, plainWords } from './located-yaml.ts'
import { Pending } from './lookups/lookup.ts'
import { type Rule, ruleFaults, ruleMarks, ruleSchema } from './rule.ts'
import {
  addError,
  type Compiled,
  dynamicNode,
  type Evaluate,
  locate,
  longestText,
  type Scope,
} from './scope.ts'
import { splitter } from './transforms/split.ts'
import { settingFaults } from './transforms/transform.ts'
import {
  compileConversion,
  compileInput,
  convertAll,
  findColumn,
  isStopped,
  type OnStopped,
} from './values.ts'

/** Any other object in `body` is a nested object. */
export const isRule = (node: object): boolean =>
  ruleMarks.some(mark => Object.hasOwn(node, mark)) && !Object.hasOwn(node, 'custom_field_id') // its value has a kind

export const join = (path: string, step: string | number): string =>
  path === '' ? String(step) : `${path}.${step}`

/** Compiles a node of `body`; `path` is its path in the body, or in the item inside `each`; faults are noted at `at`. */
export function compileNode(
  node: unknown,
  path: string,
  at: DocumentPath,
  context: CompileContext,
): Compiled {
  if (typeof node === 'string' && node.includes('{{')) return compileTemplate(node, path, at, context)
  if (typeof node !== 'object' || node === null)
    return { isDynamic: false, evaluate: () => (node === '' ? undefined : node) }
  if (Array.isArray(node)) return compileList(node, path, at, context)
  return isRule(node) ? compileRule(node, path, at, context) : compileObject(node, path, at, context)
}

function compileObject(node: object, path: string, at: DocumentPath, context: CompileContext): Compiled {
  const fields = Object.entries(node).map(([name, child]) => {
    const { isDynamic, evaluate, columnOf } = compileNode(child, join(path, name), [...at, name], context)
    return { name, isDynamic, evaluate, columnOf }
  })
  const isDynamic = fields.some(field => field.isDynamic)
  return {
    isDynamic,
    evaluate: scope => {
      const body: Record<string, unknown> = {}
      const countBefore = scope.values.count
      for (const field of fields) {
        const value = field.evaluate(scope)
        if (value !== undefined) body[field.name] = value
      }
      scope.origins?.set(body, name => fields.find(field => field.name === name)?.columnOf?.(scope))
      return isDynamic && scope.values.count === countBefore ? undefined : body
    },
  }
}

/** Items that are lists, as of a rule with `split`, are flattened. */
function compileList(
  node: readonly unknown[],
  path: string,
  at: DocumentPath,
  context: CompileContext,
): Compiled {
  const items = node.map((child, index) => compileNode(child, join(path, index), [...at, index], context))
  return {
    isDynamic: items.some(item => item.isDynamic),
    evaluate: scope => {
      const list: unknown[] = []
      for (const { evaluate } of items) addTo(list, evaluate(scope) ?? undefined)
      return list.length === 0 && items.length > 0 ? undefined : list
    },
  }
}

function compileRule(node: object, path: string, at: DocumentPath, outer: CompileContext): Compiled {
  const parsed = ruleSchema.safeParse(node, plainWords)
  if (!parsed.success) {
    outer.yaml.faultsOf(parsed.error, at, () => Object.keys(ruleSchema.shape))
    return dynamicNode(() => undefined)
  }
  const rule = parsed.data
  const { required, empty } = rule
  const context = rule.optional === undefined ? outer : { ...outer, isOptional: rule.optional }
  noteFaults(rule, at, context)

  const input = compileInput(rule, at, {
    ...context,
    onOmitted(scope, omission, text) {
      noteOmittable(scope, text)
      onStopped(scope, omission, text)
    },
  })
  const split = splitter(rule.split)
  const convert = compileConversion(rule, at, context)
  const mapItems = rule.each === undefined ? undefined : compileEach(rule.each, path, at, context)
  const fallback =
    rule.default === undefined ? undefined : compileNode(rule.default, path, [...at, 'default'], context)
  const columnOf = (scope: Scope, item?: unknown) => findColumn(input, scope, item)
  const onStopped: OnStopped = (scope, result, item, index) => {
    const place = index === undefined ? path : join(path, index)
    const column = columnOf(scope, item)
    if (isProblem(result)) addError(scope, place, column, item, result)
    else if (result instanceof Pending)
      scope.waits.push({ on: result.on, ...locate(scope, place, column, item) })
    else scope.values.omitted.push({ ...locate(scope, place, column, item), code: result.code })
  }
  const omits = rule.otherwise === 'omit' || rule.missing === 'omit'
  const noteOmittable = (scope: Scope, value: unknown) => {
    for (const item of [value].flat()) addTo(scope.values.omittable, columnOf(scope, item))
  }

  /** Another value of the row stands for what was left out; a constant does not. */
  const fallbackFor = (scope: Scope, omittedBefore: number): unknown => {
    const { omitted } = scope.values
    const omittedNow = omitted.length
    const value = fallback?.evaluate(scope)
    if (fallback?.isDynamic && value !== undefined) omitted.splice(omittedBefore, omittedNow - omittedBefore)
    return value
  }
  const evaluate: Evaluate = scope => {
    const errorsBefore = scope.errors.length
    const omittedBefore = scope.values.omitted.length
    const read = present(input.read(scope))
    let converted: unknown
    if (isStopped(read)) onStopped(scope, read, undefined)
    else if (read !== undefined) {
      const values = split(read)
      if (omits) noteOmittable(scope, values)
      converted = convertAll(values, convert, scope, onStopped)
    }
    const value = isEmpty(converted) ? fallbackFor(scope, omittedBefore) : converted
    if (isEmpty(value)) {
      if (required && scope.errors.length === errorsBefore)
        addError(scope, path, columnOf(scope), undefined, problem('required'))
      return empty
    }
    return mapItems === undefined ? value : (mapItems(value, scope, () => columnOf(scope)) ?? empty)
  }
  return rule.value === undefined ? dynamicNode(evaluate, columnOf) : { isDynamic: false, evaluate }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

function noteFaults(rule: Rule, at: DocumentPath, { yaml, lookupNames }: CompileContext): void {
  for (const [part, fault] of [...ruleFaults(rule), ...settingFaults(rule)]) yaml.fault([...at, part], fault)
  const { lookup } = rule
  if (lookup === undefined || lookupNames.includes(lookup)) return
  const suggestion = nearest(lookup, lookupNames)
  yaml.fault([...at, 'lookup'], fileProblem('unknown_lookup', { name: lookup, suggestion }))
}

type MapItems = (value: unknown, scope: Scope, itemsColumn: () => string | undefined) => unknown[] | undefined

/** Items with an empty body are left out. */
function compileEach(node: unknown, path: string, at: DocumentPath, context: CompileContext): MapItems {
  const { evaluate } = compileNode(node, '', [...at, 'each'], { ...context, inEach: true })
  return (value, scope, itemsColumn) => {
    const bodies: unknown[] = []
    const items = Array.isArray(value) ? value : [value]
    for (let index = 0; index < items.length; index += 1) {
      const prefix = () => `${scope.prefix()}${join(path, index)}.`
      addTo(bodies, evaluate({ ...scope, item: items[index], prefix, itemsColumn }))
    }
    return bodies.length === 0 ? undefined : bodies
  }
}

const slotPattern = /\{\{(.*?)\}\}/gs

export const isTemplate = (text: string): boolean => text.search(slotPattern) !== -1

interface Slot {
  readonly name: string
  readonly read: Evaluate
  readonly after: string
}

/** White space is collapsed; the text is empty when all its cells are. */
function compileTemplate(text: string, path: string, at: DocumentPath, context: CompileContext): Compiled {
  const [before = '', ...pieces] = text.split(slotPattern)
  if (text.replaceAll(slotPattern, '').includes('{{'))
    context.yaml.fault(at, fileProblem('unclosed_template'))
  const slots: Slot[] = []
  for (let piece = 0; piece < pieces.length; piece += 2) {
    const name = (pieces[piece] ?? '').trim()
    if (name === '') context.yaml.fault(at, fileProblem('empty_template'))
    slots.push({ name, read: compileReader(name, at, context), after: pieces[piece + 1] ?? '' })
  }
  return dynamicNode(
    scope => fillTemplate(before, slots, path, scope),
    scope => slots[0] && columnLabel(slots[0].name, scope),
  )
}

/** White space that is not one blank. */
const uneven = /\s\s|[^\S ]/

function fillTemplate(
  before: string,
  slots: readonly Slot[],
  path: string,
  scope: Scope,
): string | undefined {
  let filled = before
  let isEmpty = true
  for (const { name, read, after } of slots) {
    const value = present(read(scope))
    const text = filled.length > longestText ? problem('result_too_large') : textOf(value ?? '')
    if (isProblem(text)) {
      addError(scope, path, columnLabel(name, scope), undefined, text)
      return undefined
    }
    if (text !== '') isEmpty = false
    filled += text + after
  }
  if (isEmpty) return undefined
  return (uneven.test(filled) ? filled.replaceAll(/\s+/g, ' ') : filled).trim() || undefined
}
