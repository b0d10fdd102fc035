import { isProblem, type Problem } from '../model/problem.ts'
import { present, textOf } from '../model/values.ts'
import { columnLabel, readerOf, type Workshop } from './columns.ts'
import { compileExpression } from './expr/expression.ts'
import type { DocumentPath } from './located-yaml.ts'
import type { Rule } from './rule.ts'
import type { Evaluate, Scope } from './scope.ts'

/** What a rule reads before its other parts are applied. */
export interface RuleInput {
  readonly read: Evaluate
  readonly readers: readonly Evaluate[]
  readonly names: readonly string[]
  readonly isJoined?: boolean
}

/**
 * The column that an error about an item is about: of cells that are joined the first that holds it, else the first that is not empty.
 */
export function blamed(
  { readers, names, isJoined }: RuleInput,
  scope: Scope,
  item: unknown,
): string | undefined {
  const isIt = (value: unknown) => !isJoined || typeof item !== 'string' || String(value).includes(item)
  const at = readers.findIndex(read => {
    const value = present(read(scope))
    return value !== undefined && isIt(value)
  })
  const name = names[Math.max(0, at)]
  return name && columnLabel(name, scope)
}

/** Makes ready what a rule reads: cells, an expression, or a constant. */
export function inputOf(rule: Rule, at: DocumentPath, workshop: Workshop): RuleInput {
  if (rule.expr !== undefined) {
    const { columns: names, evaluate } = compileExpression(rule.expr, rule, [...at, 'expr'], workshop)
    const readers = names.map(name => workshop.columns.reader(name, [...at, 'expr'], workshop.isOptional))
    const noteSeen = (scope: Scope) => {
      for (const read of readers) read(scope)
    }
    return {
      readers,
      names,
      read: scope => {
        noteSeen(scope)
        return evaluate(scope)
      },
    }
  }
  const names = [rule.from ?? rule.join ?? []].flat()
  const isList = Array.isArray(rule.from ?? rule.join)
  const under = rule.from === undefined ? 'join' : 'from'
  const readers = names.map((name, index) =>
    readerOf(name, isList ? [...at, under, index] : [...at, under], workshop),
  )
  return { readers, names, isJoined: rule.join !== undefined, read: readingOf(rule, readers) }
}

function readingOf(rule: Rule, readers: readonly Evaluate[]): Evaluate {
  const { join, with: separator = ', ', split } = rule
  if (join !== undefined)
    return separator === split ? scope => listed(readers, scope) : scope => joined(readers, separator, scope)
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

/** Several cells as they are, for what would be joined by a separator only to be split by it. */
const listed = (readers: readonly Evaluate[], scope: Scope): unknown[] => readers.map(read => read(scope))

/** Several cells in one, empty ones left out; an object stays one, so that the conversion refuses it. */
function joined(readers: readonly Evaluate[], separator: string, scope: Scope): unknown {
  let text: string | undefined
  for (const read of readers) {
    const value = present(read(scope))
    if (value === undefined) continue
    const part = typeof value === 'string' ? value : joinedItems(value, separator)
    if (isProblem(part)) return value
    text = text === undefined ? part : text + separator + part
  }
  return text
}

function joinedItems(value: unknown, separator: string): string | Problem {
  const texts = [value].flat().map(textOf)
  return texts.find(text => isProblem(text)) ?? texts.join(separator)
}
