import type { RowError } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Dependency, Row } from '../model/row.ts'

/** The state of one row while its body is made. */
export interface Scope {
  readonly row: Row
  /** The item, inside `each`. */
  readonly item: unknown
  /** Inside `each`: the path of the item in the body, with a dot at its end. */
  readonly prefix: string
  readonly errors: RowError[]
  /** Other rows that must have their outcome before this one can be mapped. */
  readonly waits: Dependency[]
  /** How many rules and templates had a value so far; an object in which none has is left out. */
  readonly values: { count: number }
  /** Inside `each`: returns the column of the items, as errors name it. */
  readonly itemsColumn?: () => string | undefined
  /** Filled for a body that is invalid: by object, a function from its fields to their columns. */
  readonly origins?: Map<object, (field: string) => string | undefined>
}

/** The state of a row at its start. */
export const scopeOf = (row: Row, errors: RowError[] = []): Scope => ({
  row,
  item: undefined,
  prefix: '',
  errors,
  waits: [],
  values: { count: 0 },
})

/** Makes a value of a row; undefined is empty. */
export type Evaluate = (scope: Scope) => unknown

/** A compiled node of `body`. */
export interface Compiled {
  readonly evaluate: Evaluate
  /** Whether it has rules or templates; an object of constants alone is never left out. */
  readonly isDynamic: boolean
  /** The column of its value, as errors name it. */
  readonly columnOf?: (scope: Scope) => string | undefined
}

/** A rule or a template: its values are counted. */
export const dynamicNode = (
  evaluate: Evaluate,
  columnOf: Compiled['columnOf'] = () => undefined,
): Compiled => ({
  isDynamic: true,
  columnOf,
  evaluate: scope => {
    const value = evaluate(scope)
    if (value !== undefined) scope.values.count += 1
    return value
  },
})

const longestQuote = 300

/** A value as errors quote it: a long text is cut. */
export const quoteValue = (value: unknown): unknown =>
  typeof value === 'string' && value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value

/** Adds an error to the row; `path` is relative to the item inside `each`. */
export function addError(
  scope: Scope,
  path: string,
  column: string | undefined,
  value: unknown,
  problem: Problem,
): void {
  scope.errors.push({ ...locate(scope, path, column, value), ...problem })
}

/** The path, column and value of an error, or of a wait. */
export const locate = (scope: Scope, path: string, column: string | undefined, value: unknown) => ({
  path: (scope.prefix + path).replace(/\.$/, ''),
  ...(column !== undefined && { column }),
  ...(value !== undefined && { value: quoteValue(value) }),
})
