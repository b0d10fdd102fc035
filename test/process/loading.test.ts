import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../support/rowlift.ts'

const dist = new URL('../../dist/', import.meta.url)
const rowlift = fileURLToPath(new URL('bin/rowlift.cjs', dist))
const node = (...args: string[]) => promisify(execFile)(process.execPath, args)

/** The files of the bundle that a command loads, without the marks of their contents. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const told = `process.once('exit', () => console.error('LOADED ' + Object.keys(require.cache)))`
  const cwd = await folderWith({
    'told.cjs': told,
    't.csv': 'Name\nOne\n',
    't.yaml': 'record: task\nbody: { name: "{{Name}}" }\n',
  })
  const run = promisify(execFile)(process.execPath, ['--require', './told.cjs', rowlift, ...args], { cwd })
  const { stderr } = await run
  const [, files = ''] = /LOADED (.*)/.exec(stderr) ?? []
  return files.split(',').map(file => (file.split('/').at(-1) ?? '').replace(/(-[\w-]{8})?\.cjs$/, ''))
}

describe('loading', () => {
  it('the command does nothing by itself', async () => {
    const program = `
      const state = () => JSON.stringify([process.eventNames(), process.exitCode, process.env, process.cwd()])
      const before = state()
      await import('${new URL('cli/cli.js', dist)}')
      await import('${new URL('cli/context.js', dist)}')
      console.log(before === state())`
    expect(await node('--input-type=module', '--eval', program)).toEqual({ stdout: 'true\n', stderr: '' })
  })

  it('loading is only of what a command needs', async () => {
    const rare = [
      'iconv-lite',
      'jsonata',
      'libphonenumber-js',
      'luxon',
      'markdown-it',
      'pino-pretty',
      'progress-bar',
      'zip',
      'zstd',
    ]
    const dryRun = await loadedBy('import', 't.csv', '-m', 't.yaml', '--dry-run', '--log-format', 'json')
    expect(dryRun).toEqual(expect.arrayContaining(['rowlift', 'run-import', 'predict']))
    for (const name of [
      ...rare,
      'deliver',
      'run-init',
      'page',
      'metrics',
      'run-sandbox',
      'help',
      'load-plan',
      'lock',
      'sheet-reader',
      'json-list',
    ])
      expect(dryRun).not.toContain(name)
    const version = await loadedBy('--version')
    for (const name of [...rare, 'run-import', 'help', 'yargs', 'notices', 'words'])
      expect(version).not.toContain(name)
    const help = await loadedBy('import', '--help')
    for (const name of ['run-import', 'yargs']) expect(help).not.toContain(name)
  })
})
