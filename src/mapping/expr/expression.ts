import type { Expression } from 'jsonata'
import { isReservedColumn } from '../../model/content-key.ts'
import { fileProblem, isProblem, type ProblemCode, problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import { type CompileContext, type NamedColumns, unguarded } from '../columns.ts'
import { Omission, Pending } from '../lookups/lookup.ts'
import type { Rule } from '../rule.ts'
import { type Evaluate, EvaluationEnd, type Scope, type Transform } from '../scope.ts'
import { instantIn } from '../transforms/date.ts'
import { noteSettingFaults, transformOf } from '../transforms/transform.ts'
import { builtin, jsonata, limit } from './limits.ts'

/** Notes what an expression leaves out. */
export type OnOmitted = (scope: Scope, omission: Omission, text: string) => void

/**
 * Compiles an expression, whose input is the row; inside `each`, the item is `$item`. It returns a value, a Problem or a Pending.
 * Notes a fault of its syntax.
 */
export function compileExpression(
  source: string,
  rule: Rule,
  context: CompileContext,
  onOmitted: OnOmitted,
): { readonly columns: readonly string[]; readonly evaluate: Evaluate } {
  const { yaml, at, columns } = context
  let expression: Expression
  try {
    expression = jsonata()(source)
  } catch (error) {
    yaml.fault(at, fileProblem('bad_expression', { reason: reasonOf(error) }))
    return { columns: [], evaluate: () => undefined }
  }
  let evaluated: Scope
  const functions = boundFunctions(rule, context, (omission, text) => onOmitted(evaluated, omission, text))
  for (const [name, bound] of Object.entries(functions)) expression.registerFunction(name, bound)
  if (/\$(date|day|toMillis)\b/.test(source)) transformOf({ as: 'date' }) // loads its library before the first call
  if (/\$phone\b/.test(source)) transformOf({ as: 'phone' })
  expression.registerFunction('toMillis', millisReader(rule.zone), '<s-s?:n>')
  const evaluate = limit(expression)
  return {
    columns: columnsIn(expression.ast()),
    evaluate(scope) {
      evaluated = scope
      try {
        return nameSource(evaluate(rowInput(scope.row, columns), { item: scope.item }), source)
      } catch (error) {
        if (error instanceof EvaluationEnd) return nameSource(error.result, source)
        const isTooLong = (error as { code?: unknown }).code === 'D2014' // a range
        const reason = isTooLong ? problem('result_too_large') : reasonOf(error)
        return problem('expression_failed', { expression: source, reason })
      }
    },
  }
}

const reasonOf = (error: unknown) => {
  const { message, position } = error as { message: string; position?: number }
  return position === undefined ? message : `${message}, at its character ${position}`
}

const nameSource = (result: unknown, source: string) =>
  isProblem(result) ? problem('expression_failed', { expression: source, reason: result }) : result

let last: { readonly row: Row; readonly columns: NamedColumns; readonly input: unknown } | undefined

/**
 * Makes an object of the trimmed cells, without reserved columns. A renamed column has both names. The last object is kept for
 * other expressions.
 */
function rowInput(row: Row, columns: NamedColumns): unknown {
  if (last?.row === row && last.columns === columns) return last.input
  const input: Record<string, unknown> = Object.create(null)
  for (const [column] of row.cells())
    if (!row.repaired || !isReservedColumn(column))
      input[column] ??= columns.blank(unguarded(trim(row.value(column))))
  for (const { name, actual } of columns.renamed()) input[name] = input[actual]
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
  { missing, locale = 'en', zone }: Rule,
  { lookups, lookupNames }: CompileContext,
  onOmitted: (omission: Omission, text: string) => void,
) {
  const dateFunction =
    (as: 'date' | 'datetime') =>
    (value: unknown, format?: unknown, of: unknown = zone) => {
      const formats = (format === undefined ? ['iso'] : [format].flat()).map(String)
      return convert({ as, format: formats, zone: of === undefined ? of : String(of), locale }, value)
    }
  return {
    lookup(table: unknown, key: unknown) {
      const text = present(key)
      if (table === undefined || text === undefined) return undefined
      if (typeof table !== 'string') return builtin('lookup')(table, String(text))
      if (!lookupNames.includes(table))
        throw new EvaluationEnd(problem('lookup_not_declared', { name: table }))
      const value = lookups.find(table, String(text), missing)
      if (!(value instanceof Omission)) return returnOrEnd(value)
      return void onOmitted(value, String(text))
    },
    date: dateFunction('datetime'),
    day: dateFunction('date'),
    phone: (value: unknown, country?: unknown) =>
      convert({ as: 'phone', ...(country !== undefined && { country: String(country) }) }, value),
    html: (value: unknown) => convert({ as: 'html' }, value),
    /** JSONata's own would catch an EvaluationEnd. */
    eval() {
      throw new EvaluationEnd(problem('eval_not_available'))
    },
  }
}

/** JSONata's `$toMillis`, which would read a local time in the zone of the machine: it is of the zone, or UTC. */
function millisReader(zone: string | undefined) {
  const own = builtin('toMillis')
  return function (this: unknown, text: string | undefined, picture?: string): unknown {
    if (text === undefined) return undefined
    const hasOffset = picture === undefined ? /(Z|[+-]\d\d:?\d\d)$/.test(text) : /\[[Zz]/.test(picture)
    const isLocal = picture === undefined && !hasOffset && /^\d{4}[\d-]*[T.]/.test(text)
    const ms = own.call(this, isLocal ? `${text}Z` : text, picture)
    return hasOffset || zone === undefined || typeof ms !== 'number'
      ? ms
      : returnOrEnd(Number.isNaN(ms) ? ms : instantIn(zone, ms))
  }
}

const mostTransforms = 100
const transforms = new Map<string, Transform>()
const settingCodes = { format: 'bad_date_format', zone: 'unknown_zone', country: 'unknown_country' }

/** Converts a value as a rule with these settings does. They are checked once, because they come with every row. */
function convert(rule: Rule, value: unknown): unknown {
  const name = JSON.stringify(rule)
  let transform = transforms.get(name)
  if (transform === undefined) {
    noteSettingFaults(rule, (part, { params }) => {
      const code = settingCodes[part as keyof typeof settingCodes]
      throw new EvaluationEnd(problem(code as ProblemCode, params as never))
    })
    transform = transformOf(rule)
    if (transforms.size < mostTransforms) transforms.set(name, transform)
  }
  const input = present(value)
  return input === undefined ? undefined : returnOrEnd(transform(input))
}

function returnOrEnd(result: unknown): unknown {
  if (isProblem(result) || result instanceof Pending) throw new EvaluationEnd(result)
  return result
}
