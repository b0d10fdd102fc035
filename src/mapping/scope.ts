import type { RowError } from '../model/outcome.ts'
import { isProblem } from '../model/problem.ts'
import type { Dependency, Row, UnreadValue } from '../model/row.ts'
import { textOf } from '../model/values.ts'

/** The row that is mapped, and what becomes of it. */
export interface Scope {
  readonly row: Row
  /** The item inside `each`, its path with a dot at its end, and the column of the items, for errors. */
  readonly item: unknown
  readonly prefix: () => string
  readonly itemsColumn: (() => string | undefined) | undefined
  readonly errors: RowError[]
  /** Rows that need their outcome first. */
  readonly waits: Dependency[]
  readonly values: {
    /** The number of rules and templates with a value; an object without any is left out. */
    count: number
    readonly omitted: UnreadValue[]
    readonly kept: UnreadValue[]
    /** The columns of all values that came to a rule with `omit` or `keep`. */
    readonly withFallback: string[]
  }
  /** Columns of fields, by object, for an invalid body. */
  readonly origins: Map<object, (field: string) => string | undefined> | undefined
}

const noPrefix = () => ''

export const scopeOf = (row: Row): Scope => ({
  row,
  item: undefined,
  prefix: noPrefix,
  itemsColumn: undefined,
  errors: [],
  waits: [],
  values: { count: 0, omitted: [], kept: [], withFallback: [] },
  origins: undefined,
})

/** Returns a value; undefined is empty. */
export type Evaluate = (scope: Scope) => unknown

export interface Compiled {
  readonly evaluate: Evaluate
  /** Set if it has rules or templates; an object of constants alone is never left out. */
  readonly isDynamic: boolean
  readonly columnOf?: (scope: Scope) => string | undefined
}

export const join = (path: string, step: string | number): string =>
  path === '' ? String(step) : `${path}.${step}`

/** Converts a value that is not empty; undefined is empty, a Problem makes the row invalid. */
export type Transform = (value: unknown) => unknown

export const onText =
  (read: (text: string) => unknown): Transform =>
  value => {
    const text = textOf(value)
    return isProblem(text) ? text : read(text)
  }

/** The most items in the list of a rule. */
export const mostItems = 10_000
/** The most characters of what a rule makes of a cell. */
export const longestText = 10_000_000

/** Ends an evaluation with a Problem or a Pending. */
export class EvaluationEnd {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

const longestQuote = 300

export const quoteValue = (value: unknown): unknown =>
  typeof value === 'string' && value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value

/** `path` is relative to the item inside `each`. */
export const locate = (scope: Scope, path: string, column: string | undefined, value: unknown) => ({
  path: (scope.prefix() + path).replace(/\.$/, ''),
  ...(column !== undefined && { column }),
  ...(value !== undefined && { value: quoteValue(value) }),
})
