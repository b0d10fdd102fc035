import { z } from 'zod'
import { nearest } from '../model/did-you-mean.ts'
import type { RowError } from '../model/outcome.ts'
import { fileProblem, type Problem, problem } from '../model/problem.ts'
import type { Body, Row } from '../model/row.ts'
import { atPath } from '../model/values.ts'
import { customValues, expected, innerSchema, requiredFields } from '../records/fields.ts'
import type { DocumentPath, LocatedYaml } from '../settings/located-yaml.ts'
import { isRule, isTemplate } from './rule.ts'
import { type Compiled, quoteValue, scopeOf } from './scope.ts'

/** Notes faults of `body` without a row: fields that are unknown, unless allowed, or missing, and constants of the wrong type. */
export function checkBody(yaml: LocatedYaml, body: unknown, schema: z.ZodType, allowUnknown: boolean): void {
  check(body, schema, ['body'])

  function check(node: unknown, schema: z.core.$ZodType, at: DocumentPath): void {
    if (typeof node === 'string' && isTemplate(node)) return
    const inner = innerSchema(schema)
    if (typeof node !== 'object' || node === null) checkConstant(node, schema, at)
    else if (Array.isArray(node)) {
      if (!(inner instanceof z.ZodArray)) checkConstant(node, schema, at)
      else for (const [index, item] of node.entries()) check(item, inner.element, [...at, index])
    } else if (!isRule(node)) {
      if (inner instanceof z.ZodObject) checkFields(node, inner, at)
    } else if ('each' in node && inner instanceof z.ZodArray) check(node.each, inner.element, [...at, 'each'])
  }

  function checkFields(node: object, { shape }: z.ZodObject, at: DocumentPath): void {
    for (const name of requiredFields(shape))
      if (!Object.hasOwn(node, name)) yaml.fault(at, fileProblem('missing_body_field', { name }), 'key')
    for (const [name, child] of Object.entries(node)) {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (field !== undefined) check(child, field, [...at, name])
      else if (!allowUnknown) {
        const isCustom = Object.hasOwn(shape, 'custom_field_id') && Object.hasOwn(shape, 'text_value')
        const suggestion = isCustom ? nearestCustomValue(name) : nearest(name, Object.keys(shape))
        const of = isCustom ? 'custom_field' : at.length === 1 ? 'record' : 'object'
        yaml.fault([...at, name], fileProblem('unknown_body_field', { name, suggestion, of }), 'key')
      }
    }
  }

  function checkConstant(node: unknown, schema: z.core.$ZodType, at: DocumentPath): void {
    const [issue] = z.safeParse(schema, node).error?.issues ?? []
    if (issue === undefined) return
    const fault = fileProblem('bad_constant', { field: String(at.at(-1)), problem: explain(issue, node) })
    yaml.fault(at, fault)
  }
}

/** Suggests a name by the spelling, else by the kind of value that the name suggests. */
const nearestCustomValue = (name: string): string | undefined =>
  nearest(name, ['custom_field_id', ...customValues]) ?? customKinds.find(([kind]) => kind.test(name))?.[1]

const customKinds: readonly (readonly [RegExp, (typeof customValues)[number]])[] = [
  [/date|time|day/i, 'datetime_value'],
  [/num|amount|int|float/i, 'number_value'],
  [/multi|s$/i, 'option_multiple_ids'],
  [/option|select|choice|enum/i, 'option_id'],
  [/value|text|string/i, 'text_value'],
]

/** Returns a function that explains what differs from the schema in a body; no errors if only allowed fields do. */
export function bodyErrors(schema: z.ZodType, allowUnknown: boolean) {
  return (body: Body, compiled: Compiled, row: Row): RowError[] => {
    const all = schema.safeParse(body).error?.issues ?? []
    const issues = allowUnknown ? all.filter(({ code }) => code !== 'unrecognized_keys') : all
    if (issues.length === 0) return []
    const columnOf = traceColumns(compiled, row)
    return issues.flatMap(issue =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(key => errorAt([...issue.path, key], issue))
        : [errorAt(issue.path, issue)],
    )

    function errorAt(steps: readonly PropertyKey[], issue: z.core.$ZodIssue): RowError {
      const path = steps.join('.')
      const value = path === '' ? undefined : atPath(body, path)
      const column = columnOf(steps)
      return {
        path,
        ...(column && { column }),
        ...(isScalar(value) && { value: quoteValue(value) }),
        ...explain(issue, value),
      }
    }
  }
}

const isScalar = (value: unknown) => value !== undefined && typeof value !== 'object'

/** Maps an invalid row again to find the columns of its values. */
function traceColumns(compiled: Compiled, row: Row): (path: readonly PropertyKey[]) => string | undefined {
  const origins = new Map<object, (field: string) => string | undefined>()
  const body = compiled.evaluate({ ...scopeOf(row), origins })
  return path => {
    let at = body
    let column: string | undefined
    for (const step of path) {
      if (typeof at !== 'object' || at === null) break
      column = origins.get(at)?.(String(step)) ?? column
      at = (at as Record<PropertyKey, unknown>)[step]
    }
    return column
  }
}

/** Advice for a field with a text, by what is expected. */
const hints: Readonly<Record<string, string>> = {
  [expected.uuid]: 'as: uuid checks it',
  [expected.integer]: 'add as: integer',
  [expected.number]: 'add as: number',
  [expected.flag]: 'add as: boolean',
  [expected.list]: 'make it a list, or add split',
  [expected.timestamp]: 'add as: datetime or as: date',
}

function explain(issue: z.core.$ZodIssue, value: unknown): Problem {
  if (issue.code === 'unrecognized_keys') return problem('unknown_field')
  if (value === undefined) return problem('required')
  return problem('wrong_type', {
    expected: issue.message,
    got: kindOf(value),
    hint: hintFor(issue.message, value),
  })
}

function hintFor(wanted: string, value: unknown): string | undefined {
  if (typeof value !== 'string')
    // JSONata returns a list of one as its item
    return wanted === expected.list ? 'an expr that ends in [] stays a list' : undefined
  const isNumber = wanted === expected.integer || wanted === expected.number
  return isNumber && !/^[-+]?\d[\d.,' ]*$/.test(value)
    ? 'a map: or lookup: makes numbers of words'
    : hints[wanted]
}

const kindNames: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' }

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  return kindNames[typeof value] ?? 'an object'
}
