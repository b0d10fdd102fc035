import { nearest } from '../model/did-you-mean.ts'
import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import { type DocumentPath, plainWords } from '../settings/located-yaml.ts'
import type { CompileContext } from './columns.ts'
import { Pending } from './lookups/lookup.ts'
import { isRule, type Rule, ruleFaults, ruleSchema } from './rule.ts'
import { type Compiled, dynamicNode, type Evaluate, locate, type Scope } from './scope.ts'
import { compileTemplate } from './template.ts'
import { splitter } from './transforms/split.ts'
import type { Transform } from './transforms/text.ts'
import { settingFaults } from './transforms/transform.ts'
import {
  compileConversion,
  compileInput,
  convertAll,
  findColumn,
  isStopped,
  type OnStopped,
  type RuleInput,
} from './values.ts'

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

/** Reads the cells of a rule, converts them, and takes the default if nothing is left. */
class CompiledRule {
  readonly #rule: Rule
  readonly #path: string
  readonly #input: RuleInput
  readonly #split: (value: unknown) => unknown
  readonly #convert: Transform
  readonly #fallback: Compiled | undefined
  readonly #mapItems: MapItems | undefined

  constructor(rule: Rule, path: string, at: DocumentPath, context: CompileContext) {
    this.#rule = rule
    this.#path = path
    this.#input = compileInput(rule, at, {
      ...context,
      onOmitted: (scope, omission, text) => {
        this.#noteOmittable(scope, text)
        this.#onStopped(scope, omission, text)
      },
    })
    this.#split = splitter(rule.split)
    this.#convert = compileConversion(rule, at, context)
    if (rule.default !== undefined)
      this.#fallback = compileNode(rule.default, path, [...at, 'default'], context)
    if (rule.each !== undefined) this.#mapItems = compileEach(rule.each, path, at, context)
  }

  /** The column of an item, for errors. */
  columnOf(scope: Scope, item?: unknown): string | undefined {
    return findColumn(this.#input, scope, item)
  }

  evaluate(scope: Scope): unknown {
    const { required, empty } = this.#rule
    const errorsBefore = scope.errors.length
    const omittedBefore = scope.values.omitted.length
    const converted = this.#convertCells(scope)
    const value = isEmpty(converted) ? this.#fallbackFor(scope, omittedBefore) : converted
    if (isEmpty(value)) {
      if (required && scope.errors.length === errorsBefore)
        scope.errors.push({
          ...locate(scope, this.#path, this.columnOf(scope), undefined),
          ...problem('required'),
        })
      return empty
    }
    if (this.#mapItems === undefined) return value
    return this.#mapItems(value, scope, () => this.columnOf(scope)) ?? empty
  }

  #convertCells(scope: Scope): unknown {
    const read = present(this.#input.read(scope))
    if (isStopped(read)) return this.#onStopped(scope, read, undefined)
    if (read === undefined) return undefined
    const values = this.#split(read)
    if (this.#rule.otherwise === 'omit' || this.#rule.missing === 'omit') this.#noteOmittable(scope, values)
    return convertAll(values, this.#convert, scope, this.#onStopped)
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

  #noteOmittable(scope: Scope, value: unknown): void {
    for (const item of [value].flat()) addTo(scope.values.omittable, this.columnOf(scope, item))
  }

  readonly #onStopped: OnStopped = (scope, result, item, index) => {
    const path = index === undefined ? this.#path : join(this.#path, index)
    const place = locate(scope, path, this.columnOf(scope, item), item)
    if (isProblem(result)) scope.errors.push({ ...place, ...result })
    else if (result instanceof Pending) scope.waits.push({ on: result.on, ...place })
    else scope.values.omitted.push({ ...place, code: result.code })
  }
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
