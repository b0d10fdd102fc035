import { isProblem, type Problem, type ProblemCode, problem } from '../model/problem.ts'
import { addTo, parseKeeping, present, textOf } from '../model/values.ts'
import { type CompileContext, columnLabel, compileReader, inPart } from './columns.ts'
import { compileExpression, type OnOmitted } from './expr/expression.ts'
import { Omission, Pending } from './lookups/lookup.ts'
import { compilePattern } from './pattern.ts'
import type { Rule } from './rule.ts'
import { type Evaluate, longestText, mostItems, onText, type Scope, type Transform } from './scope.ts'
import { stringTransform, transformOf } from './transforms/transform.ts'

/** Compiles the parts of a rule that read the row; `columnOf` finds the column of an item, for errors. */
export function compileInput(rule: Rule, context: CompileContext, onOmitted: OnOmitted) {
  if (rule.expr !== undefined) return expressionInput(rule.expr, rule, inPart(context, 'expr'), onOmitted)
  const part = rule.from === undefined ? 'join' : 'from'
  const columns = rule[part]
  const names = [columns ?? []].flat()
  const readers = names.map((name, index) =>
    compileReader(name, inPart(context, part, ...(Array.isArray(columns) ? [index] : []))),
  )
  return { read: combineReaders(rule, readers), columnOf: columnFinder(names, readers, part === 'join') }
}

/** Finds the first joined cell that contains an item, else the first that is not empty. */
function columnFinder(names: readonly string[], readers: readonly Evaluate[], isJoined = false) {
  return (scope: Scope, item?: unknown) => {
    const at = readers.findIndex(read => {
      const value = present(read(scope))
      return value !== undefined && (!isJoined || typeof item !== 'string' || String(value).includes(item))
    })
    const name = names[Math.max(0, at)]
    return name && columnLabel(name, scope)
  }
}

function expressionInput(source: string, rule: Rule, context: CompileContext, onOmitted: OnOmitted) {
  const { columns, evaluate } = compileExpression(source, rule, context, onOmitted)
  const readers = columns.map(name => context.columns.reader(name, context.at, context.isOptional))
  const read: Evaluate = scope => {
    for (const read of readers) read(scope) // notes that the row has the column
    return evaluate(scope)
  }
  return { read, columnOf: columnFinder(columns, readers) }
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
  let joined: string | undefined
  for (const read of readers) {
    const cell = present(read(scope)) ?? []
    for (const item of Array.isArray(cell) ? cell : [cell]) {
      const text = textOf(item)
      if (isProblem(text)) return item
      joined = joined === undefined ? text : joined + separator + text
      if (joined.length > longestText) return problem('result_too_large')
    }
  }
  return joined
}

export type Separator = string | readonly string[]

/**
 * Returns what splits cells into one list, at each of the separators. A cell may be a JSON array, in brackets (`[A, B]`), or have
 * items in quotes (`"VIP","Blog"`).
 */
export function splitter(separators: Separator | undefined): (value: unknown) => unknown {
  if (separators === undefined) return value => value
  const split = itemSplitter([separators].flat())
  const itemsOf = (cell: string): unknown[] => {
    if (!cell.startsWith('[') || !cell.endsWith(']')) return split(cell)
    const inside = cell.slice(1, -1)
    return jsonArray(cell) ?? split(/[[\]]/.test(inside) ? cell : inside)
  }
  return value => {
    if (typeof value === 'string') return present(itemsOf(value))
    if (!Array.isArray(value)) return value
    const items: unknown[] = []
    for (const cell of value) addTo(items, typeof cell === 'string' ? itemsOf(cell) : cell)
    return present(items)
  }
}

/** Numbers stay as written: long ids would lose their last digits. */
function jsonArray(cell: string): unknown[] | undefined {
  try {
    return parseKeeping(cell, () => true) as unknown[]
  } catch {
    return undefined
  }
}

