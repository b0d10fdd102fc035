import { describe, expect, it } from 'vitest'
import { importSettings } from '../../../src/app/import-settings.ts'
import { optionValues } from '../../../src/cli/option-values.ts'
import { recordTypes } from '../../../src/records/kinds.ts'
import { files } from '../../support/imports.ts'
import { rowlift } from '../../support/rowlift.ts'

/** What the built command answers a shell. */
async function answerTo(words: readonly string[], shell = 'bash'): Promise<string[]> {
  const ended = await rowlift(['--get-yargs-completions', 'rowlift', ...words], {
    cwd: await files(),
    env: { SHELL: `/bin/${shell}` },
  })
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' })
  return ended.stdout.split('\n').filter(line => line !== '')
}

describe('completion', () => {
  it('knows the commands, and tells what they do where the shell shows it', async () => {
    expect(await answerTo([''])).toEqual(
      expect.arrayContaining(['import', 'init', 'test', 'report', 'resolve', 'sandbox', 'completion']),
    )
    expect(await answerTo(['imp'], 'zsh')).toContainEqual(expect.stringMatching(/^import:Create one record/))
  })

  it('knows the options of each command, those that are not given yet', async () => {
    expect(await answerTo(['import', '--d'])).toEqual(expect.arrayContaining(['--dry-run', '--delivery']))
    expect(await answerTo(['import', '--dry-run', '--'])).not.toContain('--dry-run')
    expect(await answerTo(['resolve', '-'])).toEqual(expect.arrayContaining(['--record-id', '--not-created']))
    expect(await answerTo(['resolve', '-'])).not.toContain('--mapping')
    expect((await answerTo(['import', '--'])).filter(word => /^--\w$/.test(word))).toEqual([])
  })

  it.each([
    [
      ['import', '--delivery', ''],
      ['at-most-once', 'at-least-once'],
    ],
    [
      ['import', '--in-doubt', 'h'],
      ['hold', 'resend'],
    ],
    [
      ['import', '--format', '=', 'n'],
      ['csv', 'ndjson'],
    ],
    [
      ['import', '--format=n'],
      ['--format=csv', '--format=ndjson'],
    ],
    [
      ['init', '--record', ''],
      ['contact', 'task'],
    ],
    [['import', 'a.csv', '--log-level', ''], [...(optionValues['log-level'] ?? [])]],
    [
      ['completion', ''],
      ['bash', 'zsh'],
    ],
    [['import', ''], [':files']],
    [['import', '--dry-run', ''], [':files']],
    [['import', '-o', ''], [':files']],
    [['import', '--none-such', ''], [':files']],
    [['resolve', ''], [':files']],
    [['report', ''], [':files']],
    [['report', 'r.ndjson', '--output', ''], [':files']],
  ])('of %j offers %j', async (words, answer) => {
    expect(await answerTo(words)).toEqual(answer)
  })

  it('offers presets and files as mapping', async () => {
    for (const words of [
      ['import', '--mapping', ''],
      ['import', '-m', 'pre'],
      ['test', ''],
    ])
      expect(await answerTo(words)).toEqual(expect.arrayContaining(['preset:asana', ':files']))
    expect(await answerTo(['import', '-m', 'preset', ':', 'as'])).not.toContain(':files')
    expect(await answerTo(['import', '-m', 'preset:as'], 'zsh')).toContain('preset\\:asana')
  })

  it('offers only what the options take', () => {
    const shape: Record<string, { safeParse(value: unknown): { success: boolean } }> = importSettings.shape
    for (const [option, values] of Object.entries(optionValues))
      for (const value of values)
        if (option === 'record') expect(recordTypes).toContain(value)
        else expect([option, value, shape[option]?.safeParse(value).success]).toEqual([option, value, true])
  })

  it('prints the script of the shell in use, or of the one that is named', async () => {
    const cwd = await files()
    const inShell = (args: string[], SHELL: string) =>
      rowlift(['completion', ...args], { cwd, env: { SHELL } })
    expect((await inShell([], '/usr/bin/zsh')).stdout).toMatch(/^#compdef rowlift\n/)
    expect((await inShell([], '/bin/bash')).stdout).toContain('complete -o bashdefault')
    expect((await inShell(['bash'], '/usr/bin/zsh')).stdout).toContain('complete -o bashdefault')
    expect(await inShell([], '/usr/bin/fish')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'there is no completion for fish; name the shell: rowlift completion bash or zsh',
      ),
    })
  })
})
