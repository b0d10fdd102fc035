import { readFileSync } from 'node:fs'
import { chmod, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probe } from '../../../../src/features/doctor/probe.ts'
import { systemClock } from '../../../../src/model/clock.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { files, importing, importOf, startHanging, tasks } from '../../../support/imports.ts'
import { migrating } from '../../../support/migration.ts'
import { pollOptions } from '../../../support/polling.ts'
import { startProxy } from '../../../support/proxy.ts'
import { listening } from '../../../support/raw-service.ts'
import { type Line, linesOf, type RunHere, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'
import { trust } from '../../../support/trust.ts'

/** What the doctor says of the words of an import: its exit code, and each line by its check. */
async function doctor(importArgs: readonly string[], options: RunHere): Promise<Line> {
  const { exitCode, stdout, stderr } = await rowlift(['doctor', ...importArgs.slice(1)], options)
  expect(stderr).toBe('')
  return { exitCode, ...Object.fromEntries(linesOf(stdout).map(line => [line.check, line])) }
}

/** An option takes the place of the one that was given before. */
function withWords(args: readonly string[], [name = '', value = '']: readonly string[]): string[] {
  const at = args.indexOf(name)
  return at < 0 ? [...args, name, value].filter(word => word !== '') : args.toSpliced(at, 2, name, value)
}

describe('rowlift doctor', () => {
  it('rowlift doctor finds nothing wrong if an import would run, sends nothing, and leaves no file', async () => {
    const { service, cwd, args } = await importing(3)
    const before = await readdir(cwd)
    expect(await doctor(args, { cwd })).toEqual({
      exitCode: 0,
      node: expect.objectContaining({ state: 'ok', version: process.versions.node, needed: '20.19' }),
      import: expect.objectContaining({ state: 'ok', record: 'task', rows: 3 }),
      service: expect.objectContaining({
        state: 'ok',
        addresses: ['127.0.0.1'],
        message: expect.stringMatching(/ ms$/),
      }),
      token: { check: 'token', state: 'ok', from: 'ROWLIFT_TOKEN', message: 'from ROWLIFT_TOKEN' },
      log: expect.objectContaining({ state: 'ok', in_doubt: 0, under_way: 0 }),
      disk: expect.objectContaining({ state: 'ok', median_ms: expect.any(Number) }),
      space: expect.objectContaining({ state: 'ok', needed_bytes: 3 * 350 }),
    })
    expect([await readdir(cwd), service.calls]).toEqual([before, []])
  })

  it('rowlift doctor says without options what it needs', async () => {
    const { exitCode, ...found } = await doctor([], { cwd: await tempFolder(), env: { ROWLIFT_TOKEN: '' } })
    expect(Object.values<Line>(found).map(({ check, state }) => `${check} ${state}`)).toEqual([
      'node ok',
      ...['import', 'service', 'token', 'log'].map(check => `${check} skipped`),
    ])
    expect(exitCode).toBe(0)
    expect(found.service.message).toMatch(/^--base-url is required/)
  })

  it('rowlift doctor checks each step of a plan, and once what the steps share', async () => {
    const { cwd, args, service } = await migrating({ 'p.csv': 'Name,Email\nAda,ada@x.example\n' })
    const { exitCode, stdout, stderr } = await rowlift(['doctor', ...args.slice(1)], { cwd })
    const lines = linesOf(stdout).map(({ check, step = '', state, message }) => [
      `${check} ${step}`,
      state,
      message,
    ])
    const ofStep = (step: string) => ['import', 'log', 'disk', 'space'].map(check => `${check} ${step}`)
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(lines.map(([check]) => check)).toEqual([
      'node ',
      'import organizations',
      ...['service ', 'token '],
      ...ofStep('organizations').slice(1),
      ...ofStep('people').slice(0, 3),
      ...ofStep('tasks'),
    ])
    const failed = lines.filter(([, state]) => state === 'fail')
    expect(failed).toEqual([['import people', 'fail', expect.stringContaining('Company')]])
    expect(service.calls).toEqual([])
  })

  it('rowlift doctor tells people in a line each', async () => {
    const { cwd, args } = await importing(3)
    const { stdout } = await rowlift(['doctor', ...args.slice(1), '--token-file', 'none'], {
      cwd,
      onTerminal: true,
    })
    const lines = stdout.split('\n')
    expect(lines.map(line => line.slice(0, 9))).toEqual([
      '✓ node   ',
      '✓ import ',
      '✓ service',
      '✗ token  ',
      '✓ log    ',
      '✓ disk   ',
      '✓ space  ',
      '',
    ])
    expect(lines[1]).toBe('✓ import  about 3 rows: tasks')
    expect(lines[3]).toBe('✗ token   none: there is no such token file')
  })

  it.each([
    ['a source', { 'tasks.csv': 'Key,Title\n1,x\n' }, [], 'import', 'Name'],
    ['a mapping', { 'task.yaml': 'record: task\nbody: { nam: x }\n' }, [], 'import', 'nam'],
    ['a token', { t: 'of mine\n' }, ['--token-file', 't'], 'token', 'characters that a token cannot have'],
    ['a token command', {}, ['--token-command', 'false'], 'token', 'false: printed no token (exit code 1)'],
    [
      'the folder of the log',
      {},
      ['-o', 'none/r.ndjson'],
      'log',
      'the result log cannot be written (ENOENT)',
    ],
    [
      'a log of something else',
      { 'r.ndjson': '{"a":1}\n' },
      ['-o', 'r.ndjson'],
      'log',
      'is not a result log',
    ],
    ['an address', {}, ['--base-url', 'http://127.0.0.1:1'], 'service', '(ECONNREFUSED); check its address'],
    [
      'a plain address',
      {},
      ['--base-url', 'http://x.example'],
      'service',
      'would send the token unencrypted',
    ],
  ])(
    'rowlift doctor fails by %s that no import could use, and goes on',
    async (_what, changes, words, check, message) => {
      const cwd = await files({ 'tasks.csv': tasks(2), ...changes })
      const args = importOf('tasks.csv', 'task.yaml', 'http://127.0.0.1:1')
      const found = await doctor(withWords(args, words), { cwd })
      expect(found).toMatchObject({
        exitCode: 1,
        [check]: { state: 'fail', message: expect.stringContaining(message) },
        node: { state: 'ok' },
      })
      expect(JSON.stringify(found)).not.toContain('of mine')
    },
  )

  it('rowlift doctor warns of a log and a token that others can read', async () => {
    const { cwd, args, log } = await importing(2, {}, '--token-file', 'token')
    await writeFile(join(cwd, 'token'), 'a-secret-token')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    await chmod(join(cwd, 'token'), 0o604)
    await chmod(log, 0o644)
    expect(await doctor(args, { cwd })).toMatchObject({
      exitCode: 0,
      token: { state: 'warn', message: expect.stringMatching(/chmod 600 token$/) },
      log: { state: 'warn', message: expect.stringMatching(/chmod 600 results.ndjson$/) },
      space: { needed_bytes: 0 },
    })
  })

  it('rowlift doctor leaves a log as it is, and names its rows in doubt', async () => {
    const { cwd, args, log } = await importing(2, { react: () => ({ cut: 'after creating' }) })
    await rowlift(args, { cwd })
    const before = await readFile(log, 'utf8')
    expect((await doctor(args, { cwd })).log).toMatchObject({
      state: 'warn',
      in_doubt: 2,
      message: expect.stringMatching(/2 rows in doubt: rowlift resolve results.ndjson$/),
    })
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('rowlift doctor names the run that holds the log, and later what a killed run left', async () => {
    const { cwd, ended, process: child } = await startHanging()
    const args = importOf('tasks.csv', 'task.yaml', 'http://127.0.0.1:1', '--lock-timeout', '1')
    expect((await doctor(args, { cwd })).log).toMatchObject({
      state: 'warn',
      under_way: 0,
      lock: { is_held: true, holder: { pid: child.pid } },
      message: expect.stringContaining(`wait for the run that holds it: pid ${child.pid} on `),
    })
    child.kill('SIGKILL')
    await ended
    const before = await readdir(cwd)
    expect((await doctor(args, { cwd })).log).toMatchObject({
      under_way: 2,
      lock: { is_held: false },
      message: expect.stringContaining('; 2 rows in doubt, with 2 calls of a killed run: rowlift'),
    })
    expect(await readdir(cwd)).toEqual(before)
  })

  it('rowlift doctor fails if a run would: without the log of a lookup, or the organization', async () => {
    const cwd = await files({
      'tasks.csv': tasks(2),
      'task.yaml':
        'record: task\nlookups: { them: { results: gone.ndjson } }\nbody: { name: { from: Name, lookup: them } }\n',
    })
    const args = importOf('tasks.csv', 'task.yaml', 'http://127.0.0.1:1')
    expect((await doctor(args, { cwd })).import).toMatchObject({
      state: 'fail',
      message: 'about 2 rows: tasks; run the import that writes gone.ndjson first',
    })
    const at = args.indexOf('--organization-id')
    expect((await doctor(args.toSpliced(at, 2), { cwd })).import).toMatchObject({
      state: 'skipped',
      message: expect.stringMatching(/^--organization-id is required/),
    })
  })

  it('rowlift doctor fails if the log of a large source does not fit', async () => {
    const cwd = await files({ 'tasks.csv': tasks(20_000) })
    await truncate(join(cwd, 'tasks.csv'), 8e12)
    const { exitCode, space } = await doctor(importOf('tasks.csv', 'task.yaml', 'http://127.0.0.1:1'), {
      cwd,
    })
    await rm(join(cwd, 'tasks.csv'))
    expect([exitCode, space]).toMatchObject([
      1,
      { state: 'fail', message: expect.stringMatching(/MB needed; free some/) },
    ])
  })

  it('rowlift doctor reads no standard input, which is for the run', async () => {
    const { cwd, args } = await importing(3)
    const [, , ...rest] = args
    expect((await doctor(['import', '-', ...rest], { cwd, stdin: 'nothing of this' })).import).toMatchObject({
      state: 'ok',
      message: 'tasks',
    })
  })
})

describe('way to the service', () => {
  const never = () => listening(createServer(socket => socket.resume()))
  const secure = new URL('https://service.test')
  const inTls = (name: string) =>
    readFileSync(new URL(`../../../support/tls/${name}`, import.meta.url), 'utf8')
  const startSecure = (certificate: string) =>
    startService({ tls: { key: inTls('key.pem'), cert: inTls(certificate) } })

  it('the way to the service goes through the proxy that a variable names, and says so', async () => {
    const { service, cwd, args } = await importing(3)
    const proxy = await startProxy({ port: service.port })
    const env = { http_proxy: proxy.url.replace('//', '//ada:love@') }
    const far = args.map(word => (word === service.url ? 'http://service.test' : word))
    const { exitCode, service: way } = await doctor([...far, '--allow-http'], { cwd, env })
    expect([exitCode, way]).toMatchObject([
      0,
      { host: 'service.test', through: `${new URL(proxy.url).host} (http_proxy)` },
    ])
    expect([proxy.asked, service.calls]).toEqual([['CONNECT service.test:80'], []])
  })

  it('the way to the service ends at a proxy that asks for a password', async () => {
    const { cwd, args } = await importing(3)
    const { url } = await startProxy({ port: 1, refuses: () => 407 })
    const far = withWords(args, ['--base-url', 'https://service.test'])
    expect((await doctor(far, { cwd, env: { ALL_PROXY: url } })).service).toMatchObject({
      state: 'fail',
      message: expect.stringMatching(/\(the proxy answered 407\); give its variable user and password/),
    })
  })

  it('the way to the service ends at a certificate whose authority is unknown', async () => {
    const { url } = await startSecure('cert.pem')
    const { exitCode, service } = await doctor(['import', '--base-url', url], { cwd: await tempFolder() })
    expect([exitCode, service.message]).toEqual([
      1,
      expect.stringMatching(/\([A-Z_]+\); name a file of its authority in NODE_EXTRA_CA_CERTS$/),
    ])
  })

  it('the way to the service ends at a certificate that has expired', async () => {
    trust(inTls('expired.pem'))
    const { url, calls } = await startSecure('expired.pem')
    const { exitCode, service } = await doctor(['import', '--base-url', url], { cwd: await tempFolder() })
    expect([exitCode, service]).toMatchObject([
      1,
      {
        state: 'fail',
        message: 'the service is not reached (CERT_HAS_EXPIRED); have the certificate renewed',
      },
    ])
    expect(calls).toEqual([])
  })

  it.each([
    ['a service', undefined],
    ['a proxy', secure],
  ])(
    'the way to the service ends at %s that is silent after 10 s, and leaves no connection',
    async (_what, behind) => {
      const { port, sockets } = await never()
      const clock = {
        ...systemClock,
        after: (_: number, action: () => void) => systemClock.after(200, action),
      }
      const url = new URL(`https://127.0.0.1:${port}`)
      const way = probe(behind ?? url, behind && url, clock).catch(({ params }) => params.reason)
      expect(await way).toBe('ETIMEDOUT')
      await expect.poll(() => sockets[0]?.readableEnded || sockets[0]?.destroyed, pollOptions).toBe(true)
    },
  )
})
