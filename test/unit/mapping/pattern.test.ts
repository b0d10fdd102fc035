import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedPattern } from '../../../src/mapping/pattern.ts'
import { EvaluationEnd } from '../../../src/mapping/scope.ts'
import { faultsIn, made } from '../../support/mappings.ts'

const far = 10_000_000
const searched = (source: string, flags: string, text: string) =>
  new BoundedPattern(source, flags).for(text.padEnd(far))

describe('a bounded pattern', () => {
  it.each([
    ['[,;]\\s*', 1_000],
    ['^(\\w+) (.*)$', 100],
    ['\\b(?:Mr|Mrs|Ms|Dr|Prof)\\b\\.?', 900],
    ['[*+?(|{]', far],
    ['\\(\\d{4}\\)', 10_000],
    ['^\\s+|\\s+$', 900],
  ])('is the native one where its choices cannot take long: %s', (source, length) => {
    const pattern = new BoundedPattern(source, 'gu')
    expect(pattern.for('x'.repeat(length))).toBe(pattern.native)
  })

  it.each(['(a+)+', '(?:a|b)*', '((a?)b)+', '(?<n>(x)*y){2,}', '(\\s*\\S)*'])(
    'is never native: %s',
    source => {
      const pattern = new BoundedPattern(source, 'g')
      expect(pattern.for('xx')).not.toBe(pattern.native)
      expect(pattern.isEndless).toBe(false)
    },
  )

  it('finds the same in a long text as in a short one', () => {
    const part = fc.constantFrom(
      ...[
        '\\s',
        '\\S',
        '.',
        '[\\s,]',
        '[^\\S\\n]',
        '[^.]',
        '\\w',
        '\\d',
        '\\.',
        'é',
        '\\u00e9',
        '^',
        '$',
        '\\b',
      ],
      ...['a', '-', '\\/', '(?<n>\\s)', '(b|c)', '(?:\\d,)', '[a-c]', '\\t'],
    )
    const repeated = fc
      .tuple(part, fc.constantFrom('', '', '?', '+', '*', '+?', '{1,2}'))
      .map(([what, times]) => (/^[\^$(]|\\b$/.test(what) ? what : what + times))
    const text = fc.string({
      unit: fc.constantFrom(...'abcxé -,./\n\r\t\u00a0\u2028\ufeff\v7', 'ſ', '\u3000'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.array(repeated, { minLength: 1, maxLength: 4 }), text, (parts, chars) => {
        const source = parts.join('')
        fc.pre(source.split('?<n>').length < 3)
        const { native } = new BoundedPattern(source, 'gu')
        const linear = new BoundedPattern(`${source}(?:(?:Q+)+)?`, 'gu').for('xx')
        const found = (pattern: RegExp | undefined) => {
          const matches: unknown[] = []
          chars.replaceAll(
            pattern ?? /never/g,
            (...match: unknown[]) => `${matches.push(match.slice(0, -1))}`,
          )
          return matches
        }
        expect(found(linear)).toEqual(found(native))
      }),
    )
  })

  it('is kept native where only that knows the syntax', () => {
    expect(() => searched('^(.+) \\1$', 'gu', 'a a')).toThrow(EvaluationEnd)
    expect(new BoundedPattern('^(.+) \\1$', 'gu').isEndless).toBe(false)
    expect(new BoundedPattern('(?=(a+)+$)', 'gu').isEndless).toBe(true)
  })
})

describe('replace', () => {
  const replaced = (pattern: string, to: string, cell: string) =>
    made({ replace: [{ pattern, with: to }] }, cell)

  it('ends on any text', () => {
    const cell = `${'a'.repeat(50_000)}!`
    expect(replaced('(a+)+$', '-', cell)).toBe(cell)
    expect(replaced('(\\w+\\s?)+!', '-', cell)).toBe('-')
    expect(replaced('\\s*(\\S*)\\s*(\\S*)\\s*=', '-', cell.slice(0, 5_000))).toBe(cell.slice(0, 5_000))
  })

  it('puts groups and names where the replacement has them, with either engine', () => {
    const either = ['(?<first>\\w+) (\\w+)', '(?<first>(?:\\w\\w?)+) (\\w+)']
    for (const pattern of either)
      expect(replaced(pattern, '$2, $<first>', 'Ada Lovelace')).toBe('Lovelace, Ada')
  })

  it('refuses a cell that takes too many steps or grows too much', () => {
    const refused = (pattern: string, to: string, cell: string) => {
      const { refused } = replaced(pattern, to, cell) as { refused: string }
      return refused.slice(refused.indexOf(' fails: ') + 8)
    }
    const wide = `<${'\u3000'.repeat(120_000)}>`
    expect(refused('\\s+(?=;)', '', wide)).toBe('it takes too many steps')
    expect(refused('\\s+;|\\s', '', wide)).toBe('it takes too many steps')
    for (const to of ['$`', "$'", '$&'.repeat(1_000)])
      expect(refused('[b-z]', to, 'xy'.repeat(20_000))).toBe('its result is larger than a row may be')
    expect(replaced('b', "[$`$$$']", 'abc')).toBe('a[a$c]c')
  })

  it('refuses a pattern that may never end', () => {
    const mapping =
      'record: task\nbody: { name: { from: A, replace: [{ pattern: "^(a+)+(?!b)", with: "" }] } }'
    expect(faultsIn(mapping)).toEqual([
      expect.stringContaining('m.yaml:2:47: the regular expression ^(a+)+(?!b) may never end on some texts'),
    ])
  })
})
