import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../../../src/report/command-line.ts'

const words = ["it's 7", 'a b', '-x', '$HOME `id` "q" \\', '', 'Zoë|7', 'a\nb\tc\\d', "it's\u001b[31m\u007f"]

describe('a command line', () => {
  it('is read back by a shell as it was meant', async () => {
    const typed = commandLine(words).replace(/^rowlift/, `printf '%s\\0'`)
    const { stdout } = await promisify(execFile)('bash', ['-c', typed], { env: { LC_ALL: 'C.UTF-8' } })
    expect(stdout.split('\0').slice(0, -1)).toEqual(words)
  })

  it('has nothing in it that a terminal obeys or that cannot be seen', () => {
    expect(commandLine(['--key', 'a\nb\u202e', '\u0085'])).toBe(`rowlift --key $'a\\012b\\u202e' $'\\u0085'`)
  })
})
