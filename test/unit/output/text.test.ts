import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandLine, fold, grouped, perSecond, spanOf } from '../../../src/output/text.ts'

describe('numbers for people', () => {
  it.each([
    [400, '0.4 s'],
    [9_940, '9.9 s'],
    [12_300, '12 s'],
    [59_400, '59 s'],
    [59_600, '59 s'],
    [60_000, '1 min 0 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
  ])('numbers for people: %i ms are %s', (ms, text) => {
    expect(spanOf(ms)).toBe(text)
  })

  it('numbers for people group their thousands', () => {
    expect(grouped(1_234_567)).toBe('1,234,567')
  })

  it('numbers for people give a pace with as many digits as it deserves', () => {
    expect(perSecond(5, 10_000)).toBe('0.5')
    expect(perSecond(123_456, 10_000)).toBe('12,346')
    expect(perSecond(5, 0)).toBe('0.0')
  })
})

const words = ["it's 7", 'a b', '-x', '$HOME `id` "q" \\', '', 'Zoë|7', 'a\nb\tc\\d', "it's\u001b[31m\u007f"]

describe('a command line', () => {
  it('a command line is read back by a shell as it was meant', async () => {
    const typed = commandLine(words).replace(/^rowlift/, `printf '%s\\0'`)
    const { stdout } = await promisify(execFile)('bash', ['-c', typed], { env: { LC_ALL: 'C.UTF-8' } })
    expect(stdout.split('\0').slice(0, -1)).toEqual(words)
  })

  it('a command line has nothing in it that a terminal obeys or that cannot be seen', () => {
    expect(commandLine(['--key', 'a\nb\u202e', '\u0085'])).toBe(`rowlift --key $'a\\012b\\u202e' $'\\u0085'`)
  })
})

describe('the text that the search compares', () => {
  it.each([
    ['José-7', 'jose-7'],
    ['JOSÉ', 'jose'],
    ['Ｗｉｄｅ', 'wide'],
    ['Straße', 'straße'],
  ])('the text that the search compares has no accents and no capitals: %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })
})
