import { describe, expect, it } from 'vitest'
import { dropOptions, withSources } from '../../../src/cli/argv.ts'

const given = [
  ...['import', '-o', 'log', 'a.csv', '--delimiter=;', '-mmap.yaml', '--no-use-created', '--dry-run'],
  ...['-c', '5', 'b.csv', '--results', 'log', '--limit', '5', '--', '-odd.csv'],
]

describe('the words of a command', () => {
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
