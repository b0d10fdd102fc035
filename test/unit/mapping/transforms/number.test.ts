import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { made } from '../../../support/mappings.ts'
import { repeats } from '../../../support/random.ts'

const point = { refused: 'is not a number with "." as its decimal separator' }
const comma = { refused: 'is not a number with "," as its decimal separator' }
const tooLarge = { refused: 'is too large to be kept exactly as a number; send it as text' }
const notWhole = { refused: 'is not a whole number' }

/** What each text becomes. */
const table = (parts: object, rows: Readonly<Record<string, unknown>>) => {
  for (const [text, expected] of Object.entries(rows))
    expect([text, made(parts, text)]).toEqual([text, expected])
}

describe('number', () => {
  it('a number has a point as its decimal sign unless the mapping says otherwise', () =>
    table(
      { as: 'number' },
      {
        '1': 1,
        '1.5': 1.5,
        ' 0042.50 ': 42.5,
        '-3': -3,
        '+3': 3,
        '−3': -3,
        '.5': 0.5,
        '5.': 5,
        '-0': 0,
        '1e3': 1000,
        '2.5E-1': 0.25,
        '1,5': point,
        '1.2.3': point,
        '.': point,
        '-': point,
        e5: point,
        '5 kg': point,
        $5: point,
        '50%': point,
        NaN: point,
        Infinity: point,
        '0x10': point,
        '1_000': point,
        '--1': point,
        '٣': point,
      },
    ))

  it('a number may have a comma as its decimal separator', () =>
    table(
      { as: 'number', decimal: ',' },
      { '1,5': 1.5, '-0,25': -0.25, ',5': 0.5, '1.5': comma, '1,2,3': comma, '1': 1, '1,234': 1.234 },
    ))

  it('a number may have its thousands separated by blanks, apostrophes or the other sign', () => {
    table(
      { as: 'number' },
      {
        '1,234': 1234,
        '1,234,567.89': 1234567.89,
        '1 234 567': 1234567,
        '1\u00a0234\u202f567': point,
        '1\u202f234,5': point,
        '12’345.5': 12345.5,
        "1'234": 1234,
        '12,34': point,
        '1,2345': point,
        '1234,567': point,
        ',123': point,
        '1,,234': point,
        '1,234 567': point,
        '1.234,567': point,
        '0.123,456': point,
      },
    )
    table(
      { as: 'number', decimal: ',' },
      { '1.234': 1234, '1.234.567,5': 1234567.5, '1\u00a0234,5': 1234.5, '12.34': comma, '1,234.5': comma },
    )
  })

  it('a number is refused when it is too large to be kept', () =>
    table(
      { as: 'number' },
      {
        '9007199254740991': 9007199254740991,
        '9007199254740993': tooLarge,
        '1e400': tooLarge,
        '1e22': tooLarge,
      },
    ))

  it('a number is what it is if an NDJSON row has one, or as its text', () => {
    expect(made({ as: 'number' }, 1.5)).toBe(1.5)
    expect(made({ as: 'number', decimal: ',' }, 1.5)).toBe(1.5)
    expect(made({ as: 'number' }, 0)).toBe(0)
    expect(made({ as: 'number' }, '1.5')).toBe(1.5)
    expect(made({ as: 'number' }, true)).toEqual(point)
  })

  it('a number comes back from its own text, whatever it is', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), number => {
        const kept = !Number.isInteger(number) || Number.isSafeInteger(number)
        expect(made({ as: 'number' }, String(number))).toEqual(kept ? number + 0 : tooLarge)
      }),
      { numRuns: repeats(100) },
    )
  })
})

describe('integer', () => {
  it('an integer is a whole number, and nothing behind its decimal sign but zeros', () => {
    table(
      { as: 'integer' },
      { '7': 7, '-7': -7, '007': 7, '5.0': 5, '1,234': 1234, '5.5': notWhole, '1e3': notWhole, x: notWhole },
    )
    table({ as: 'integer', decimal: ',' }, { '5,00': 5, '1.234': 1234, '5,5': notWhole, '5.5': notWhole })
  })

  it('an integer is refused when it is too large to be kept exactly', () =>
    table({ as: 'integer' }, { '9007199254740991': 9007199254740991, '-9007199254740992': tooLarge }))

  it('an integer is what it is if an NDJSON row has one', () => {
    expect(made({ as: 'integer' }, 5)).toBe(5)
    expect(made({ as: 'integer' }, 5.5)).toEqual(notWhole)
    expect(made({ as: 'integer' }, 1e20)).toEqual(tooLarge)
  })
})
