import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files } from '../support/imports.ts'
import { inBash } from '../support/terminal.ts'

describe('completion', () => {
  it('works in bash', async () => {
    const cwd = await files({ 'my map.yaml': '' })
    await mkdir(join(cwd, 'maps'))
    const completing = (...words: string[]) =>
      `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _rowlift; (IFS='|'; echo "\${COMPREPLY[*]}")`
    const { stdout, stderr } = await inBash(
      [
        'eval "$(rowlift completion bash)"',
        completing('rowlift', 'comp'),
        completing('rowlift', 'import', '--delivery', '=', 'at-m'),
        completing('rowlift', 'import', '-m', 'preset', ':', 'asa'),
        completing('rowlift', 'import', '-m', 'm'),
        completing('rowlift', 'import', 'ta'),
        'complete -p rowlift',
      ].join('\n'),
      cwd,
    )
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      'completion',
      'at-most-once',
      'asana',
      expect.stringMatching(/^(?=.*my map\.yaml)(?=.*map\.yaml)(?=.*maps)/),
      '', // files, by the shell itself
      'complete -o bashdefault -o default -F _rowlift rowlift',
      '',
    ])
  })
})
