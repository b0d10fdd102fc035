import { type Problem, problem } from '../../model/problem.ts'
import type { Rule } from '../rule.ts'
import { onText, type Transform } from '../scope.ts'

type DecimalSign = NonNullable<Rule['decimal']>

/** Blanks, ' or the other sign may separate thousands, always the same one. */
function numberPattern(decimal: DecimalSign): RegExp {
  const other = decimal === '.' ? ',' : '\\.'
  const grouped = `\\d{1,3}(?:([\\s'’]|${other})\\d{3})(?:\\3\\d{3})*`
  return new RegExp(`^([+-]?)(${grouped}|\\d*)(?:\\${decimal}(\\d*))?(?:[eE]([+-]?\\d+))?$`)
}

/** Reads numbers, or only whole ones. Those of NDJSON rows pass unchanged. */
export function numberTransform(decimal: DecimalSign = '.', isWhole = false): Transform {
  const pattern = numberPattern(decimal)
  const refusal = isWhole ? problem('not_integer') : problem('not_number', { decimal })
  const read = onText(text => {
    const [, sign = '', digits = '', , fraction = '', exponent = ''] =
      pattern.exec(text.replace('−', '-')) ?? []
    if (digits === '' && fraction === '') return refusal
    const whole = sign + digits.replaceAll(/\D/g, '')
    if (!isWhole) return exactly(Number(`${whole}.${fraction || 0}e${exponent || 0}`))
    return exponent !== '' || /[1-9]/.test(fraction) ? refusal : exactly(Number(whole))
  })
  return value => {
    if (typeof value !== 'number') return read(value)
    if (!isWhole) return value
    return Number.isInteger(value) ? exactly(value) : refusal
  }
}

function exactly(value: number): number | Problem {
  const kept = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return kept ? value + 0 : problem('number_too_large')
}

const secondsPer = { milliseconds: 0.001, seconds: 1, minutes: 60, hours: 3600 } as const

/** Seconds in a unit; NaN for days and weeks if the hours of a day are not known. A week has five working days. */
const units: readonly (readonly [RegExp, (hoursPerDay: number) => number])[] = [
  [/^s(ec(ond)?s?)?$/, () => 1],
  [/^m(in(ute)?s?)?$/, () => 60],
  [/^h((ou)?rs?)?$/, () => 3600],
  [/^d(ays?)?$/, hours => hours * 3600],
  [/^w(eeks?)?$/, hours => hours * 3600 * (hours === 24 ? 7 : 5)],
]
const part = /(\d+(?:[.,]\d+)?)\s*([a-z]+)\.?[\s,]*/y
const iso = /^p(?=\d|t\d)((?:\d+(?:[.,]\d+)?[wd])*)(?:t((?:\d+(?:[.,]\d+)?[hms])+))?$/
const clock = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/

/** Reads `1h 30m`, `1:30` (hours and minutes), `PT1H` or a number of the input unit. Days need `hours_per_day`; with 24 a week has seven. */
export function durationTransform({ unit = 'hours', input_unit = unit, hours_per_day }: Rule): Transform {
  const read = (text: string): number | Problem => {
    if (/^\d+([.,]\d+)?$/.test(text))
      return input_unit === unit
        ? toNumber(text)
        : (toNumber(text) * secondsPer[input_unit]) / secondsPer[unit]
    const seconds = readSeconds(text.toLowerCase(), hours_per_day)
    return typeof seconds === 'number' ? seconds / secondsPer[unit] : seconds
  }
  return onText(text => {
    const duration = read(text)
    return duration === Infinity ? problem('number_too_large') : duration
  })
}

const toNumber = (text: string) => Number(text.replace(',', '.'))

function readSeconds(text: string, hoursPerDay = Number.NaN) {
  const [, hours, minutes, seconds = 0] = clock.exec(text) ?? []
  if (hours !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const [, days = '', times = ''] = iso.exec(text) ?? []
  return sumOfParts(days + times || text, hoursPerDay)
}

function sumOfParts(text: string, hoursPerDay: number) {
  let sum = 0
  let end = 0
  for (part.lastIndex = 0; end < text.length; end = part.lastIndex) {
    const [, amount, word = ''] = part.exec(text) ?? []
    const seconds = units.find(([pattern]) => pattern.test(word))?.[1](hoursPerDay)
    if (amount === undefined || seconds === undefined) return problem('not_duration')
    if (Number.isNaN(seconds)) return problem('unknown_day_length')
    sum += toNumber(amount) * seconds
  }
  return sum
}
