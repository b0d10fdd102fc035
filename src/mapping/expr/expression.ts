import type { Expression } from 'jsonata'
import { fileProblem, isProblem, problem } from '../../model/problem.ts'
import { isReservedColumn } from '../../model/reserved-columns.ts'
import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import type { CompileContext, NamedColumns } from '../columns.ts'
import { Omission, Pending, resolveFound } from '../lookups/lookup.ts'
import type { Rule } from '../rule.ts'
import { type Evaluate, EvaluationEnd, type Scope, type Transform } from '../scope.ts'
import { formatFault, isKnownZone } from '../transforms/date.ts'
import { isKnownCountry, phoneTransform } from '../transforms/phone.ts'
import { htmlTransform, transformOf } from '../transforms/transform.ts'
import { builtin, jsonata, limit } from './limits.ts'

/**
 * Compiles an expression, whose input is the row; inside `each`, the item is `$item`. It returns a value, a Problem or a Pending.
 * Notes a fault of its syntax.
 */
export function compileExpression(
  source: string,
  rule: Rule,
  context: CompileContext,
): { readonly columns: readonly string[]; readonly evaluate: Evaluate } {
  const { yaml, at, columns } = context
  const expression = parse(source)
  if ('reason' in expression) {
    yaml.fault(at, fileProblem('bad_expression', expression))
    return { columns: [], evaluate: () => undefined }
  }
  let evaluated: Scope | undefined
  const functions = boundFunctions(rule, context, (omission, text) => {
    if (evaluated !== undefined) context.onOmitted?.(evaluated, omission, text)
  })
  for (const [name, bound] of Object.entries(functions)) expression.registerFunction(name, bound)
  const evaluate = limit(expression)
  return {
    columns: columnsIn(expression.ast()),
    evaluate(scope) {
      evaluated = scope
      try {
        return nameSource(evaluate(rowInput(scope.row, columns), { item: scope.item }), source)
      } catch (error) {
        if (error instanceof EvaluationEnd) return nameSource(error.result, source)
        const reason = isRangeTooLong(error) ? problem('result_too_large') : reasonOf(error)
        return problem('expression_failed', { expression: source, reason })
      }
    },
  }
}

function parse(source: string): Expression | { readonly reason: string } {
  try {
    return jsonata()(source)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

const reasonOf = (error: unknown) => {
  const { message, position } = error as { message: string; position?: number }
  return position === undefined ? message : `${message}, at its character ${position}`
}

const isRangeTooLong = (error: unknown) => (error as { code?: unknown }).code === 'D2014'

const nameSource = (result: unknown, source: string) =>
  isProblem(result) ? problem('expression_failed', { expression: source, reason: result }) : result

let last: { readonly row: Row; readonly columns: NamedColumns; readonly input: unknown } | undefined

/** Makes an object of the trimmed cells, without reserved columns. A renamed column has both names. The last one is kept for other expressions. */
function rowInput(row: Row, columns: NamedColumns): unknown {
  if (last?.row === row && last.columns === columns) return last.input
  const input: Record<string, unknown> = Object.create(null)
  for (const [column] of row.cells())
    if (!row.repaired || !isReservedColumn(column)) input[column] ??= columns.blank(trim(row.value(column)))
  for (const [name, actual] of columns.renamed()) input[name] = input[actual]
  last = { row, columns, input }
  return input
}

function trim(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  return Array.isArray(value) ? value.map(trim) : value
}

interface SyntaxNode {
  readonly type?: string
  readonly value?: unknown
  readonly steps?: readonly SyntaxNode[]
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null

/** Returns the first steps of paths; later steps are not columns. */
function columnsIn(syntax: unknown): string[] {
  if (!isNode(syntax) || syntax.type === 'transform' || syntax.type === 'sort') return []
  const [first] = syntax.steps ?? []
  if (first?.type === 'variable' && first.value === '$') return columnsIn({ steps: syntax.steps?.slice(1) })
  if (first !== undefined) return first.type === 'name' ? [String(first.value)] : columnsIn(first)
  return [...new Set(Object.values(syntax).flatMap(columnsIn))]
}

/** Functions of expressions besides JSONata's own; they work like the parts of rules. */
function boundFunctions(
  { missing = 'invalid', locale = 'en' }: Rule,
  { lookups, lookupNames }: CompileContext,
  onOmitted: (omission: Omission, text: string) => void,
) {
  return {
    lookup(table: unknown, key: unknown) {
      const text = present(key)
      if (table === undefined || text === undefined) return undefined
      if (typeof table !== 'string') return builtin('lookup')(table, String(text))
      if (!lookupNames.includes(table))
        throw new EvaluationEnd(problem('lookup_not_declared', { name: table }))
      const value = resolveFound(lookups.find(table, String(text)), missing)
      if (!(value instanceof Omission)) return returnOrEnd(value)
      return void onOmitted(value, String(text))
    },
    date: (value: unknown, format?: unknown, zone?: unknown) =>
      apply(cachedDate('datetime', format, zone, locale), value),
    day: (value: unknown, format?: unknown, zone?: unknown) =>
      apply(cachedDate('date', format, zone, locale), value),
    phone(value: unknown, country?: unknown) {
      if (country !== undefined && !isKnownCountry(String(country)))
        throw new EvaluationEnd(problem('unknown_country', { country: String(country) }))
      return apply(phoneTransform(country as Parameters<typeof phoneTransform>[0], 'drop'), value)
    },
    html: (value: unknown) => apply(htmlTransform, value),
    /** JSONata's own would catch an EvaluationEnd. */
    eval() {
      throw new EvaluationEnd(problem('eval_not_available'))
    },
  }
}

function apply(transform: Transform, value: unknown): unknown {
  const input = present(value)
  return input === undefined ? undefined : returnOrEnd(transform(input))
}

function returnOrEnd(result: unknown): unknown {
  if (isProblem(result) || result instanceof Pending) throw new EvaluationEnd(result)
  return result
}

const mostDates = 100
const dates = new Map<string, Transform>()

/** Kept, because the same settings come with every row. */
function cachedDate(as: Rule['as'], format: unknown = 'iso', inZone: unknown, locale: string): Transform {
  const formats = [format].flat().map(String)
  const zone = inZone === undefined ? undefined : String(inZone)
  const name = JSON.stringify([as, formats, zone, locale])
  const known = dates.get(name)
  if (known !== undefined) return known
  for (const format of formats) {
    const reason = formatFault(format, locale)
    if (reason !== undefined) throw new EvaluationEnd(problem('bad_date_format', { format, reason }))
  }
  if (zone !== undefined && !isKnownZone(zone)) throw new EvaluationEnd(problem('unknown_zone', { zone }))
  const transform = transformOf({ as, format: formats, zone, locale })
  if (dates.size < mostDates) dates.set(name, transform)
  return transform
}
