import { type FileProblem, fileProblem } from '../../model/problem.ts'
import type { Rule, transformNames } from '../rule.ts'
import { dateTransform, datetimeTransform, formatFault, isKnownZone } from './date.ts'
import { durationTransform, integerTransform, numberTransform } from './number.ts'
import { isKnownCountry, phoneTransform } from './phone.ts'
import {
  booleanTransform,
  domainTransform,
  emailTransform,
  htmlTransform,
  jsonTransform,
  markdownTransform,
  stringTransform,
  type Transform,
  urlTransform,
  uuidTransform,
} from './text.ts'

const makers: Readonly<Record<(typeof transformNames)[number], (rule: Rule) => Transform>> = {
  string: () => stringTransform,
  integer: rule => integerTransform(rule.decimal ?? '.'),
  number: rule => numberTransform(rule.decimal ?? '.'),
  boolean: rule => booleanTransform(rule.true, rule.false),
  date: rule => dateTransform(dateSettings(rule)),
  datetime: rule => datetimeTransform(dateSettings(rule)),
  duration: durationTransform,
  email: () => emailTransform,
  phone: ({ country, extension = 'drop' }) =>
    phoneTransform(country && isKnownCountry(country) ? country : undefined, extension),
  url: () => urlTransform,
  domain: () => domainTransform,
  html: () => htmlTransform,
  markdown: () => markdownTransform,
  uuid: () => uuidTransform,
  json: () => jsonTransform,
}

export const transformOf = (rule: Rule): Transform => makers[rule.as ?? 'string'](rule)

const dateSettings = ({ format = 'iso', zone, locale = 'en' }: Rule) => ({
  formats: [format].flat(),
  zone,
  locale: isLocale(locale) ? locale : 'en', // another one is a fault
})

/** Settings that are unknown or cannot work, each with its problem. */
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
