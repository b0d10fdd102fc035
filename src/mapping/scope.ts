import type { Problem } from '../model/problem.ts'
import type { Row, RowError, Waits } from '../model/row.ts'

/** What a part of the mapping sees while a row passes through it. */
export interface Scope {
  readonly row: Row
  /** The item, inside `each`. */
  readonly item: unknown
  /** The path in the body of the `each` that this is in, with a dot behind it. */
  readonly prefix: string
  /** Where what is wrong with the row is gathered. */
  readonly errors: RowError[]
  /** Where it is gathered which rows have to have their end before this one can be mapped. */
  readonly waits: Waits[]
  /** How many rules and templates came out with something so far: what keeps an object alive (DESIGN 2.1). */
  readonly life: { filled: number }
  /** Inside `each`: gives the column that the items come from, as errors name it. */
  readonly itemsOf?: () => string | undefined
  /** Where somebody asks: which column gave a field of an object that was made. */
  readonly origins?: Map<object, (field: string) => string | undefined>
}

/** What every part of the mapping sees at the start of a row. */
export const scopeOf = (row: Row, errors: RowError[]): Scope => ({
  row,
  item: undefined,
  prefix: '',
  errors,
  waits: [],
  life: { filled: 0 },
})

/** A part of the mapping made ready: gives what the body carries there, undefined when it came out empty. */
export type Evaluate = (scope: Scope) => unknown

/** A node of `body` made ready. */
export interface Compiled {
  readonly evaluate: Evaluate
  /** Whether rules or templates stand in it; constants beside them keep nothing alive (DESIGN 2.1). */
  readonly isDynamic: boolean
  /** The column that its value comes from, as errors name it. */
  readonly columnOf?: (scope: Scope) => string | undefined
}

/** A rule or template made ready, which counts as filled whenever it gives something. */
export const dynamic = (evaluate: Evaluate, columnOf: Compiled['columnOf'] = () => undefined): Compiled => ({
  isDynamic: true,
  columnOf,
  evaluate: scope => {
    const value = evaluate(scope)
    if (value !== undefined) scope.life.filled += 1
    return value
  },
})

const longestQuote = 300

/** The value as the result log quotes it: a long text is cut. */
export const quoted = (value: unknown): unknown =>
  typeof value === 'string' && value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value

/** Notes what is wrong at a path, as the result log tells it. */
export function refuse(
  scope: Scope,
  path: string,
  column: string | undefined,
  value: unknown,
  problem: Problem,
): void {
  scope.errors.push({ ...blame(scope, path, column, value), ...problem })
}

/** The path, the column and the value that an error, or a wait, is about. */
export const blame = (scope: Scope, path: string, column: string | undefined, value: unknown) => ({
  path: (scope.prefix + path).replace(/\.$/, ''),
  ...(column !== undefined && { column }),
  ...(value !== undefined && { value: quoted(value) }),
})
