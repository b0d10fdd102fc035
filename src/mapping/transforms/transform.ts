import { type FileProblem, fileProblem } from '../../model/problem.ts'
import { unreachable } from '../../model/values.ts'
import type { Rule } from '../rule.ts'
import { domainTransform, emailTransform, isKnownCountry, phoneTransform, urlTransform } from './contact.ts'
import { dateTransform, datetimeTransform, formatFault, isKnownZone } from './date.ts'
import { durationTransform } from './duration.ts'
import { integerTransform, numberTransform } from './number.ts'
import {
  booleanTransform,
  htmlTransform,
  jsonTransform,
  markdownTransform,
  stringTransform,
  type Transform,
  uuidTransform,
} from './text.ts'

/** The transform of a rule's `as`, with its settings. */
export function transformOf(rule: Rule): Transform {
  const { as = 'string' } = rule
  switch (as) {
    case 'string':
      return stringTransform
    case 'integer':
      return integerTransform(rule.decimal ?? '.')
    case 'number':
      return numberTransform(rule.decimal ?? '.')
    case 'boolean':
      return booleanTransform(rule.true, rule.false)
    case 'date':
      return dateTransform(dateSettings(rule))
    case 'datetime':
      return datetimeTransform(dateSettings(rule))
    case 'duration':
      return durationTransform(
        rule.unit ?? 'hours',
        rule.input_unit ?? rule.unit ?? 'hours',
        rule.hours_per_day,
      )
    case 'email':
      return emailTransform
    case 'phone':
      return phoneTransform(
        rule.country && isKnownCountry(rule.country) ? rule.country : undefined,
        rule.extension ?? 'drop',
      )
    case 'url':
      return urlTransform
    case 'domain':
      return domainTransform
    case 'html':
      return htmlTransform
    case 'markdown':
      return markdownTransform
    case 'uuid':
      return uuidTransform
    case 'json':
      return jsonTransform
    default:
      return unreachable(as)
  }
}

const dateSettings = ({ format = 'iso', zone, locale = 'en' }: Rule) => ({
  formats: [format].flat(),
  zone,
  locale,
})

/** The settings of a rule that are unknown or cannot work, each with its problem. */
export function settingFaults(rule: Rule): readonly (readonly [part: keyof Rule, problem: FileProblem])[] {
  const faults: (readonly [keyof Rule, FileProblem])[] = []
  if (rule.zone !== undefined && !isKnownZone(rule.zone))
    faults.push(['zone', fileProblem('bad_zone', { zone: rule.zone })])
  if (rule.country !== undefined && !isKnownCountry(rule.country))
    faults.push(['country', fileProblem('bad_country', { country: rule.country })])
  if (rule.locale !== undefined && !isLocale(rule.locale))
    faults.push(['locale', fileProblem('bad_locale', { tag: rule.locale })])
  else if (rule.format !== undefined)
    for (const format of [rule.format].flat()) {
      const reason = formatFault(format, rule.locale ?? 'en')
      if (reason !== undefined) faults.push(['format', fileProblem('bad_format', { format, reason })])
    }
  return faults
}

function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
