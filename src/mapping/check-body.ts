import { z } from 'zod'
import { fileProblem, type Problem, problem } from '../model/problem.ts'
import type { Body, RowError } from '../model/row.ts'
import { atPath } from '../model/values.ts'
import { expected } from '../records/fields.ts'
import { acceptsOf } from './accepts.ts'
import { isRule } from './compile-body.ts'
import { type DocumentPath, type LocatedYaml, nearest } from './located-yaml.ts'
import type { ColumnOf } from './origins.ts'
import { quoted } from './scope.ts'
import { isTemplate } from './template.ts'

/** The schema inside optional and nullable ones. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return innerSchema(schema.unwrap())
  return schema
}

/** The same schema with fields let through that are not in it, at every depth. */
export function loosened(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return loosened(schema.unwrap()).optional()
  if (schema instanceof z.ZodNullable) return loosened(schema.unwrap()).nullable()
  if (schema instanceof z.ZodArray) return z.array(loosened(schema.element), expected.list)
  if (!(schema instanceof z.ZodObject)) return schema as z.ZodType
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, loosened(field)] as const)
  return z.looseObject(Object.fromEntries(fields), expected.object)
}

/**
 * Notes what can be seen of `body` without a row: fields that the record does not have, and constants of the wrong
 * type (DESIGN 2.4).
 */
export function checkShape(
  node: unknown,
  schema: z.core.$ZodType,
  at: DocumentPath,
  yaml: LocatedYaml,
  allowUnknown: boolean,
): void {
  if (typeof node === 'string' && isTemplate(node)) return
  if (Array.isArray(node)) checkList(node, schema, at, yaml, allowUnknown)
  else if (typeof node !== 'object' || node === null) checkConstant(node, schema, at, yaml)
  else if (isRule(node)) checkEach(node, schema, at, yaml, allowUnknown)
  else checkFields(node, schema, at, yaml, allowUnknown)
}

function checkList(
  node: unknown[],
  schema: z.core.$ZodType,
  at: DocumentPath,
  yaml: LocatedYaml,
  allowUnknown: boolean,
) {
  const list = innerSchema(schema)
  if (list instanceof z.ZodArray)
    for (const [index, item] of node.entries())
      checkShape(item, list.element, [...at, index], yaml, allowUnknown)
  else checkConstant(node, schema, at, yaml)
}

function checkEach(
  rule: { each?: unknown },
  schema: z.core.$ZodType,
  at: DocumentPath,
  yaml: LocatedYaml,
  allowUnknown: boolean,
) {
  const list = innerSchema(schema)
  if (rule.each !== undefined && list instanceof z.ZodArray)
    checkShape(rule.each, list.element, [...at, 'each'], yaml, allowUnknown)
}

function checkFields(
  node: object,
  schema: z.core.$ZodType,
  at: DocumentPath,
  yaml: LocatedYaml,
  allowUnknown: boolean,
) {
  const object = innerSchema(schema)
  if (!(object instanceof z.ZodObject)) return
  for (const [name, child] of Object.entries(node)) {
    const field = Object.hasOwn(object.shape, name) ? object.shape[name] : undefined
    if (field !== undefined) checkShape(child, field, [...at, name], yaml, allowUnknown)
    else if (!allowUnknown)
      yaml.fault(
        [...at, name],
        fileProblem('unknown_body_field', { name, suggestion: nearest(name, Object.keys(object.shape)) }),
        'key',
      )
  }
}

function checkConstant(node: unknown, schema: z.core.$ZodType, at: DocumentPath, yaml: LocatedYaml): void {
  const checked = z.safeParse(schema, node)
  const [issue] = checked.error?.issues ?? []
  if (issue !== undefined)
    yaml.fault(at, fileProblem('wrong_constant', { field: String(at.at(-1)), problem: explain(issue, node) }))
}

/** Checks bodies against the schema of their record; gives what is wrong with one, nothing if it is right. */
export function bodyChecker(schema: z.ZodType) {
  const accepts = acceptsOf(schema)
  return (body: Body, origins: () => ColumnOf): RowError[] => {
    if (accepts(body)) return []
    const checked = schema.safeParse(body)
    if (checked.success) return []
    const columnOf = origins()
    return checked.error.issues.flatMap(issue =>
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
        ...(isScalar(value) && { value: quoted(value) }),
        ...explain(issue, value),
      }
    }
  }
}

const isScalar = (value: unknown) => value !== undefined && typeof value !== 'object'

/** What to add to a rule whose text does not fit the field. */
const hints: Readonly<Record<string, string>> = {
  [expected.uuid]: 'as: uuid checks it',
  [expected.integer]: 'add as: integer',
  [expected.number]: 'add as: number',
  [expected.flag]: 'add as: boolean',
  [expected.list]: 'make it a list, or add split',
  [expected.timestamp]: 'add as: datetime or as: date',
}

/** JSONata gives a list of one as the one, unless the expression ends in []. */
const hintsOfObjects: Readonly<Record<string, string>> = {
  [expected.list]: 'an expr that ends in [] stays a list',
}

function explain(issue: z.core.$ZodIssue, value: unknown): Problem {
  if (issue.code === 'unrecognized_keys') return problem('unknown_field')
  return problem('wrong_type', {
    expected: issue.message,
    got: kindOf(value),
    hint: typeof value === 'string' ? hints[issue.message] : hintsOfObjects[issue.message],
  })
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
    case 'boolean':
      return 'true or false'
    default:
      return 'an object'
  }
}
