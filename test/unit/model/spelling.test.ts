import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyHash, foldedKey } from '../../../src/model/spelling.ts'

describe('a folded key', () => {
  it.each([
    ['leading zeros that a spreadsheet takes off', '0001', '1'],
    ['a whole number with decimals', '17.0', '17'],
    ['a whole number with a decimal comma', '17,00', '17'],
    ['thousands', '1,001', '1001'],
    ['thousands of millions, by points', '1.001.001', '1001001'],
    ['a large number', '1.5E+11', '150000000000'],
    ['case', 'Ada@Example.com', 'ada@example.com'],
    ['case beyond single letters', 'Straße', 'STRASSE'],
    ['composed and decomposed letters', 'Zo\u00eb', 'Zoe\u0308'],
    ['wide letters', 'ＡＢ１', 'ab1'],
    ['non-breaking and repeated blanks', 'a\u00a0 b ', 'a b'],
    ['invisible signs', '\u200b\ufeff00-7', '00-7'],
    ['the sign that makes a cell text', "'0001", '0001'],
    ['a formula that keeps zeros', '="0001"', '0001'],
    ['curly apostrophes', 'O’Neil', "O'Neil"],
    ['dashes', 'A–1', 'a-1'],
    ['a UUID with its prefix', 'urn:uuid:AB-1', 'ab-1'],
    ['each column of a key', '0007|Zoë', '7|ZOË'],
  ])('is the same for %s', (_, one, other) => {
    expect(foldedKey(one)).toBe(foldedKey(other))
  })

  it.each([
    ['1', '2'],
    ['10', '1'],
    ['a', 'b'],
    ['3-1', '31'],
    ['1.5', '15'],
    ['a|b', 'ab'],
    ['0', '1'],
    ['Müller', 'Möller'],
    ['1.234567E+3', '1234'],
  ])('differs for %s and %s', (one, other) => {
    expect(foldedKey(one)).not.toBe(foldedKey(other))
  })

  it('is its own folded form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), key => {
        fc.pre(!/[|=']/.test(key.normalize('NFKC')))
        expect(foldedKey(foldedKey(key))).toBe(foldedKey(key))
      }),
    )
  })
})

describe('the hash of a body', () => {
  it('is the same for both forms of Unicode and both line ends, and differs otherwise', () => {
    const hashes = ['Zoë\r\n', 'Zoe\u0308\n', 'Zoe\n'].map(name => bodyHash(JSON.stringify({ name })))
    expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/)
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[2]).not.toBe(hashes[0])
  })
})
