import { Problem, problems } from '../model/problems.ts'
import { present, textOf } from '../model/values.ts'
import { columnLabel, readerOf, type Workshop } from './columns.ts'
import { compileNode, join } from './compile-body.ts'
import type { DocumentPath } from './located-yaml.ts'
import { checkLookup, lookedUp, Pending } from './lookups/looked-up.ts'
import { type Rule, ruleFaults, ruleSchema } from './rule.ts'
import { blame, type Compiled, dynamic, type Evaluate, refuse, type Scope } from './scope.ts'
import { splitter } from './split.ts'
import { stringTransform } from './transforms/plain.ts'
import { onText, type Transform } from './transforms/transform.ts'
import { settingFaults, transformOf } from './transforms/transform-of.ts'

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
  const convert = inOrder([
    ...replacing(rule, at, workshop),
    ...casing(rule),
    ...mapped(rule),
    ...lookedUp(rule, workshop.lookups),
    ...typed(rule),
  ])
  const itemBody = rule.each === undefined ? undefined : eachOf(rule.each, path, at, workshop)
  const otherwise =
    rule.default === undefined ? undefined : compileNode(rule.default, path, [...at, 'default'], workshop)
  const columnOf = (scope: Scope) => blamed(input, scope)

  const evaluate: Evaluate = scope => {
    const read = present(input.read(scope))
    const errorsBefore = scope.errors.length
    const value = converted(split(read), convert, (item, index, result) => {
      const place = index === undefined ? path : join(path, index)
      if (result instanceof Problem) refuse(scope, place, columnOf(scope), item, result)
      else scope.waits.push({ on: result.on, ...blame(scope, place, columnOf(scope), item) })
    })
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

interface Input {
  readonly read: Evaluate
  readonly readers: readonly Evaluate[]
  readonly names: readonly string[]
}

/** The first column that is not empty is the one an error is about. */
function blamed({ readers, names: [first, ...others] }: Input, scope: Scope): string | undefined {
  const filled = others.length === 0 ? 0 : readers.findIndex(read => present(read(scope)) !== undefined)
  const name = others[filled - 1] ?? first
  return name && columnLabel(name, scope)
}

function inputOf(rule: Rule, at: DocumentPath, workshop: Workshop): Input {
  const names = [rule.from ?? rule.join ?? []].flat()
  const isList = Array.isArray(rule.from ?? rule.join)
  const under = rule.from === undefined ? 'join' : 'from'
  const readers = names.map((name, index) =>
    readerOf(name, isList ? [...at, under, index] : [...at, under], workshop),
  )
  return { readers, names, read: readingOf(rule, readers) }
}

function readingOf(rule: Rule, readers: readonly Evaluate[]): Evaluate {
  if (rule.join !== undefined) return scope => joined(readers, rule.with ?? ', ', scope)
  const [only] = readers
  if (only === undefined) return () => rule.value
  if (readers.length === 1) return only
  return scope => {
    for (const read of readers) {
      const value = present(read(scope))
      if (value !== undefined) return value
    }
    return undefined
  }
}

/** Several cells in one, empty ones left out; an object stays one, so that the conversion refuses it. */
function joined(readers: readonly Evaluate[], separator: string, scope: Scope): unknown {
  const values = readers.map(read => present(read(scope))).filter(value => value !== undefined)
  const texts = values.flat().map(textOf)
  return texts.some(text => text instanceof Problem)
    ? values.find(value => typeof value === 'object')
    : texts.join(separator)
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

/** Converts a value, or each item of a list; what cannot be converted, or not yet, is told and left out. */
function converted(
  value: unknown,
  convert: Transform,
  tell: (item: unknown, index: number | undefined, result: Problem | Pending) => void,
): unknown {
  const one = (item: unknown, index?: number) => {
    const result = convert(item)
    if (!isStopped(result)) return present(result)
    tell(item, index, result)
    return undefined
  }
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return one(value)
  return value.flatMap((item, index) => one(item, index) ?? [])
}

const isStopped = (value: unknown) => value instanceof Problem || value instanceof Pending

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
      yaml.fault([...at, 'replace', index, 'pattern'], (error as Error).message)
      return []
    }
  })
  const replaced = (text: string) =>
    steps.reduce((done, { expression, replacement }) => done.replace(expression, replacement), text)
  return steps.length === 0 ? [] : [onText(text => replaced(text).trim())]
}

function casing({ case: letters }: Rule): Transform[] {
  if (letters === undefined) return []
  return [onText(text => (letters === 'lower' ? text.toLowerCase() : text.toUpperCase()))]
}

function mapped({ map, otherwise = 'invalid' }: Rule): Transform[] {
  if (map === undefined) return []
  const table = new Map(Object.entries(map))
  const refusal = problems.notInMap([...table.keys()])
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
      if (!(result instanceof Problem)) return result
      return otherwise === 'keep' ? stringTransform(value) : undefined
    },
  ]
}

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
