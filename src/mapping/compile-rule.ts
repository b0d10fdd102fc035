import { Problem, problems } from '../model/problems.ts'
import { addTo, present } from '../model/values.ts'
import type { Workshop } from './columns.ts'
import { compileNode, join } from './compile-body.ts'
import { conversionOf, converted, isStopped, type Tell } from './conversion.ts'
import type { DocumentPath } from './located-yaml.ts'
import { checkLookup } from './lookups/looked-up.ts'
import { ruleFaults, ruleSchema } from './rule.ts'
import { blamed, inputOf } from './rule-input.ts'
import { blame, type Compiled, dynamic, type Evaluate, refuse, type Scope } from './scope.ts'
import { splitter } from './split.ts'
import { settingFaults } from './transforms/transform-of.ts'

/** Makes a rule ready; its faults are noted where they stand in the mapping file. */
export function compileRule(node: object, path: string, at: DocumentPath, around: Workshop): Compiled {
  const parsed = ruleSchema.safeParse(node)
  if (!parsed.success) {
    around.yaml.faultsOf(parsed.error, at, () => Object.keys(ruleSchema.shape))
    return dynamic(() => undefined)
  }
  const rule = parsed.data
  const workshop = rule.optional === undefined ? around : { ...around, isOptional: rule.optional }
  for (const [part, message] of [...ruleFaults(rule), ...settingFaults(rule)])
    workshop.yaml.fault([...at, part], message)
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
    if (result instanceof Problem) refuse(scope, place, column, item, result)
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
        refuse(scope, path, columnOf(scope), undefined, problems.required())
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
