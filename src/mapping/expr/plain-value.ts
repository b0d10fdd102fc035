import { isProblem, problem } from '../../model/problem.ts'
import { mostLevels } from '../../model/values.ts'
import { Cut, mostItems } from './limits.ts'

/**
 * A value of JSONata as JSON has it: without the marks on its lists. Throws a Cut where there is no JSON for it, or more
 * than a row may hold.
 */
export function plainValue(value: unknown): unknown {
  let items = 0
  return copied(value, 0)

  function copied(each: unknown, level: number): unknown {
    items += 1
    if (items > mostItems) throw new Cut(problem('too_much'))
    if (level > mostLevels) throw new Cut(problem('too_deep', { levels: mostLevels }))
    if (isProblem(each)) return each
    if (typeof each === 'number' && !Number.isFinite(each)) throw new Cut(problem('not_finite'))
    if (isFunction(each)) throw new Cut(problem('a_function'))
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(item => copied(item, level + 1))
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [name, copied(field, level + 1)]))
  }
}

const isFunction = (value: unknown) =>
  typeof value === 'function' ||
  (typeof value === 'object' &&
    value !== null &&
    ('_jsonata_lambda' in value || '_jsonata_function' in value))
