import { fileProblem, isProblem, type Problem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import type { Workshop } from './columns.ts'
import type { DocumentPath } from './located-yaml.ts'
import { lookedUp, Pending } from './lookups/looked-up.ts'
import type { Rule } from './rule.ts'
import type { Scope } from './scope.ts'
import { stringTransform } from './transforms/plain.ts'
import { onText, type Transform } from './transforms/transform.ts'
import { transformOf } from './transforms/transform-of.ts'

/** The parts of a rule from `replace` to `as`, in their order (DESIGN 2.2), for one value that is not empty. */
export const conversionOf = (rule: Rule, at: DocumentPath, workshop: Workshop): Transform =>
  inOrder([
    ...replacing(rule, at, workshop),
    ...casing(rule),
    ...mapped(rule),
    ...lookedUp(rule, workshop.lookups),
    ...typed(rule),
  ])

/** Hears of a value, or of an item of a list, that could not be converted, or not yet. */
export type Tell = (scope: Scope, item: unknown, index: number | undefined, result: Problem | Pending) => void

/** Converts a value, or each item of a list; what cannot be converted is told and left out. */
export function converted(value: unknown, convert: Transform, scope: Scope, tell: Tell): unknown {
  if (!Array.isArray(value)) {
    const result = convert(value)
    if (!isStopped(result)) return present(result)
    return void tell(scope, value, undefined, result)
  }
  const items: unknown[] = []
  for (const [index, item] of value.entries()) {
    const result = convert(item)
    if (isStopped(result)) tell(scope, item, index, result)
    else addTo(items, present(result))
  }
  return items
}

/** Whether there is no value, but what is wrong with it, or what it waits for. */
export const isStopped = (value: unknown): value is Problem | Pending =>
  isProblem(value) || value instanceof Pending

function inOrder(steps: readonly Transform[]): Transform {
  const [only] = steps
  if (only !== undefined && steps.length === 1) return only
  return value => {
    let result = value
    for (const step of steps) {
      if (result === undefined || result === '' || isStopped(result)) return result
      result = step(result)
    }
    return result
  }
}

function replacing({ replace = [] }: Rule, at: DocumentPath, { yaml }: Workshop): Transform[] {
  const steps = replace.flatMap(({ pattern, with: replacement }, index) => {
    try {
      return [{ expression: new RegExp(pattern, 'gu'), replacement }]
    } catch (error) {
      yaml.fault(
        [...at, 'replace', index, 'pattern'],
        fileProblem('not_a_pattern', { reason: (error as Error).message }),
      )
      return []
    }
  })
  const replaced = (text: string) => {
    let done = text
    for (const { expression, replacement } of steps) done = done.replace(expression, replacement)
    return done
  }
  return steps.length === 0 ? [] : [onText(text => replaced(text).trim())]
}

function casing({ case: letters }: Rule): Transform[] {
  if (letters === undefined) return []
  return [onText(text => (letters === 'lower' ? text.toLowerCase() : text.toUpperCase()))]
}

function mapped({ map, otherwise = 'invalid' }: Rule): Transform[] {
  if (map === undefined) return []
  const table = new Map(Object.entries(map))
  const refusal = problem('not_in_map', { keys: [...table.keys()] })
  const elsewhere = { invalid: () => refusal, keep: (text: string) => text, omit: () => undefined }[otherwise]
  return [onText(text => (table.has(text) ? (table.get(text) ?? undefined) : elsewhere(text)))]
}

/** `value` and `expr` keep their type, items go to `each` as they are; everything else is a string until `as` says otherwise. */
function typed(rule: Rule): Transform[] {
  const { as, otherwise = 'invalid' } = rule
  if (as === undefined)
    return rule.value !== undefined || rule.expr !== undefined || rule.each !== undefined
      ? []
      : [stringTransform]
  const read = transformOf(rule)
  if (otherwise === 'invalid') return [read]
  return [
    value => {
      const result = read(value)
      if (!isProblem(result)) return result
      return otherwise === 'keep' ? stringTransform(value) : undefined
    },
  ]
}
