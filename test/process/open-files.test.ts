import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { folderWith, outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { inBash } from '../support/terminal.ts'

it.each([
  [50, 30],
  [21, 1],
])(
  'a process that may open only %i files says so before it sends anything, for -c %i',
  async (limit, concurrency) => {
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', `${concurrency}`)
    const { exitCode, stderr } = await inBash(`ulimit -n ${limit}; rowlift ${args.join(' ')}`, cwd)
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/not open enough files.* more \(ulimit -n\)/),
    ])
    expect(service.calls).toEqual([])
  },
)

it('a process that may open just enough files makes every row', async () => {
  const service = await startService({ latencyMs: 20 })
  const cwd = await files({ 'tasks.csv': tasks(120) })
  const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '20', '--retries', '0')
  const limited = (limit: number) => inBash(`ulimit -n ${limit}; rowlift ${args.join(' ')}`, cwd)
  const { stderr } = await limited(40)
  const more = Number(/allow (\d+) more/.exec(stderr)?.[1])
  expect((await limited(40 + more)).exitCode).toBe(0)
  expect(service.made).toHaveLength(120)
})

it('a call for which the system gives no connection was never sent', async () => {
  const cwd = await files()
  const url = 'http://[fe80::1]:9' // an address without its interface
  await rowlift(importOf('tasks.csv', 'task.yaml', url, '--allow-http', '--retries', '0'), { cwd })
  const neverReached = { status: 'failed', errors: [{ code: 'never_reached' }] }
  expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject(Array(5).fill(neverReached))
})

/** Makes each close of a file of some names fail, once it is closed. */
const closeFails = `
const promises = require('node:fs/promises')
const { open } = promises
promises.open = async (path, ...rest) => {
  const file = await open(path, ...rest)
  const close = file.close.bind(file)
  file.close = async () => {
    await close()
    if (new RegExp(process.env.FAILS).test(path)) throw Object.assign(new Error('close'), { code: 'EDQUOT' })
  }
  return file
}
require('node:module').syncBuiltinESMExports()
`

it.each([
  ['results.ndjson$', 'results.ndjson: cannot be written (EDQUOT)'],
  ['inflight\\..+new$', 'results.ndjson.inflight: cannot be written (EDQUOT)'],
  ['rejected', 'rejected.csv: cannot be written (EDQUOT)'],
])(
  'a file %s that cannot be closed is no defect: the run ends with 3 and every row has its outcome',
  async (FAILS, words) => {
    const service = await startService()
    const cwd = await files()
    const preload = join(await folderWith({ 'fails.cjs': closeFails }), 'fails.cjs')
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--rejects', 'rejected.csv')
    const { ended } = start(args, { cwd, env: { FAILS, NODE_OPTIONS: `--require ${preload}` } })
    expect(await ended).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(words) })
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(5)
    expect(service.made).toHaveLength(5)
  },
)

it('a preview that cannot be closed is no defect', async () => {
  const cwd = await files()
  const preload = join(await folderWith({ 'fails.cjs': closeFails }), 'fails.cjs')
  const args = ['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run', '--preview', 'seen.ndjson']
  const { ended } = start(args, { cwd, env: { FAILS: 'seen', NODE_OPTIONS: `--require ${preload}` } })
  expect(await ended).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('seen.ndjson: cannot be written'),
  })
})
