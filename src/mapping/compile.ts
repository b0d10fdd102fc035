import { nearest } from '../model/did-you-mean.ts'
import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { addTo, present, textOf } from '../model/values.ts'
import { plainWords } from '../settings/located-yaml.ts'
import { type CompileContext, columnLabel, compileReader, inField, inPart } from './columns.ts'
import { Pending } from './lookups/lookup.ts'
import { isRule, type NoteFault, noteRuleFaults, type Rule, ruleSchema, slotPattern } from './rule.ts'
import { type Compiled, join, locate, longestText, mostItems, type Scope } from './scope.ts'
import { noteSettingFaults } from './transforms/transform.ts'
import { compileConversion, compileInput, isStopped, Kept, type Stopped, splitter } from './values.ts'

/** Compiles a node of `body`, and notes its faults. */
export function compileNode(node: unknown, context: CompileContext): Compiled {
  if (typeof node === 'string' && node.includes('{{')) return compileTemplate(node, context)
  if (typeof node !== 'object' || node === null)
    return { isDynamic: false, evaluate: () => (node === '' ? undefined : node) }
  if (Array.isArray(node)) return compileList(node, context)
  return isRule(node) ? compileRule(node, context) : compileObject(node, context)
}

function compileObject(object: object, context: CompileContext): Compiled {
  const fields = Object.entries(object).map(([name, child]) => ({
    name,
    node: compileNode(child, inField(context, name)),
  }))
  const isDynamic = fields.some(({ node }) => node.isDynamic)
  return {
    isDynamic,
    evaluate: scope => {
      const body: Record<string, unknown> = {}
      const countBefore = scope.values.count
      for (const { name, node } of fields) {
        const value = node.evaluate(scope)
        if (value !== undefined) body[name] = value
      }
      scope.origins?.set(body, step => fields.find(({ name }) => name === step)?.node.columnOf?.(scope))
      return isDynamic && scope.values.count === countBefore ? undefined : body
    },
  }
}

/** Items that are lists, as of a rule with `split`, are flattened. */
function compileList(list: readonly unknown[], context: CompileContext): Compiled {
  const nodes = list.map((child, index) => compileNode(child, inField(context, index)))
  return {
    isDynamic: nodes.some(({ isDynamic }) => isDynamic),
    evaluate: scope => {
      const items: unknown[] = []
      for (const node of nodes) addTo(items, node.evaluate(scope) ?? undefined)
      return items.length === 0 && nodes.length > 0 ? undefined : items
    },
  }
}