/** A separator between quotes is text; a quote inside is doubled or follows a backslash. */
function itemSplitter(separators: readonly string[]): (text: string) => string[] {
  const longestFirst = [...separators].sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map(each => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  const separator = new RegExp(escaped, 'u')
  const item = new RegExp(`(?:\\s*"((?:[^"\\\\]|""|\\\\.)*)"\\s*?|(.*?))(?:${escaped}|$)`, 'gsu')
  return text => {
    if (!text.includes('"')) return text.split(separator, mostItems + 1)
    const items: string[] = []
    for (const [, quoted, plain = ''] of text.matchAll(item))
      if (items.push(quoted?.replaceAll(/""|\\(["\\])/g, (_, sign = '"') => sign) ?? plain) > mostItems) break
    return items
  }
}

/** A result that a rule does not take as a value: it has a problem, waits for another row, or is left out. */
export type Stopped = Problem | Pending | Omission

export const isStopped = (value: unknown): value is Stopped =>
  typeof value === 'object' && (isProblem(value) || value instanceof Pending || value instanceof Omission)

/** A value that a rule with `keep` sends as it is. */
export class Kept {
  readonly value: unknown
  readonly code: ProblemCode
  constructor(value: unknown, code: ProblemCode) {
    this.value = value
    this.code = code
  }
}

type Step = (rule: Rule, context: CompileContext) => Transform | undefined

/** Compiles the parts from `replace` to `as`, for one value that is not empty. */
export function compileConversion(rule: Rule, context: CompileContext): Transform {
  const inOrder: readonly Step[] = [replaceStep, caseStep, mapStep, lookupStep, typeStep]
  const steps = inOrder.flatMap(step => step(rule, context) ?? [])
  const [only] = steps
  if (only !== undefined && steps.length === 1) return only
  return value => {
    let result = value
    let kept: Kept | undefined
    for (const step of steps) {
      if (result === undefined || result === '' || isStopped(result)) return result
      result = step(result)
      if (result instanceof Kept) {
        kept = result
        result = kept.value
      }
    }
    return kept === undefined || isStopped(result) ? result : new Kept(result, kept.code)
  }
}

const replaceStep: Step = ({ replace = [] }, { yaml, at }) => {
  const replacements = replace.map(({ pattern, with: replacement }, index) => {
    const place = [...at, 'replace', index, 'pattern']
    const bounded = compilePattern(pattern, fault => yaml.fault(place, fault))
    return (text: string | Problem) =>
      isProblem(text) ? text : (bounded?.replace(text, replacement) ?? text)
  })
  if (replacements.length === 0) return undefined
  return onText(text => {
    const result = replacements.reduce<string | Problem>((before, replaced) => replaced(before), text)
    return isProblem(result) ? result : result.trim()
  })
}

const caseStep: Step = ({ case: letters }) =>
  letters && onText(text => (letters === 'lower' ? text.toLowerCase() : text.toUpperCase()))

/** A text that `map` does not have is looked for in the map file. */
const mapStep: Step = ({ map, map_file: file, lookup, otherwise = 'invalid' }, { lookups }) => {
  if (map === undefined && file === undefined) return undefined
  if (file !== undefined) lookups.mapFiles.set(file, lookup)
  const table = new Map(Object.entries(map ?? {}))
  const notInMap = problem('not_in_map', { keys: [...table.keys(), ...(file === undefined ? [] : [file])] })
  const omission = new Omission('not_in_map')
  const others = {
    invalid: () => notInMap,
    keep: (text: string) => (lookup === undefined ? new Kept(text, 'not_in_map') : text),
    omit: () => omission,
  }[otherwise]
  return onText(text => {
    if (table.has(text)) return table.get(text) ?? undefined
    const found = file === undefined ? omission : lookups.find(file, text, 'omit')
    return found instanceof Omission ? others(text) : found
  })
}

/** A bad value of a table is no fault of the cell. */
const lookupStep: Step = (rule, { lookups }) => {
  const { lookup } = rule
  if (lookup === undefined) return undefined
  const convert = typeOf(rule)
  return onText(text => {
    const id = lookups.find(lookup, text, rule.missing)
    if (id === undefined || id === '' || isStopped(id) || convert === undefined) return id
    const value = convert(id)
    const place = isProblem(value) ? lookups.placeOf(lookup, text) : undefined
    return place && isProblem(value) ? problem('lookup_bad_value', { ...place, problem: value }) : value
  })
}

const typeStep: Step = rule => (rule.lookup === undefined ? typeOf(rule) : undefined)

/** The conversion by `as`; without it `value`, `expr` and the items of `each` keep their type, and everything else becomes text. */
function typeOf(rule: Rule): Transform | undefined {
  const { as, otherwise = 'invalid' } = rule
  const keepsType = rule.value !== undefined || rule.expr !== undefined || rule.each !== undefined
  if (as === undefined) return keepsType ? undefined : stringTransform
  const read = transformOf(rule)
  if (otherwise === 'invalid') return read
  return value => {
    const result = read(value)
    if (!isProblem(result)) return result
    return otherwise === 'keep' ? new Kept(stringTransform(value), result.code) : new Omission(result.code)
  }
}
