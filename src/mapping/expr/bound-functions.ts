import { isProblem, problem } from '../../model/problem.ts'
import { present } from '../../model/values.ts'
import type { CompileContext } from '../columns.ts'
import { Omission, Pending, resolveFound } from '../lookups/lookup.ts'
import type { Rule } from '../rule.ts'
import { EvaluationEnd } from '../scope.ts'
import { formatFault, isKnownZone } from '../transforms/date.ts'
import { isKnownCountry, phoneTransform } from '../transforms/phone.ts'
import { htmlTransform, type Transform } from '../transforms/text.ts'
import { transformOf } from '../transforms/transform.ts'

/** The functions of expressions besides JSONata's own; they work like the parts of rules. */
export function boundFunctions(
  { missing = 'invalid', locale = 'en' }: Rule,
  { lookups, lookupNames }: CompileContext,
  onOmitted: (omission: Omission, text: string) => void,
) {
  return {
    lookup(table: unknown, key: unknown) {
      const text = present(key)
      if (table === undefined || text === undefined) return undefined
      if (typeof table !== 'string') return fieldOf(table, String(text))
      if (!lookupNames.includes(table))
        throw new EvaluationEnd(problem('lookup_not_declared', { name: table }))
      const found = resolveFound(lookups.find(table, String(text)), missing)
      if (!(found instanceof Omission)) return returnOrEnd(found)
      return void onOmitted(found, String(text))
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

/** JSONata's own `$lookup`, for an object or a list of them. */
function fieldOf(table: unknown, key: string): unknown {
  const found = [table].flat().flatMap(each => (Object.hasOwn(Object(each), key) ? [Object(each)[key]] : []))
  return found.length > 1 ? found.flat() : found[0]
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
function cachedDate(as: Rule['as'], format: unknown = 'iso', of: unknown, locale: string): Transform {
  const [formats, zone] = [[format].flat().map(String), of === undefined ? undefined : String(of)]
  const name = JSON.stringify([as, formats, zone, locale])
  const known = dates.get(name)
  if (known !== undefined) return known
  for (const format of formats) {
    const fault = formatFault(format, locale)
    if (fault !== undefined) throw new EvaluationEnd(problem('bad_date_format', { format, reason: fault }))
  }
  if (zone !== undefined && !isKnownZone(zone)) throw new EvaluationEnd(problem('unknown_zone', { zone }))
  const made = transformOf({ as, format: formats, zone, locale })
  if (dates.size < mostDates) dates.set(name, made)
  return made
}
