import { describe, expect, it } from 'vitest'
import type { Options } from '../../../src/app/options.ts'
import { commonOptions, parseWords } from '../../../src/cli/args.ts'

const options: Options = {
  ...commonOptions,
  results: { type: 'string', alias: 'o', describe: '' },
  concurrency: { type: 'string', alias: 'c', describe: '' },
  port: { type: 'number', default: 8787, describe: '' },
  'dry-run': { type: 'boolean', describe: '' },
}
const parsed = (...words: string[]) => parseWords(words, options, name => new Error(`unknown ${name}`))
const flags = (...words: string[]) => parsed(...words).flags

describe('the words of a command line', () => {
  it('are sources and flags, in any order, and what stands behind -- is no flag', () => {
    expect(parsed('a.csv', '--results', 'r', '-', '-c5', '--', '-odd.csv')).toEqual({
      positionals: ['a.csv', '-', '-odd.csv'],
      flags: { results: 'r', concurrency: '5', port: 8787 },
    })
  })

  it.each([
    [['--results', '-'], '-'],
    [['-o', '-'], '-'],
    [['-or.ndjson'], 'r.ndjson'],
    [['--results=--dry-run'], '--dry-run'],
    [['--results='], ''],
    [['--results', '-5'], '-5'],
    [
      ['-o', 'a', '--results', 'b'],
      ['a', 'b'],
    ],
  ])('give an option its value: %j', (words, value) => {
    expect(flags(...words).results).toEqual(value)
  })

  it('say yes and no', () => {
    expect(flags('--dry-run')['dry-run']).toBe(true)
    expect(flags('--no-dry-run')['dry-run']).toBe(false)
    expect(flags('--dry-run=false')['dry-run']).toBe(false)
    expect(flags()['dry-run']).toBeUndefined()
    expect(() => flags('--dry-run=maybe')).toThrow('--dry-run: must be true or false')
  })

  it('are numbers where an option is one', () => {
    expect([flags('--port', '0').port, flags('--port=x').port]).toEqual([0, Number.NaN])
  })

  it.each([[['--results']], [['-o']], [['--results', '--dry-run']], [['-c', '-o', 'r']]])(
    'that lack a value are refused: %j',
    words => {
      expect(() => flags(...words)).toThrow(/^--(results|concurrency) needs a value/)
    },
  )

  it.each(['--reslts', '-x', '--no-results', '--constructor', '--no-toString', '--__proto__=1'])(
    'that nobody knows are refused: %s',
    word => {
      expect(() => flags(word)).toThrow(/^unknown /)
    },
  )
})
