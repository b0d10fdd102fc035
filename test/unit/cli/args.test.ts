import { describe, expect, it } from 'vitest'
import { importWords, parseWords } from '../../../src/cli/args.ts'
import type { Options } from '../../../src/settings/option-values.ts'
import { importOptions } from '../../../src/settings/options.ts'

const options: Options = {
  results: { kind: 'path', alias: 'o', text: '' },
  concurrency: { kind: 'count', least: 1, alias: 'c', default: 10, text: '' },
  dryRun: { kind: 'flag', text: '' },
}
const flags = async (...words: string[]) => (await parseWords(words, options)).flags

describe('words of a command line', () => {
  it('words of a command line are sources and flags, in any order, up to --', async () => {
    const words = ['a.csv', '--results', 'r', '-', '-c5', '--', '-odd.csv', '--results']
    expect(await parseWords(words, options)).toEqual({
      positionals: ['a.csv', '-', '-odd.csv', '--results'],
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
    [['-o=r'], 'r'],
    [['--results', ''], ''],
    [['--results="r"'], '"r"'],
    [['--results', "'"], "'"],
    [['--results', '1.0'], '1.0'],
    [['--results', 'true'], 'true'],
    [['-o.hidden'], '.hidden'],
    [
      ['-o', 'a', '--results', 'b'],
      ['a', 'b'],
    ],
  ])('words of a command line give an option its value: %j', async (words, value) => {
    expect((await flags(...words)).results).toEqual(value)
  })

  it('words of a command line say yes and no', async () => {
    expect((await flags('--dry-run')).dryRun).toBe(true)
    expect((await flags('--no-dry-run')).dryRun).toBe(false)
    expect((await flags('--dry-run=false')).dryRun).toBe(false)
    expect((await flags()).dryRun).toBeUndefined()
    await expect(flags('--dry-run=maybe')).rejects.toThrow('--dry-run: must be true or false')
  })

  it.each([[['--results']], [['-o']], [['--results', '--dry-run']], [['-c', '-o', 'r']]])(
    'words of a command line that lack a value are refused: %j',
    async words => {
      await expect(flags(...words)).rejects.toThrow(/^--(results|concurrency) needs a value/)
    },
  )

  it.each(['--reslts', '-x', '--no-results', '--dryRun', '--constructor', '--no-toString', '--__proto__=1'])(
    'words of a command line that are unknown are refused: %s',
    async word => {
      await expect(flags(word)).rejects.toThrow(`unknown option ${word.replace('=1', '')}`)
    },
  )
})

const given = [
  ...[
    '-o',
    'log',
    'a.csv',
    '--delimiter=;',
    '-mmap.yaml',
    '--no-use-created',
    '--dry-run',
    '--token-command=-x',
  ],
  ...['-c', '5', 'b.csv', '--limit', '5', '--', '-odd.csv'],
]

describe('words of an import', () => {
  it('words of an import are given again without some options, however they were written', async () => {
    expect(
      importWords(await parseWords(given, importOptions), { without: ['results', 'mapping', 'dryRun'] }),
    ).toEqual([
      ...['import', 'a.csv', 'b.csv', './-odd.csv', '--delimiter', ';', '--no-use-created'],
      ...['--token-command=-x', '-c', '5', '--limit', '5'],
    ])
  })

  it('words of an import are given again for other sources, and mean the same when they are', async () => {
    const first = await parseWords(given, importOptions)
    const again = importWords(first, { sources: ['bad.csv', '-bad.csv'] })
    expect(again.slice(0, 3)).toEqual(['import', 'bad.csv', './-bad.csv'])
    expect((await parseWords(again.slice(1), importOptions)).flags).toEqual(first.flags)
  })

  it('words of an import name an option as often as it was given', async () => {
    const twice = await parseWords(['a.csv', '--limit', '1', '--limit', '2'], importOptions)
    expect(importWords(twice)).toEqual(['import', 'a.csv', '--limit', '1', '--limit', '2'])
  })
})
