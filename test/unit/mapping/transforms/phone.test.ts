import fc from 'fast-check'
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, it } from 'vitest'
import { phoneTransform, plainNumber } from '../../../../src/mapping/transforms/phone.ts'
import { isProblem } from '../../../../src/model/problem.ts'
import { repeats } from '../../../support/random.ts'

/** What the library alone makes of a text. */
function byLibrary(text: string, country: CountryCode | undefined): string {
  const number = parsePhoneNumberFromString(text, country)
  if (number?.isPossible()) return number.ext ? `${number.number};ext=${number.ext}` : number.number
  const lacksCountry = country === undefined && !text.startsWith('+') && /\d/.test(text)
  return lacksCountry ? 'phone_without_country' : 'not_phone'
}

const leftToLibrary = (texts: readonly string[], country?: CountryCode) => {
  for (const text of texts) expect([text, plainNumber(text, country)]).toEqual([text, undefined])
}

describe('international number', () => {
  it('an international number is read without the library if nothing about it is in doubt', () => {
    expect(plainNumber('+44 20 7946 0199', undefined)).toBe('+442079460199')
    expect(plainNumber('+1 (202) 555-0100', 'GB')).toBe('+12025550100')
    expect(plainNumber('+49.30.1234567', 'GB')).toBe('+49301234567')
  })

  it('an international number with a prefix, an extension, a letter or an odd length is left to the library', () => {
    leftToLibrary([
      '+44 (0)20 7946 0199',
      '+1 202 555 0100 x12',
      '+1 800 FLOWERS',
      '+4420',
      '+44 20 7946 01999',
      '0',
      '+',
      '++',
      '',
    ])
  })
})

describe('national number', () => {
  it.each([
    ['GB', '+442079460123', ['020 7946 0123', '(020) 7946-0123', '(0)20 7946 0123', '20.7946.0123']],
    ['GB', '+441614960000', ['0161 496 0000', '01614960000', '(0161) 4960000']],
    ['FR', '+33612345678', ['06 12 34 56 78', '06.12.34.56.78', '6 12 34 56 78']],
    ['US', '+14155552671', ['415-555-2671', '(415) 555-2671', '1-415-555-2671', '1 (415) 555.2671']],
    ['DE', '+49301234567', ['030 1234567', '030/1234567', '030 - 123 45 67', '30 1234567']],
    ['IT', '+390612345678', ['06 1234 5678', '06/12345678']],
    ['RU', '+79123456789', ['8 (912) 345-67-89', '912 345 67 89']],
    ['BR', '+5511961234567', ['(11) 96123-4567', '011 96123 4567']],
    ['AR', '+5491123456789', ['9 11 2345 6789']],
    ['VI', '+13402345678', ['1 340 234 5678']],
  ] as const)('a national number of %s is read without the library, as %s', (country, number, texts) => {
    for (const text of texts) {
      expect([text, plainNumber(text, country)]).toEqual([text, number])
      expect([text, byLibrary(text, country)]).toEqual([text, number])
    }
  })

  it('a national number is left to the library if that is not certain', () => {
    const foreign = ['0044 20 7946 0123', '00 33 6 12 34 56 78']
    const odd = [
      '020 7946 0123 x5',
      '020 7946 O123',
      '٠٢٠ ٧٩٤٦ ٠١٢٣',
      '020 7946 0123, 0161 496 0000',
      '020~7946~0123',
    ]
    const lengths = ['', '0', '12', '020 7946', '020 7946 01234', `020${' '.repeat(250)}7946 0123`]
    const onlyInSome = ['0800 1111', '01624 12345'] // of the countries with +44
    leftToLibrary([...foreign, ...odd, ...lengths, ...onlyInSome], 'GB')
    leftToLibrary(['020 7946 0123', '442079460123'])
    leftToLibrary(['7 912 345-67-89'], 'RU') // the code of the country without a plus
    leftToLibrary(['0 15 11 96123-4567'], 'BR') // the code of a carrier
    leftToLibrary(['011 15-2345-6789'], 'AR')
    leftToLibrary(['234-5678'], 'VI')
  })
})

const countries = getCountries()

