import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { files, importOf, taskNames, tasks } from '../../support/imports.ts'
import { startProxy } from '../../support/proxy.ts'
import { outcomesIn, rowlift } from '../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../support/service.ts'
import { trust } from '../../support/trust.ts'

const certificate = fileURLToPath(new URL('../../support/tls/cert.pem', import.meta.url))
const key = fileURLToPath(new URL('../../support/tls/key.pem', import.meta.url))

/** A service that speaks TLS under the name service.test, whose certificate authority is unknown. */
const startPrivateService = async (): Promise<Service> =>
  startService({ tls: { key: await readFile(key, 'utf8'), cert: await readFile(certificate, 'utf8') } })

/** The same, and this process trusts it. */
async function startTrustedService(): Promise<Service> {
  trust(await readFile(certificate, 'utf8'))
  return startPrivateService()
}

const service = 'https://service.test'

describe('import through a proxy', () => {
  it('an import through a proxy sends nothing to a service of an unknown authority', async () => {
    const { port, made } = await startPrivateService()
    const proxy = await startProxy({ port })
    const folder = await files({ 'tasks.csv': tasks(2) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service, '--retries', '0'), {
      cwd: folder,
      env: { HTTPS_PROXY: proxy.url },
    })
    expect(run.exitCode).toBe(1)
    expect(await outcomesIn(`${folder}/results.ndjson`)).toMatchObject(
      [1, 2].map(row => ({ row, status: 'failed' })),
    )
    expect(made).toHaveLength(0)
  })

  it('an import through a proxy reaches a service without TLS by tunnels, too', async () => {
    const plain = await startService()
    const proxy = await startProxy({ port: plain.port })
    const folder = await files()
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', 'http://service.test', '--allow-http'), {
      cwd: folder,
      env: { HTTP_PROXY: proxy.url },
    })
    expect(run.exitCode).toBe(0)
    expect(madeBy(plain)).toEqual(taskNames(5))
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT service.test:80']))
  })

  it('an import through a proxy sends user and password to the proxy only, and never prints them', async () => {
    const { port, made } = await startTrustedService()
    const proxy = await startProxy({ port })
    const folder = await files()
    const named = proxy.url.replace('//', '//ada:love%21ace@')
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service), {
      cwd: folder,
      env: { https_proxy: named },
    })
    expect(run.exitCode).toBe(0)
    expect(made).toHaveLength(5)
    expect(new Set(proxy.credentials)).toEqual(
      new Set([`Basic ${Buffer.from('ada:love!ace').toString('base64')}`]),
    )
    expect(run.stderr).not.toContain('love')
  })

  it.each([407, 403, 502, 503])(
    'an import through a proxy is certain that nothing was sent when the proxy answers %i',
    async status => {
      const { port, made } = await startTrustedService()
      const proxy = await startProxy({ port, refuses: tunnel => (tunnel <= 2 ? status : undefined) })
      const folder = await files({ 'tasks.csv': tasks(2) })
      const args = importOf('tasks.csv', 'task.yaml', service, '--retries', '0', '-c', '1')
      const env = { HTTPS_PROXY: proxy.url }
      expect((await rowlift(args, { cwd: folder, env })).exitCode).toBe(1)
      expect(await outcomesIn(`${folder}/results.ndjson`)).toMatchObject(
        [1, 2].map(row => ({
          row,
          status: 'failed',
          errors: [
            { message: expect.stringContaining(`the service was not reached: the proxy answered ${status}`) },
          ],
        })),
      )
      expect((await rowlift(args, { cwd: folder, env })).exitCode).toBe(0)
      expect(made).toHaveLength(2)
    },
  )

  it('an import through a proxy takes one without a scheme for a plain one', async () => {
    const { port, made } = await startTrustedService()
    const proxy = await startProxy({ port })
    const env = { HTTPS_PROXY: proxy.url.replace('http://', '') }
    const folder = await files()
    expect((await rowlift(importOf('tasks.csv', 'task.yaml', service), { cwd: folder, env })).exitCode).toBe(
      0,
    )
    expect(made).toHaveLength(5)
  })
})

describe('proxy that is not used', () => {
  it('no proxy is used for this machine itself', async () => {
    const plain = await startService()
    const folder = await files()
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', plain.url), {
      cwd: folder,
      env: { HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' },
    })
    expect(run.exitCode).toBe(0)
  })

  it('no proxy is used for hosts that NO_PROXY names', async () => {
    const { port } = await startPrivateService()
    const proxy = await startProxy({ port })
    const folder = await files({ 'tasks.csv': tasks(1) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service, '--retries', '0'), {
      cwd: folder,
      env: { HTTPS_PROXY: proxy.url, NO_PROXY: 'example.com,.test' },
    })
    expect(run.exitCode).toBe(1)
    expect(proxy.asked).toEqual([])
  })

  it.each(['socks5://127.0.0.1:1080', 'http://:3128', '::'])(
    'no proxy is used when it is named as %s',
    async named => {
      const folder = await files()
      const run = await rowlift(importOf('tasks.csv', 'task.yaml', service), {
        cwd: folder,
        env: { HTTPS_PROXY: named },
      })
      expect(run.exitCode).toBe(2)
      expect(run.stderr).toContain('is not an address such as http://proxy.example.com:3128')
    },
  )
})
