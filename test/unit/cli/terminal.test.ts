import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files } from '../../support/imports.ts'
import { rowlift } from '../../support/rowlift.ts'
import { hasEscapes } from '../../support/terminal.ts'

const tested = `
record: task
body: { name: "{{Name}}" }
tests:
  - { name: good, row: { Name: One }, body: { name: One } }
`
const dryRun = 'import tasks.csv -m task.yaml --dry-run'.split(' ')

describe('command', () => {
  it('the command prints its version, and nothing else', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
    const ended = await rowlift(['--version'], { cwd: await files() })
    expect(ended).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    [[], 'Missing command: import, doctor, init'],
    [['unknown'], 'Unknown command: unknown'],
    [['resolv'], 'did you mean "resolve"?'],
  ])('the command given %j says what it knows, on stderr', async (args, message) => {
    const ended = await rowlift(args, { cwd: await files() })
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(ended.stderr).toContain('rowlift --help lists the commands')
  })

  it('the command writes no escapes if there is no terminal', async () => {
    const cwd = await files()
    const ended = await rowlift([...dryRun, '--log-format', 'pretty'], { cwd, env: { TERM: 'xterm' } })
    expect(hasEscapes(ended.stdout + ended.stderr)).toBe(false)
    await writeFile(join(cwd, 'tested.yaml'), tested)
    expect(hasEscapes((await rowlift(['test', 'tested.yaml'], { cwd })).stdout)).toBe(false)
  })
})
