import { Problem, problems } from '../model/problems.ts'
import { present } from '../model/values.ts'
import type { Workshop } from './columns.ts'
import { compileNode, join } from './compile-body.ts'
import { conversionOf, converted, isStopped } from './conversion.ts'
import type { DocumentPath } from './located-yaml.ts'
import { checkLookup, type Pending } from './lookups/looked-up.ts'
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
  const columnOf = (scope: Scope) => blamed(input, scope)

  const evaluate: Evaluate = scope => {
    const read = input.read(scope)
    const errorsBefore = scope.errors.length
    const tell = (item: unknown, index: number | undefined, result: Problem | Pending) => {
      const place = index === undefined ? path : join(path, index)
      if (result instanceof Problem) refuse(scope, place, columnOf(scope), item, result)
      else scope.waits.push({ on: result.on, ...blame(scope, place, columnOf(scope), item) })
    }
    const value = isStopped(read)
      ? tell(undefined, undefined, read)
      : converted(split(present(read)), convert, tell)
    const settled = isEmpty(value) ? otherwise?.evaluate(scope) : value
    if (isEmpty(settled)) {
      if (rule.required && scope.errors.length === errorsBefore)
        refuse(scope, path, columnOf(scope), undefined, problems.required())
      return rule.empty
    }
    if (itemBody === undefined) return settled
    return itemBody(settled, { ...scope, itemsOf: columnOf(scope) }) ?? rule.empty
  }
  return rule.value === undefined ? dynamic(evaluate, columnOf) : { isDynamic: false, evaluate }
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

type EachBody = (value: unknown, scope: Scope) => unknown[] | undefined

/** The body of one list item, made for every item; those that come out empty are left out. */
function eachOf(node: unknown, path: string, at: DocumentPath, workshop: Workshop): EachBody {
  const { evaluate } = compileNode(node, '', [...at, 'each'], {
    ...workshop,
    inEach: true,
  })
  return (value, scope) => {
    const bodies = [value]
      .flat()
      .flatMap(
        (item, index) => evaluate({ ...scope, item, prefix: `${scope.prefix}${join(path, index)}.` }) ?? [],
      )
    return bodies.length === 0 ? undefined : bodies
  }
}
