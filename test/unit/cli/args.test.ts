import { describe, expect, it } from 'vitest'
import type { Options } from '../../../src/app/option-values.ts'
import { commonOptions, dropOptions, parseWords, withSources } from '../../../src/cli/args.ts'

const options: Options = {
  ...commonOptions,
  results: { kind: 'path', alias: 'o', text: '' },
  concurrency: { kind: 'count', least: 1, alias: 'c', default: 10, text: '' },
  dryRun: { kind: 'flag', text: '' },
}
const parsed = (...words: string[]) => parseWords(words, options, name => new Error(`unknown ${name}`))
const flags = (...words: string[]) => parsed(...words).flags

describe('the words of a command line', () => {
  it('are sources and flags, in any order, and what follows -- is no flag', () => {
    expect(parsed('a.csv', '--results', 'r', '-', '-c5', '--', '-odd.csv')).toEqual({
      positionals: ['a.csv', '-', '-odd.csv'],
      flags: { results: 'r', concurrency: '5' },
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
    expect(flags('--dry-run').dryRun).toBe(true)
    expect(flags('--no-dry-run').dryRun).toBe(false)
    expect(flags('--dry-run=false').dryRun).toBe(false)
    expect(flags().dryRun).toBeUndefined()
    expect(() => flags('--dry-run=maybe')).toThrow('--dry-run: must be true or false')
  })

  it.each([[['--results']], [['-o']], [['--results', '--dry-run']], [['-c', '-o', 'r']]])(
    'that lack a value are refused: %j',
    words => {
      expect(() => flags(...words)).toThrow(/^--(results|concurrency) needs a value/)
    },
  )

  it.each(['--reslts', '-x', '--no-results', '--dryRun', '--constructor', '--no-toString', '--__proto__=1'])(
    'that are unknown are refused: %s',
    word => {
      expect(() => flags(word)).toThrow(/^unknown /)
    },
  )
})

const given = [
  ...['import', '-o', 'log', 'a.csv', '--delimiter=;', '-mmap.yaml', '--no-use-created', '--dry-run'],
  ...['-c', '5', 'b.csv', '--results', 'log', '--limit', '5', '--', '-odd.csv'],
]

describe('the words of an import', () => {
  it('are given again without some options, however they were written', () => {
    expect(dropOptions(given, 'results', 'mapping', 'dry-run')).toEqual([
      ...[
        'import',
        'a.csv',
        '--delimiter=;',
        '--no-use-created',
        '-c',
        '5',
        'b.csv',
        '--limit',
        '5',
        './-odd.csv',
      ],
    ])
  })

  it('are given again for other sources', () => {
    expect(withSources(given, ['bad.csv'])).toEqual([
      ...['import', 'bad.csv', '-o', 'log', '--delimiter=;', '-mmap.yaml', '--no-use-created', '--dry-run'],
      ...['-c', '5', '--results', 'log', '--limit', '5'],
    ])
  })

  it('name a source that begins with a dash so that it is no flag, however often they are given again', () => {
    const again = dropOptions(['import', '--dry-run', '-mm.yaml', '--', '-dash.csv'], 'dry-run')
    expect(dropOptions(again, 'limit')).toEqual(['import', '-mm.yaml', './-dash.csv'])
    expect(withSources(again, ['-bad.csv'])).toEqual(['import', './-bad.csv', '-mm.yaml'])
  })
})
