import { isDeepStrictEqual } from 'node:util'
import type { FieldDifference } from '../../model/mapping-report.ts'
import { join } from '../compile-body.ts'

/** The fields, as deep as they go, in which two values of JSON differ. */
export function fieldDifferences(expected: unknown, received: unknown, path = ''): FieldDifference[] {
  if (isDeepStrictEqual(expected, received)) return []
  const [left, right] = [partsOf(expected), partsOf(received)]
  if (left === undefined || right === undefined || Array.isArray(expected) !== Array.isArray(received))
    return [{ path, expected, received }]
  const steps = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return steps.flatMap(step => fieldDifferences(left[step], right[step], join(path, step)))
}

const partsOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
