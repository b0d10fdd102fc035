import { describe, expect, it } from 'vitest'
import { inTime, longestQuick } from '../../../src/mapping/pattern.ts'
import { cases } from '../../support/long.ts'
import { bodyOf, made } from '../../support/mappings.ts'

describe('bounded pattern', () => {
  it.each([
    ['blanks behind a separator', '[,;]\\s*', 1_000],
    ['a word and the rest', '^(\\w+) (.*)$', 100],
    ['a choice of words', '\\b(?:Mr|Mrs|Ms|Dr|Prof)\\b\\.?', 900],
    ['a class of signs', '[*+?(|{]', 10_000_000],
    ['a year in brackets', '\\(\\d{4}\\)', 10_000],
    ['outer blanks', '^\\s+|\\s+$', 900],
    ['the same text again and again', '^([\\s\\S]+?)(?: ::: \\1)+$', 100],
  ])('a bounded pattern searches an ordinary cell without a limit: %s', (_, source, length) => {
    expect(longestQuick(source)).toBeGreaterThanOrEqual(length)
  })

  it.each(['(a+)+', '(?:a|b)*', '((a?)b)+', '(?<n>(x)*y){2,}', '(\\s*\\S)*'])(
    'a bounded pattern with a repeat within a repeat searches only within the limit: %s',
    source => {
      expect(longestQuick(source)).toBeLessThan(2)
    },
  )
})

describe('search in time', () => {
  it('a search in time is repeated if other processes had the time', () => {
    let searches = 0
    const asleep = new Int32Array(new SharedArrayBuffer(4))
    const search = () => {
      searches += 1
      if (searches === 1) Atomics.wait(asleep, 0, 0, 1_500)
      return searches
    }
    expect(inTime(search)).toBe(2)
  })
})

describe('replace', () => {
  const replaced = (pattern: string, to: string, cell: string) =>
    made({ replace: [{ pattern, with: to }] }, cell)

  /** The reason why a cell is refused. */
  const refusal = (pattern: string, to: string, cell: string) => {
    const { refused } = replaced(pattern, to, cell) as { refused: string }
    return refused.slice(refused.indexOf(' fails: ') + 8)
  }

  const endless = [
    ['one with look-around', '^(a+)+(?!b)$'],
    ['a repeat within a repeat', '(a+)+$'],
    ['many repeats side by side', '\\s*(\\S*)\\s*(\\S*)\\s*='],
  ] as const
  it.each(cases(endless, 1))(
    'replace makes a row invalid after about a second of searching: %s',
    (_, pattern) => {
      const startMs = performance.now()
      expect(refusal(pattern, '-', `${'a'.repeat(5_000)}!`)).toBe('it takes too many steps')
      expect(performance.now() - startMs).toBeLessThan(30_000)
      expect(replaced(pattern, '-', 'b')).toBe('b')
    },
  )

  it('replace finds what is there within the limit as well', () => {
    expect(replaced('(\\w+\\s?)+!', '-', 'a word or two!')).toBe('-')
    expect(replaced('^(.+) \\1$', '$1', `${'x'.repeat(40_000)} ${'x'.repeat(40_000)}`)).toBe(
      'x'.repeat(40_000),
    )
  })

  it('replace puts groups and names where the replacement has them, with and without a limit', () => {
    const either = ['(?<first>\\w+) (\\w+)', '(?<first>(?:\\w\\w?)+) (\\w+)']
    for (const pattern of either)
      expect(replaced(pattern, '$2, $<first>', 'Ada Lovelace')).toBe('Lovelace, Ada')
  })

  it('replace refuses a cell that takes too long or grows too much', () => {
    const wide = `<${'\u3000'.repeat(120_000)}>`
    expect(refusal('\\s+(?=;)', '', wide)).toBe('it takes too many steps')
    for (const to of ['$`', "$'", '$&'.repeat(1_000)])
      expect(refusal('[b-z]', to, 'xy'.repeat(6_000))).toBe('its result is larger than a row may be')
    expect(replaced('b', "[$`$$$']", 'abc')).toBe('a[a$c]c')
  })

  it('replace has look-around and back-references in any pattern', () => {
    expect(
      bodyOf({ name: { from: 'A', replace: [{ pattern: '^(a+)+(?!b)', with: '' }] } }, { A: 'aac' }),
    ).toEqual({
      name: 'c',
    })
  })
})