describe('mobile number of each country', () => {
  const mobiles = countries.flatMap(country => getExampleNumber(country, examples) ?? [])

  it.each([
    ['the national format', (each: (typeof mobiles)[number]) => each.formatNational()],
    ['the international format', (each: (typeof mobiles)[number]) => each.formatInternational()],
    ['national digits', (each: (typeof mobiles)[number]) => each.nationalNumber],
  ])('a mobile number is read without the library in %s', (_, format) => {
    const known = mobiles.map(mobile => ({
      number: mobile.number,
      read: plainNumber(format(mobile), mobile.country),
    }))
    const decided = known.filter(each => each.read !== undefined)
    expect(decided.map(each => each.read)).toEqual(decided.map(each => each.number))
    expect(decided.length).toBeGreaterThan(mobiles.length * 0.95)
  })
})

describe('text', () => {
  /** Of all continents, with and without a national prefix, carrier codes and shared calling codes. */
  const european = 'GB DE FR IT ES PT NL BE CH AT SE NO DK FI PL CZ HU IE RU UA TR'
  const large = `${european} US CA MX BR AR CO IN CN JP KR ID IL SG AU NZ ZA NG KE EG`.split(
    ' ',
  ) as CountryCode[]

  /** What is before a number, C being the calling code. */
  const starts = [
    '',
    '',
    '',
    '',
    '0',
    '0',
    '0',
    '(0)',
    '1',
    '8',
    '06',
    '015',
    '0 31 ',
    '90',
    'C',
    '+C',
    '+C(0)',
    '+C 0',
  ]
  const foreign = ['00C', '011C', '810C', '++C', '\uFF0BC', '+ C', '+', 'tel:', 'tel:+C', 'Tel. ', '-', ' (']
  const ends = [' x12', ' ext. 5', '#3', ' -12#', ';ext=7', ',,3', 'a', ' / 12', ')']
  const usual = ['', ' ', '-', '.', ' (', ') ', '/', ' - ']
  const unusual = ['\u00A0', '\u2011', '~', ',', '\t', 'x', '#', '[', '*', '+']
  const mostly = <T>(likely: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: likely, weight: 9 }, { arbitrary: other, weight: 1 })

  /** What may be meant as a number of a country. */
  const written = fc
    .record({
      country: fc.oneof(fc.constantFrom(...large), fc.constantFrom(...countries)),
      start: fc.constantFrom(...starts, ...foreign),
      national: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 17 }),
      isLikeExample: fc.boolean(),
      groups: fc.array(
        fc.tuple(
          mostly(fc.constantFrom(...usual), fc.constantFrom(...unusual)),
          fc.integer({ min: 1, max: 4 }),
        ),
        { maxLength: 5 },
      ),
      end: mostly(fc.constant(''), fc.constantFrom(...ends)),
      zero: mostly(fc.constant(0x30), fc.constantFrom(0x660, 0x6f0, 0xff10)),
    })
    .map(({ country, start, national, isLikeExample, groups, end, zero }) => {
      const example = getExampleNumber(country, examples)?.nationalNumber ?? '201234567'
      const digits = isLikeExample ? example.slice(0, -5) + national.slice(0, 5).join('') : national.join('')
      const inScript = digits.replace(/\d/g, digit => String.fromCharCode(zero + Number(digit)))
      let [text, at] = [start.replace('C', getCountryCallingCode(country)), 0]
      for (const [sign, length] of groups) {
        text += inScript.slice(at, at + length) + sign
        at += length
      }
      return { country, text: text + inScript.slice(at) + end }
    })

  it('a text is the number that the library makes of it', () => {
    const others = fc.constantFrom('own', 'own', 'own', 'US' as const, undefined)
    fc.assert(
      fc.property(written, others, ({ country: own, text }, other) => {
        const country = other === 'own' ? own : other
        const read = phoneTransform(country, 'keep')(text)
        const [ours, theirs] = [isProblem(read) ? read.code : read, byLibrary(text, country)]
        if (ours !== theirs) expect([country, ours]).toEqual([country, theirs])
      }),
      { numRuns: repeats(20_000) },
    )
  })
})
