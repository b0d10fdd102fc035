import { nearest } from '../model/did-you-mean.ts'
import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import { type DocumentPath, plainWords } from '../settings/located-yaml.ts'
import type { CompileContext } from './columns.ts'
import { Pending } from './lookups/lookup.ts'
import { isRule, type NoteFault, noteRuleFaults, type Rule, ruleSchema } from './rule.ts'
import {
  type Compiled,
  dynamicNode,
  type Evaluate,
  locate,
  mostItems,
  type Scope,
  type Transform,
} from './scope.ts'
import { compileTemplate } from './template.ts'
import { splitter } from './transforms/split.ts'
import { noteSettingFaults } from './transforms/transform.ts'
import { compileConversion, compileInput, isStopped, type RuleInput, type Stopped } from './values.ts'

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
  const context = rule.optional === undefined ? outer : { ...outer, isOptional: rule.optional }
  noteFaults(rule, at, context)
  const compiled = new CompiledRule(rule, path, at, context)
  const evaluate: Evaluate = scope => compiled.evaluate(scope)
  if (rule.value !== undefined) return { isDynamic: false, evaluate }
  return dynamicNode(evaluate, scope => compiled.columnOf(scope))
}

function noteFaults(rule: Rule, at: DocumentPath, { yaml, lookupNames }: CompileContext): void {
  const note: NoteFault = (part, fault) => yaml.fault([...at, part], fault)
  noteRuleFaults(rule, note)
  noteSettingFaults(rule, note)
  const { lookup: name } = rule
  if (name === undefined || lookupNames.includes(name)) return
  note('lookup', fileProblem('unknown_lookup', { name, suggestion: nearest(name, lookupNames) }))
}

/** Reads the cells of a rule, splits and converts them, takes the default if nothing is left, and maps each item. */
class CompiledRule {
  readonly #rule: Rule
  readonly #path: string
  readonly #input: RuleInput
  readonly #split: ((value: unknown) => unknown) | undefined
  readonly #convert: Transform
  readonly #fallback: Compiled | undefined
  readonly #item: Compiled | undefined

  constructor(rule: Rule, path: string, at: DocumentPath, context: CompileContext) {
    this.#rule = rule
    this.#path = path
    this.#input = compileInput(rule, at, {
      ...context,
      onOmitted: (scope, omission, text) => {
        this.#noteOmittable(scope, text)
        this.#stop(scope, omission, text)
      },
    })
    this.#split = splitter(rule.split)
    this.#convert = compileConversion(rule, at, context)
    if (rule.default !== undefined)
      this.#fallback = compileNode(rule.default, path, [...at, 'default'], context)
    if (rule.each !== undefined)
      this.#item = compileNode(rule.each, '', [...at, 'each'], { ...context, inEach: true })
  }

  columnOf(scope: Scope): string | undefined {
    return this.#input.columnOf(scope)
  }

  evaluate(scope: Scope): unknown {
    const { required, empty } = this.#rule
    const errorsBefore = scope.errors.length
    const omittedBefore = scope.values.omitted.length
    const converted = this.#convertCells(scope)
    const value = isEmpty(converted) ? this.#fallbackFor(scope, omittedBefore) : converted
    if (!isEmpty(value)) return this.#item === undefined ? value : (this.#mapItems(value, scope) ?? empty)
    if (required && scope.errors.length === errorsBefore)
      scope.errors.push({
        ...locate(scope, this.#path, this.columnOf(scope), undefined),
        ...problem('required'),
      })
    return empty
  }

  #convertCells(scope: Scope): unknown {
    const read = present(this.#input.read(scope))
    if (read === undefined) return undefined
    if (isStopped(read)) return this.#stop(scope, read, undefined)
    const value = this.#split === undefined ? read : this.#split(read)
    if (this.#rule.otherwise === 'omit' || this.#rule.missing === 'omit') this.#noteOmittable(scope, value)
    if (Array.isArray(value)) return this.#convertItems(value, scope)
    const converted = this.#convert(value)
    return isStopped(converted) ? this.#stop(scope, converted, value) : present(converted)
  }

  #convertItems(list: readonly unknown[], scope: Scope): unknown {
    if (list.length > mostItems)
      return this.#stop(scope, problem('too_many_items', { most: mostItems }), undefined)
    const items: unknown[] = []
    for (let index = 0; index < list.length; index += 1) {
      const converted = this.#convert(list[index])
      if (isStopped(converted)) this.#stop(scope, converted, list[index], index)
      else addTo(items, present(converted))
    }
    return items
  }

  /** Another value of the row replaces what was left out; a constant does not. */
  #fallbackFor(scope: Scope, omittedBefore: number): unknown {
    const { omitted } = scope.values
    const omittedNow = omitted.length
    const value = this.#fallback?.evaluate(scope)
    if (this.#fallback?.isDynamic && value !== undefined)
      omitted.splice(omittedBefore, omittedNow - omittedBefore)
    return value
  }

  /** Items with an empty body are left out. */
  #mapItems(value: unknown, scope: Scope): unknown[] | undefined {
    const bodies: unknown[] = []
    const items = Array.isArray(value) ? value : [value]
    const itemsColumn = () => this.columnOf(scope)
    for (let index = 0; index < items.length; index += 1) {
      const prefix = () => `${scope.prefix()}${join(this.#path, index)}.`
      addTo(bodies, this.#item?.evaluate({ ...scope, item: items[index], prefix, itemsColumn }))
    }
    return bodies.length === 0 ? undefined : bodies
  }

  #noteOmittable(scope: Scope, value: unknown): void {
    for (const item of [value].flat()) addTo(scope.values.omittable, this.#input.columnOf(scope, item))
  }

  /** Notes why a value, or an item of a list, is not taken. */
  #stop(scope: Scope, result: Stopped, item: unknown, index?: number): undefined {
    const path = index === undefined ? this.#path : join(this.#path, index)
    const place = locate(scope, path, this.#input.columnOf(scope, item), item)
    if (isProblem(result)) scope.errors.push({ ...place, ...result })
    else if (result instanceof Pending) scope.waits.push({ on: result.on, ...place })
    else scope.values.omitted.push({ ...place, code: result.code })
  }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)
