import { type Problem, problem } from '../../model/problem.ts'
import { onText, type Transform } from './text.ts'

export type DecimalSign = '.' | ','

/** Blanks, ' or the other sign may separate thousands, always the same one. */
function numberPattern(decimal: DecimalSign): RegExp {
  const other = decimal === '.' ? ',' : '\\.'
  const grouped = `\\d{1,3}(?:([\\s'’]|${other})\\d{3})(?:\\3\\d{3})*`
  return new RegExp(`^([+-]?)(${grouped}|\\d*)(?:\\${decimal}(\\d*))?(?:[eE]([+-]?\\d+))?$`)
}

function readParts(text: string, pattern: RegExp) {
  const [, sign = '', digits = '', , fraction = '', exponent = ''] =
    pattern.exec(text.replace('−', '-')) ?? []
  if (digits === '' && fraction === '') return undefined
  return { whole: sign + digits.replaceAll(/\D/g, ''), fraction, exponent }
}

/** Numbers of NDJSON rows pass unchanged. */
export function numberTransform(decimal: DecimalSign): Transform {
  const pattern = numberPattern(decimal)
  const read = onText(text => {
    const parts = readParts(text, pattern)
    if (parts === undefined) return problem('not_number', { decimal })
    return exactly(Number(`${parts.whole}.${parts.fraction || 0}e${parts.exponent || 0}`))
  })
  return value => (typeof value === 'number' ? value : read(value))
}

export function integerTransform(decimal: DecimalSign): Transform {
  const pattern = numberPattern(decimal)
  const read = onText(text => {
    const parts = readParts(text, pattern)
    if (parts === undefined || parts.exponent !== '' || /[1-9]/.test(parts.fraction))
      return problem('not_integer')
    return exactly(Number(parts.whole))
  })
  return value => {
    if (typeof value !== 'number') return read(value)
    return Number.isInteger(value) ? exactly(value) : problem('not_integer')
  }
}

function exactly(value: number): number | Problem {
  const kept = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return kept ? value + 0 : problem('number_too_large')
}
