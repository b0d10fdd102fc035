import { isProblem, type Problem, problem } from '../model/problem.ts'
import { addTo, present, textOf } from '../model/values.ts'
import type { DocumentPath } from '../settings/located-yaml.ts'
import { type CompileContext, columnLabel, compileReader } from './columns.ts'
import { compileExpression } from './expr/expression.ts'
import { Omission, Pending, resolveFound } from './lookups/lookup.ts'
import { compilePattern } from './pattern.ts'
import type { Rule } from './rule.ts'
import { type Evaluate, longestText, mostItems, type Scope } from './scope.ts'
import { onText, stringTransform, type Transform } from './transforms/text.ts'
import { transformOf } from './transforms/transform.ts'

export interface RuleInput {
  readonly read: Evaluate
  readonly readers: readonly Evaluate[]
  readonly names: readonly string[]
  readonly isJoined?: boolean
}

/** The column of an item, for errors: the first joined cell that contains it, else the first that is not empty. */
export function findColumn({ readers, names, isJoined }: RuleInput, scope: Scope, item: unknown) {
  const holdsItem = (value: unknown) => !isJoined || typeof item !== 'string' || String(value).includes(item)
  const at = readers.findIndex(read => {
    const value = present(read(scope))
    return value !== undefined && holdsItem(value)
  })
  const name = names[Math.max(0, at)]
  return name && columnLabel(name, scope)
}

export function compileInput(rule: Rule, at: DocumentPath, context: CompileContext): RuleInput {
  if (rule.expr !== undefined) return expressionInput(rule.expr, rule, [...at, 'expr'], context)
  const names = [rule.from ?? rule.join ?? []].flat()
  const isList = Array.isArray(rule.from ?? rule.join)
  const part = rule.from === undefined ? 'join' : 'from'
  const readers = names.map((name, index) =>
    compileReader(name, isList ? [...at, part, index] : [...at, part], context),
  )
  return { readers, names, isJoined: rule.join !== undefined, read: combineReaders(rule, readers) }
}

function expressionInput(source: string, rule: Rule, at: DocumentPath, context: CompileContext): RuleInput {
  const { columns: names, evaluate } = compileExpression(source, rule, at, context)
  const readers = names.map(name => context.columns.reader(name, at, context.isOptional))
  return {
    readers,
    names,
    read: scope => {
      for (const read of readers) read(scope) // notes that the row has the column
      return evaluate(scope)
    },
  }
}

function combineReaders(rule: Rule, readers: readonly Evaluate[]): Evaluate {
  const { join, with: separator = ', ', split } = rule
  if (join !== undefined)
    return separator === split // nothing needs to be joined only to be split again
      ? scope => readers.map(read => read(scope))
      : scope => joinCells(readers, separator, scope)
  if (readers.length === 0) return () => rule.value
  return readers.reduce((before, read) => scope => present(before(scope)) ?? read(scope))
}

/** An object is returned as it is, so that the conversion refuses it. */
function joinCells(readers: readonly Evaluate[], separator: string, scope: Scope): unknown {
  let text: string | undefined
  for (const read of readers) {
    const value = present(read(scope))
    if (value === undefined) continue
    const part = typeof value === 'string' ? value : joinItems(value, separator)
    if (isProblem(part)) return value
    text = text === undefined ? part : text + separator + part
    if (text.length > longestText) return problem('result_too_large')
  }
  return text
}

function joinItems(value: unknown, separator: string): string | Problem {
  const texts = [value].flat().map(textOf)
  return texts.find(text => isProblem(text)) ?? texts.join(separator)
}

type Stopped = Problem | Pending | Omission

/** Called with a value, or an item of a list, that has a problem, waits for another row or is omitted. */
export type OnStopped = (scope: Scope, result: Stopped, item: unknown, index?: number) => void

