import { durationTransform } from '../../transforms/duration.ts'
import type { Column } from '../columns/column.ts'
import { isDuration, readDuration, unitLetter } from '../columns/evidence.ts'
import { anyOf, vocabulary } from '../columns/words.ts'
import { asked, field, type Part, quote, type Rule, suggestion, together } from '../yaml.ts'
import { textRule } from './rules.ts'

const readHours = durationTransform('hours', 'hours', undefined)

/** Read in hours, with the units of other languages put into letters. */
function durationRule(column: Column, more: Rule = {}): Rule {
  const words = [...column.samples].flatMap(text => text.match(/\p{L}+\.?/gu) ?? [])
  const isForeign = (word: string) => unitLetter(word) && typeof readDuration(`1${word}`) !== 'number'
  const foreign = [...new Set(words)].filter(isForeign).sort((a, b) => b.length - a.length)
  const replace = foreign.map(word => ({ pattern: word.replace('.', '\\.'), with: unitLetter(word) }))
  const unit = { as: 'duration', unit: 'hours', ...more }
  return { ...textRule(column), ...(replace.length > 0 && { replace }), ...unit }
}

/** In hours; where the unit is unknown, with the question. */
export function estimatePart(column: Column): Part {
  const values = [...column.values]
  const bad = values.filter(text => !isDuration(text, readHours))
  const bare = values.filter(text => /^\d+([.,]\d+)?$/.test(text))
  const [unit] = Object.entries(vocabulary.units).find(([, words]) => anyOf(words).test(column.words)) ?? []
  const inDays =
    unit === 'days' ? bare[0] : unit || bare.length === 0 ? bad.find(text => isDuration(text)) : undefined
  const isStrict = bad.length === 0 && !column.hasMoreValues && !column.isDistrusted
  const otherwise = isStrict ? undefined : 'omit'
  const rule = (more: Rule) => ({ ...durationRule(column, more), otherwise })
  if (!inDays && (unit || (bare.length === 0 && values.length > bad.length))) {
    const comment = 'Sent in hours; in which unit the service counts is not documented.'
    const left = bad[0] && `Values such as ${quote(bad[0])} are no known durations and are left out.`
    const input_unit = unit === 'hours' || unit === 'days' ? undefined : unit
    return field('estimated_time', rule({ input_unit }), comment, left)
  }
  const place = `${quote(inDays ?? bare[0] ?? column.example?.text ?? '')} (column ${quote(column.name)})`
  const question = inDays
    ? `How many hours has a day in ${place}? If it is 8:`
    : `Does ${place} count hours, minutes or seconds? Nothing says it. If it is minutes:`
  const ofDays = unit === 'days' ? { replace: [{ pattern: '^([\\d.,]+)$', with: '$1d' }] } : {}
  const more = inDays ? { ...ofDays, hours_per_day: 8 } : { input_unit: 'minutes' }
  return suggestion('estimated_time', rule(more), [asked(question)])
}

/** Hours that were worked, or planned. */
export function bookedPart(hours: Column): Part {
  const rule = durationRule(hours)
  const question = `Does ${quote(hours.name)} hold the time that was spent, or that is planned? If it was spent:`
  return together(
    suggestion('actual_time', rule, [asked(question)]),
    suggestion('estimated_time', rule, ['Or if it is planned:']),
  )
}
