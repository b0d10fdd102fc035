import { Problem } from '../model/problems.ts'
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
}

/** The first column that is not empty is the one an error is about. */
export function blamed({ readers, names: [first, ...others] }: RuleInput, scope: Scope): string | undefined {
  const filled = others.length === 0 ? 0 : readers.findIndex(read => present(read(scope)) !== undefined)
  const name = others[filled - 1] ?? first
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