/** Converts a value or each item of a list, without those that are stopped. */
export function convertAll(value: unknown, convert: Transform, scope: Scope, onStopped: OnStopped): unknown {
  if (!Array.isArray(value)) {
    const result = convert(value)
    if (!isStopped(result)) return present(result)
    return void onStopped(scope, result, value)
  }
  if (value.length > mostItems)
    return void onStopped(scope, problem('too_many_items', { most: mostItems }), undefined)
  const items: unknown[] = []
  for (let index = 0; index < value.length; index += 1) {
    const item = value[index]
    const result = convert(item)
    if (isStopped(result)) onStopped(scope, result, item, index)
    else addTo(items, present(result))
  }
  return items
}

export const isStopped = (value: unknown): value is Stopped =>
  typeof value === 'object' && (isProblem(value) || value instanceof Pending || value instanceof Omission)

/** Compiles the parts from `replace` to `as`, for one value that is not empty. */
export const compileConversion = (rule: Rule, at: DocumentPath, context: CompileContext): Transform =>
  chain([
    ...replaceStep(rule, at, context),
    ...caseStep(rule),
    ...mapStep(rule),
    ...(rule.lookup === undefined ? typeStep(rule) : lookupStep(rule, rule.lookup, context)),
  ])

function chain(steps: readonly Transform[]): Transform {
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

function replaceStep({ replace = [] }: Rule, at: DocumentPath, { yaml }: CompileContext): Transform[] {
  const replacements = replace.flatMap(({ pattern, with: replacement }, index) => {
    const place = [...at, 'replace', index, 'pattern']
    const bounded = compilePattern(pattern, fault => yaml.fault(place, fault))
    return bounded ? [{ bounded, replacement }] : []
  })
  const replaceAll = (text: string) => {
    let result: string | Problem = text
    for (const { bounded, replacement } of replacements) {
      result = bounded.replace(result, replacement)
      if (isProblem(result)) return result
    }
    return result.trim()
  }
  return replacements.length === 0 ? [] : [onText(replaceAll)]
}

function caseStep({ case: letters }: Rule): Transform[] {
  if (letters === undefined) return []
  return [onText(text => (letters === 'lower' ? text.toLowerCase() : text.toUpperCase()))]
}

function mapStep({ map, otherwise = 'invalid' }: Rule): Transform[] {
  if (map === undefined) return []
  const table = new Map(Object.entries(map))
  const notInMap = problem('not_in_map', { keys: [...table.keys()] })
  const omission = new Omission('not_in_map')
  const elsewhere = { invalid: () => notInMap, keep: (text: string) => text, omit: () => omission }[otherwise]
  return [onText(text => (table.has(text) ? (table.get(text) ?? undefined) : elsewhere(text)))]
}

/** A bad value of a table is no fault of the cell. */
function lookupStep(rule: Rule, name: string, { lookups }: CompileContext): Transform[] {
  const convert = chain(typeStep(rule))
  return [
    onText(text => {
      const found = resolveFound(lookups.find(name, text), rule.missing ?? 'invalid')
      const value = found === undefined || isStopped(found) ? found : convert(found)
      const place = isProblem(value) && value !== found ? lookups.placeOf(name, text) : undefined
      return place === undefined
        ? value
        : problem('lookup_bad_value', { ...place, problem: value as Problem })
    }),
  ]
}

/** Type of a value without `as`: `value`, `expr` and the items of `each` keep their type; everything else becomes text. */
function typeStep(rule: Rule): Transform[] {
  const { as, otherwise = 'invalid' } = rule
  const keepsType = rule.value !== undefined || rule.expr !== undefined || rule.each !== undefined
  if (as === undefined) return keepsType ? [] : [stringTransform]
  const read = transformOf(rule)
  if (otherwise === 'invalid') return [read]
  return [
    value => {
      const result = read(value)
      if (!isProblem(result)) return result
      return otherwise === 'keep' ? stringTransform(value) : new Omission(result.code)
    },
  ]
}
