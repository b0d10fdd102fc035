import fc from 'fast-check'
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, it } from 'vitest'
import { internationalNumber } from '../../../../src/mapping/transforms/contact.ts'

/** What the library makes of a text. */
function byLibrary(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text)
  return number?.isPossible() ? number.number : undefined
}

const agrees = (text: string) => {
  const known = internationalNumber(text)
  if (known !== undefined) expect([text, known]).toEqual([text, byLibrary(text)])
  return known !== undefined
}

describe('an international number', () => {
  it('is read without the library where nothing about it is in doubt', () => {
    expect(internationalNumber('+44 20 7946 0199')).toBe('+442079460199')
    expect(internationalNumber('+1 (202) 555-0100')).toBe('+12025550100')
    expect(internationalNumber('+49.30.1234567')).toBe('+49301234567')
  })

  it('is left to the library with a national prefix, an extension, a letter, or a length that is not usual', () => {
    for (const text of [
      '+44 020 7946 0199',
      '+1 202 555 0100 x12',
      '+1 800 FLOWERS',
      '+4420',
      '+44 20 7946 01999',
      '0',
      '+',
      '',
    ])
      expect([text, internationalNumber(text)]).toEqual([text, undefined])
  })

  it('is what the library makes of it in every country', () => {
    const mobiles = getCountries().flatMap(
      country => getExampleNumber(country, examples)?.formatInternational() ?? [],
    )
    expect(mobiles.filter(agrees).length).toBeGreaterThan(mobiles.length / 2)
  })

  it('is what the library makes of it, whatever its digits and signs are', () => {
    const codes = [...new Set(getCountries().map(country => String(getCountryCallingCode(country))))]
    const national = fc.array(
      fc.tuple(fc.constantFrom('', '', '', ' ', '-', '.', ' (', ') '), fc.stringMatching(/^\d{1,4}$/)),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    fc.assert(
      fc.property(fc.constantFrom(...codes), national, (code, parts) => {
        agrees(`+${code}${parts.flat().join('')}`)
      }),
      { numRuns: 5000 },
    )
  })
})
