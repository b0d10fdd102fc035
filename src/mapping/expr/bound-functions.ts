import { isProblem, problem } from '../../model/problem.ts'
import { present } from '../../model/values.ts'
import { Pending, resolved } from '../lookups/looked-up.ts'
import type { Lookups } from '../lookups/lookup.ts'
import { isKnownCountry, phoneTransform } from '../transforms/contact-details.ts'
import { datetimeTransform, isKnownZone } from '../transforms/date.ts'
import { formatFault } from '../transforms/date-formats.ts'
import { htmlTransform } from '../transforms/markup.ts'
import type { Transform } from '../transforms/transform.ts'
import { Cut } from './limits.ts'

/** The settings of a rule that the functions of its expression share. */
export interface FunctionSettings {
  readonly lookups: Lookups
  readonly lookupNames: readonly string[]
  readonly missing: 'invalid' | 'omit'
  readonly locale: string
}

/** What expressions can call beside what JSONata has: the same code as the rules (DESIGN 2.2 and 2.3). */
export function boundFunctions({ lookups, lookupNames, missing, locale }: FunctionSettings) {
  return {
    lookup(table: unknown, key: unknown) {
      const text = present(key)
      if (table === undefined || text === undefined) return undefined
      if (typeof table !== 'string') return fieldOf(table, String(text))
      if (!lookupNames.includes(table)) throw new Cut(problem('no_lookup', { name: table }))
      return passed(resolved(lookups.find(table, String(text)), missing))
    },
    date: (value: unknown, format: unknown = 'iso', zone?: unknown) =>
      applied(
        dateOf([format].flat().map(String), zone === undefined ? undefined : String(zone), locale),
        value,
      ),
    phone(value: unknown, country?: unknown) {
      if (country !== undefined && !isKnownCountry(String(country)))
        throw new Cut(problem('unknown_country', { country: String(country) }))
      return applied(phoneTransform(country as Parameters<typeof phoneTransform>[0], 'drop'), value)
    },
    html: (value: unknown) => applied(htmlTransform, value),
    /** JSONata's own would swallow what ends an evaluation. */
    eval() {
      throw new Cut(problem('no_eval'))
    },
  }
}

/** JSONata's own `$lookup`, which takes an object, or a list of them, instead of a name. */
function fieldOf(table: unknown, key: string): unknown {
  const found = [table].flat().flatMap(each => (Object.hasOwn(Object(each), key) ? [Object(each)[key]] : []))
  return found.length > 1 ? found.flat() : found[0]
}

function applied(transform: Transform, value: unknown): unknown {
  const given = present(value)
  return given === undefined ? undefined : passed(transform(given))
}

function passed(result: unknown): unknown {
  if (isProblem(result) || result instanceof Pending) throw new Cut(result)
  return result
}

const mostDates = 100
const dates = new Map<string, Transform>()

/** The same settings come again with every row. */
function dateOf(formats: readonly string[], zone: string | undefined, locale: string): Transform {
  const name = JSON.stringify([formats, zone, locale])
  const known = dates.get(name)
  if (known !== undefined) return known
  for (const format of formats) {
    const fault = formatFault(format, locale)
    if (fault !== undefined) throw new Cut(problem('useless_format', { format, reason: fault }))
  }
  if (zone !== undefined && !isKnownZone(zone)) throw new Cut(problem('unknown_zone', { zone }))
  const made = datetimeTransform({ formats, zone, locale })
  if (dates.size < mostDates) dates.set(name, made)
  return made
}
