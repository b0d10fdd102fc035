import { spawnSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cases } from '../support/long.ts'
import { folderWith } from '../support/rowlift.ts'

const main = fileURLToPath(new URL('../../dist/bin/rowlift.cjs', import.meta.url))

/** How each shell calls the function of the script as if the Tab key were pressed behind the words. */
const shells = [
  {
    shell: 'bash',
    args: ['--norc', '-c'],
    press: `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rowlift_yargs_completions; printf '%s\\n' "\${COMPREPLY[@]}"`,
    wordOf: (line: string) => line,
  },
  {
    shell: 'zsh',
    args: ['-f', '-c'],
    press: `words=("$@"); CURRENT=$#; _describe() { print -lr -- \${(P)2} }; _default() {}; _rowlift_yargs_completions`,
    wordOf: (line: string) => line.replace(/(?<!\\):.*$/, '').replace('\\:', ':'),
  },
]

/** The words that a shell offers behind each list of words; none if it is to complete files. */
async function offered(
  { shell, args, press, wordOf }: (typeof shells)[number],
  ...lists: string[][]
): Promise<string[][]> {
  const folder = await folderWith({ rowlift: `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n` })
  await chmod(join(folder, 'rowlift'), 0o755)
  const presses = lists.map(words => `pressed rowlift ${words.join(' ')}; echo =`).join('\n')
  const line = `compdef() { :; }; eval "$(rowlift completion)"; pressed() { ${press}; }\n${presses}`
  const { stdout } = spawnSync(shell, [...args, line], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}`, SHELL: `/bin/${shell}` },
  })
  return stdout
    .split('=\n')
    .slice(0, -1)
    .map(words => words.split('\n').flatMap(line => wordOf(line) || []))
}

describe.each(cases(shells, 1))('completion in $shell', each => {
  const isThere = spawnSync(each.shell, ['-c', 'true']).status === 0

  it.runIf(isThere)(
    'completion in $shell offers commands, options, choices and presets, and else files',
    async () => {
      const [command, option, choice, preset, ...ofFiles] = await offered(
        each,
        ['imp'],
        ['import', '--organ'],
        ['import', '--delivery', 'at-l'],
        ['import', '-m', 'preset:asa'],
        ['import', '-m', 'my'],
        ['import', 'a'],
      )
      expect(command).toContain('import')
      expect(option).toContain('--organization-id')
      expect(choice).toContain('at-least-once')
      expect(preset).toContain('preset:asana')
      expect(ofFiles).toEqual([[], []])
    },
  )
})
