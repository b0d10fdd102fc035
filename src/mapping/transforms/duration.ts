import { problem } from '../../model/problem.ts'
import { onText, type Transform } from './text.ts'

export const durationUnits = ['seconds', 'minutes', 'hours'] as const
export type DurationUnit = (typeof durationUnits)[number]

export const inputUnits = ['milliseconds', ...durationUnits] as const
export type InputUnit = (typeof inputUnits)[number]

const secondsPer = { milliseconds: 0.001, seconds: 1, minutes: 60, hours: 3600 } as const

const words: readonly (readonly [RegExp, number | 'day' | 'week'])[] = [
  [/^s(ec(ond)?s?)?$/, 1],
  [/^m(in(ute)?s?)?$/, 60],
  [/^h((ou)?rs?)?$/, 3600],
  [/^d(ays?)?$/, 'day'],
  [/^w(eeks?)?$/, 'week'],
]
const part = /(\d+(?:[.,]\d+)?)\s*([a-z]+)\.?[\s,]*/y
const iso = /^p(?=\d|t\d)((?:\d+(?:[.,]\d+)?[wd])*)(?:t((?:\d+(?:[.,]\d+)?[hms])+))?$/
const clock = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/
const daysPerWeek = { 24: 7 } as Readonly<Record<number, number>>
const workingDaysPerWeek = 5

/** Reads `1h 30m`, `1:30` (hours and minutes), `PT1H` or a number of `inputUnit`. Days need `hoursPerDay`; with 24 a week has seven. */
export function durationTransform(
  unit: DurationUnit,
  inputUnit: InputUnit,
  hoursPerDay: number | undefined,
): Transform {
  return onText(text => {
    if (/^\d+([.,]\d+)?$/.test(text))
      return inputUnit === unit ? toNumber(text) : (toNumber(text) * secondsPer[inputUnit]) / secondsPer[unit]
    const seconds = readSeconds(text.toLowerCase(), hoursPerDay)
    return typeof seconds === 'number' ? seconds / secondsPer[unit] : seconds
  })
}

const toNumber = (text: string) => Number(text.replace(',', '.'))

function readSeconds(text: string, hoursPerDay: number | undefined) {
  const [, hours, minutes, seconds = 0] = clock.exec(text) ?? []
  if (hours !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const [, days = '', times = ''] = iso.exec(text) ?? []
  return sumOfParts(days + times || text, hoursPerDay)
}

function sumOfParts(text: string, hoursPerDay: number | undefined) {
  let sum = 0
  let end = 0
  for (part.lastIndex = 0; end < text.length; end = part.lastIndex) {
    const [, amount, word = ''] = part.exec(text) ?? []
    const length = words.find(([pattern]) => pattern.test(word))?.[1]
    if (amount === undefined || length === undefined) return problem('not_duration')
    if (typeof length !== 'number' && hoursPerDay === undefined) return problem('unknown_day_length')
    sum += toNumber(amount) * (typeof length === 'number' ? length : daySeconds(length, hoursPerDay ?? 0))
  }
  return sum
}

const daySeconds = (length: 'day' | 'week', hoursPerDay: number) =>
  hoursPerDay * 3600 * (length === 'day' ? 1 : (daysPerWeek[hoursPerDay] ?? workingDaysPerWeek))