/** Compiles what reads the cells of a rule, splits and converts them, takes the default if nothing is left, and maps each item. */
function compileRule(node: object, outer: CompileContext): Compiled {
  const parsed = ruleSchema.safeParse(node, plainWords)
  if (!parsed.success) {
    outer.yaml.faultsOf(parsed.error, outer.at, () => Object.keys(ruleSchema.shape))
    return { isDynamic: true, evaluate: () => undefined }
  }
  const rule = parsed.data
  const context = rule.optional === undefined ? outer : { ...outer, isOptional: rule.optional }
  noteFaults(rule, context)
  if (!context.inEach) context.columns.rules.push(rule)
  const usual = compileNode(rule.default, inPart(context, 'default'))
  const each = compileNode(rule.each, { ...inPart(context, 'each'), path: '', inEach: true })
  const isDynamic = rule.value === undefined
  const hasFallback = rule.otherwise === 'omit' || rule.otherwise === 'keep' || rule.missing === 'omit'
  const { read, columnOf } = compileInput(rule, context, (scope, omission, text) => {
    countValues(scope, text)
    stop(scope, omission, text)
  })
  const split = splitter(rule.split)
  const convert = compileConversion(rule, context)

  return {
    isDynamic,
    columnOf,
    evaluate(scope) {
      const errorsBefore = scope.errors.length
      const omittedBefore = scope.values.omitted.length
      const converted = convertCells(scope)
      const value = isEmpty(converted) ? defaultFor(scope, omittedBefore) : converted
      if (isEmpty(value) && rule.required && scope.errors.length === errorsBefore)
        stop(scope, problem('required'))
      const result = isEmpty(value) || rule.each === undefined ? value : mapItems(value, scope)
      const kept = isEmpty(result) ? rule.empty : result
      if (kept !== undefined && isDynamic) scope.values.count += 1
      return kept
    },
  }

  function convertCells(scope: Scope): unknown {
    const cells = present(read(scope))
    if (cells === undefined) return undefined
    if (isStopped(cells)) return stop(scope, cells)
    const value = split(cells)
    if (hasFallback) countValues(scope, value)
    if (!Array.isArray(value)) return convertItem(scope, value)
    if (value.length > mostItems) return stop(scope, problem('too_many_items', { most: mostItems }))
    const items: unknown[] = []
    for (let index = 0; index < value.length; index += 1)
      addTo(items, convertItem(scope, value[index], index))
    return items
  }

  function convertItem(scope: Scope, item: unknown, index?: number): unknown {
    const converted = convert(item)
    if (isStopped(converted)) return stop(scope, converted, item, index)
    if (!(converted instanceof Kept)) return present(converted)
    scope.values.kept.push({ ...placeOf(scope, item, index), code: converted.code })
    return present(converted.value)
  }

  /** Another value of the row replaces what was left out; a constant does not. */
  function defaultFor(scope: Scope, omittedBefore: number): unknown {
    const { omitted } = scope.values
    const omittedNow = omitted.length
    const value = usual.evaluate(scope)
    if (usual.isDynamic && value !== undefined) omitted.splice(omittedBefore, omittedNow - omittedBefore)
    return value
  }

  /** Items with an empty body are left out. */
  function mapItems(value: unknown, scope: Scope): unknown[] {
    const bodies: unknown[] = []
    const items = Array.isArray(value) ? value : [value]
    const itemsColumn = () => columnOf(scope)
    for (let index = 0; index < items.length; index += 1) {
      const prefix = () => `${scope.prefix()}${join(context.path, index)}.`
      addTo(bodies, each.evaluate({ ...scope, item: items[index], prefix, itemsColumn }))
    }
    return bodies
  }

  function countValues(scope: Scope, value: unknown): void {
    for (const item of [value].flat()) addTo(scope.values.withFallback, columnOf(scope, item))
  }

  /** Notes why a value, or an item of a list, is not taken. */
  function stop(scope: Scope, result: Stopped, item?: unknown, index?: number): undefined {
    const place = placeOf(scope, item, index)
    if (isProblem(result)) scope.errors.push({ ...place, ...result })
    else if (result instanceof Pending) scope.waits.push({ on: result.on, ...place })
    else scope.values.omitted.push({ ...place, code: result.code })
  }

  function placeOf(scope: Scope, item: unknown, index: number | undefined) {
    const path = index === undefined ? context.path : join(context.path, index)
    return locate(scope, path, columnOf(scope, item), item)
  }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

function noteFaults(rule: Rule, { yaml, lookupNames, at }: CompileContext): void {
  const note: NoteFault = (part, fault) => yaml.fault([...at, part], fault)
  noteRuleFaults(rule, note)
  noteSettingFaults(rule, note)
  const { lookup: name } = rule
  if (name === undefined || lookupNames.includes(name)) return
  note('lookup', fileProblem('unknown_lookup', { name, suggestion: nearest(name, lookupNames) }))
}

/** White space that is not one blank. */
const uneven = /\s\s|[^\S ]/

/** Compiles a text with columns in it. White space is collapsed; the text is empty if all its cells are. */
function compileTemplate(text: string, context: CompileContext): Compiled {
  const { yaml, at, path } = context
  const [before = '', ...pieces] = text.split(slotPattern)
  if (text.replaceAll(slotPattern, '').includes('{{')) yaml.fault(at, fileProblem('unclosed_template'))
  const slots = pieces.flatMap((piece, index) => {
    if (index % 2 === 1) return [] // the text after a column
    const name = piece.trim()
    if (name === '') yaml.fault(at, fileProblem('empty_template'))
    return { name, read: compileReader(name, context), after: pieces[index + 1] ?? '' }
  })
  return {
    isDynamic: true,
    columnOf: scope => slots[0] && columnLabel(slots[0].name, scope),
    evaluate: scope => {
      let filled = before
      let isEmpty = true
      for (const { name, read, after } of slots) {
        const value = present(read(scope))
        const text = filled.length > longestText ? problem('result_too_large') : textOf(value ?? '')
        if (isProblem(text)) {
          scope.errors.push({ ...locate(scope, path, columnLabel(name, scope), undefined), ...text })
          return undefined
        }
        if (text !== '') isEmpty = false
        filled += text + after
      }
      const even = isEmpty ? '' : (uneven.test(filled) ? filled.replaceAll(/\s+/g, ' ') : filled).trim()
      if (even === '') return undefined
      scope.values.count += 1
      return even
    },
  }
}
