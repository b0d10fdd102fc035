import { isProblem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import type { CompileContext } from './columns.ts'
import { Pending } from './lookups/lookup.ts'
import type { Rule } from './rule.ts'
import { type Compiled, join, locate, mostItems, type Scope, type Transform } from './scope.ts'
import {
  compileConversion,
  compileInput,
  isStopped,
  type RuleInput,
  type Stopped,
  splitter,
} from './values.ts'

/** Reads the cells of a rule, splits and converts them, takes the default if nothing is left, and maps each item. */
export class CompiledRule implements Compiled {
  readonly isDynamic: boolean
  readonly #rule: Rule
  readonly #path: string
  readonly #input: RuleInput
  readonly #split: ((value: unknown) => unknown) | undefined
  readonly #convert: Transform
  readonly #default: Compiled | undefined
  readonly #each: Compiled | undefined

  /** `nodes` are compiled parts of the rule. */
  constructor(rule: Rule, context: CompileContext, nodes: { default?: Compiled; each?: Compiled }) {
    this.isDynamic = rule.value === undefined
    this.#rule = rule
    this.#path = context.path
    this.#input = compileInput(rule, {
      ...context,
      onOmitted: (scope, omission, text) => {
        this.#noteOmittable(scope, text)
        this.#stop(scope, omission, text)
      },
    })
    this.#split = splitter(rule.split)
    this.#convert = compileConversion(rule, context)
    this.#default = nodes.default
    this.#each = nodes.each
  }

  columnOf(scope: Scope): string | undefined {
    return this.#input.columnOf(scope)
  }

  evaluate(scope: Scope): unknown {
    const errorsBefore = scope.errors.length
    const omittedBefore = scope.values.omitted.length
    const converted = this.#convertCells(scope)
    const value = isEmpty(converted) ? this.#defaultFor(scope, omittedBefore) : converted
    if (isEmpty(value) && this.#rule.required && scope.errors.length === errorsBefore)
      scope.errors.push({
        ...locate(scope, this.#path, this.columnOf(scope), undefined),
        ...problem('required'),
      })
    const result = isEmpty(value) || this.#each === undefined ? value : this.#mapItems(value, scope)
    const kept = isEmpty(result) ? this.#rule.empty : result
    if (kept !== undefined && this.isDynamic) scope.values.count += 1
    return kept
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
  #defaultFor(scope: Scope, omittedBefore: number): unknown {
    const { omitted } = scope.values
    const omittedNow = omitted.length
    const value = this.#default?.evaluate(scope)
    if (this.#default?.isDynamic && value !== undefined)
      omitted.splice(omittedBefore, omittedNow - omittedBefore)
    return value
  }

  /** Items with an empty body are left out. */
  #mapItems(value: unknown, scope: Scope): unknown[] {
    const bodies: unknown[] = []
    const items = Array.isArray(value) ? value : [value]
    const itemsColumn = () => this.columnOf(scope)
    for (let index = 0; index < items.length; index += 1) {
      const prefix = () => `${scope.prefix()}${join(this.#path, index)}.`
      addTo(bodies, this.#each?.evaluate({ ...scope, item: items[index], prefix, itemsColumn }))
    }
    return bodies
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
