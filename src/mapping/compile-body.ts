import { isProblem, problem } from '../model/problem.ts'
import { addTo, present } from '../model/values.ts'
import type { Workshop } from './columns.ts'
import { conversionOf, converted, isStopped, type Tell } from './conversion.ts'
import type { DocumentPath } from './located-yaml.ts'
import { checkLookup } from './lookups/looked-up.ts'
import { ruleFaults, ruleMarks, ruleSchema } from './rule.ts'
import { blamed, inputOf } from './rule-input.ts'
import { blame, type Compiled, dynamic, type Evaluate, refuse, type Scope } from './scope.ts'
import { splitter } from './split.ts'
import { compileTemplate } from './template.ts'
import { settingFaults } from './transforms/transform-of.ts'

/** Whether an object in `body` is a rule; any other is a nested body object (DESIGN 2.1). */
export const isRule = (node: object): boolean => ruleMarks.some(mark => Object.hasOwn(node, mark))

/** The path one step further down. */
export const join = (path: string, step: string | number): string =>
  path === '' ? String(step) : `${path}.${step}`

/**
 * Makes a node of `body` ready: a constant, a template, a rule, a nested object or a list. `path` is where its value
 * comes to stand in the body, or in the item inside `each`; `at` is where it stands in the mapping file.
 */
export function compileNode(node: unknown, path: string, at: DocumentPath, workshop: Workshop): Compiled {
  if (typeof node === 'string' && node.includes('{{')) return compileTemplate(node, path, at, workshop)
  if (typeof node !== 'object' || node === null)
    return { isDynamic: false, evaluate: () => (node === '' ? undefined : node) }
  if (Array.isArray(node)) return compileList(node, path, at, workshop)
  return isRule(node) ? compileRule(node, path, at, workshop) : compileObject(node, path, at, workshop)
}

function compileObject(node: object, path: string, at: DocumentPath, workshop: Workshop): Compiled {
  const fields = Object.entries(node).map(([name, child]) => ({
    name,
    ...compileNode(child, join(path, name), [...at, name], workshop),
  }))
  const isDynamic = fields.some(field => field.isDynamic)
  return {
    isDynamic,
    evaluate: scope => {
      const body: Record<string, unknown> = {}
      const filledBefore = scope.life.filled
      for (const field of fields) {
        const value = field.evaluate(scope)
        if (value !== undefined) body[field.name] = value
      }
      scope.origins?.set(body, name => fields.find(field => field.name === name)?.columnOf?.(scope))
      return isDynamic && scope.life.filled === filledBefore ? undefined : body
    },
  }
}

/** Items that are lists themselves, as a rule that splits gives them, are flattened. */
function compileList(node: readonly unknown[], path: string, at: DocumentPath, workshop: Workshop): Compiled {
  const items = node.map((child, index) => compileNode(child, join(path, index), [...at, index], workshop))
  return {
    isDynamic: items.some(item => item.isDynamic),
    evaluate: scope => {
      const list = items.flatMap(item => item.evaluate(scope) ?? [])
      return list.length === 0 && items.length > 0 ? undefined : list
    },
  }
}

/** Makes a rule ready; its faults are noted where they stand in the mapping file. */
function compileRule(node: object, path: string, at: DocumentPath, around: Workshop): Compiled {
  const parsed = ruleSchema.safeParse(node)
  if (!parsed.success) {
    around.yaml.faultsOf(parsed.error, at, () => Object.keys(ruleSchema.shape))
    return dynamic(() => undefined)
  }
  const rule = parsed.data
  const workshop = rule.optional === undefined ? around : { ...around, isOptional: rule.optional }
  for (const [part, fault] of [...ruleFaults(rule), ...settingFaults(rule)])
    workshop.yaml.fault([...at, part], fault)
  checkLookup(rule, at, workshop)

  const input = inputOf(rule, at, workshop)
  const split = splitter(rule.split)
  const convert = conversionOf(rule, at, workshop)
  const itemBody = rule.each === undefined ? undefined : eachOf(rule.each, path, at, workshop)
  const otherwise =
    rule.default === undefined ? undefined : compileNode(rule.default, path, [...at, 'default'], workshop)
  const columnOf = (scope: Scope, item?: unknown) => blamed(input, scope, item)
  const tell: Tell = (scope, item, index, result) => {
    const place = index === undefined ? path : join(path, index)
    const column = columnOf(scope, item)
    if (isProblem(result)) refuse(scope, place, column, item, result)
    else scope.waits.push({ on: result.on, ...blame(scope, place, column, item) })
  }

  const evaluate: Evaluate = scope => {
    const read = present(input.read(scope))
    const errorsBefore = scope.errors.length
    let value: unknown
    if (isStopped(read)) tell(scope, undefined, undefined, read)
    else if (read !== undefined) value = converted(split(read), convert, scope, tell)
    const settled = isEmpty(value) ? otherwise?.evaluate(scope) : value
    if (isEmpty(settled)) {
      if (rule.required && scope.errors.length === errorsBefore)
        refuse(scope, path, columnOf(scope), undefined, problem('required'))
      return rule.empty
    }
    return itemBody === undefined ? settled : (itemBody(settled, scope, () => columnOf(scope)) ?? rule.empty)
  }
  return rule.value === undefined ? dynamic(evaluate, columnOf) : { isDynamic: false, evaluate }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

type EachBody = (value: unknown, scope: Scope, itemsOf: () => string | undefined) => unknown[] | undefined

/** The body of one list item, made for every item; those that come out empty are left out. */
function eachOf(node: unknown, path: string, at: DocumentPath, workshop: Workshop): EachBody {
  const { evaluate } = compileNode(node, '', [...at, 'each'], { ...workshop, inEach: true })
  return (value, { row, prefix, errors, waits, life, origins }, itemsOf) => {
    const bodies: unknown[] = []
    for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
      const place = `${prefix}${join(path, index)}.`
      const body = evaluate({
        row,
        item,
        prefix: place,
        errors,
        waits,
        life,
        itemsOf,
        ...(origins && { origins }),
      })
      addTo(bodies, body)
    }
    return bodies.length === 0 ? undefined : bodies
  }
}
