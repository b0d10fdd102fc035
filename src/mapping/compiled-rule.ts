import { isProblem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import type { CompileContext } from './columns.ts'
import { Pending } from './lookups/lookup.ts'
import type { Rule } from './rule.ts'
import { type Compiled, join, locate, mostItems, type Scope } from './scope.ts'
import { compileConversion, compileInput, isStopped, type Stopped, splitter } from './values.ts'

/**
 * Makes what reads the cells of a rule, splits and converts them, takes the default if nothing is left, and maps each item. `usual` and
 * `each` are compiled parts of the rule: its default, and the body of an item.
 */
export function compiledRule(rule: Rule, context: CompileContext, usual: Compiled, each: Compiled): Compiled {
  const isDynamic = rule.value === undefined
  const mayOmit = rule.otherwise === 'omit' || rule.missing === 'omit'
  const split = splitter(rule.split)
  const convert = compileConversion(rule, context)
  const { read, columnOf } = compileInput(rule, context, (scope, omission, text) => {
    noteOmittable(scope, text)
    stop(scope, omission, text)
  })

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
    if (mayOmit) noteOmittable(scope, value)
    if (!Array.isArray(value)) return convertItem(scope, value)
    if (value.length > mostItems) return stop(scope, problem('too_many_items', { most: mostItems }))
    const items: unknown[] = []
    for (let index = 0; index < value.length; index += 1)
      addTo(items, convertItem(scope, value[index], index))
    return items
  }

  function convertItem(scope: Scope, item: unknown, index?: number): unknown {
    const converted = convert(item)
    return isStopped(converted) ? stop(scope, converted, item, index) : present(converted)
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

  function noteOmittable(scope: Scope, value: unknown): void {
    for (const item of [value].flat()) addTo(scope.values.omittable, columnOf(scope, item))
  }

  /** Notes why a value, or an item of a list, is not taken. */
  function stop(scope: Scope, result: Stopped, item?: unknown, index?: number): undefined {
    const path = index === undefined ? context.path : join(context.path, index)
    const place = locate(scope, path, columnOf(scope, item), item)
    if (isProblem(result)) scope.errors.push({ ...place, ...result })
    else if (result instanceof Pending) scope.waits.push({ on: result.on, ...place })
    else scope.values.omitted.push({ ...place, code: result.code })
  }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)
