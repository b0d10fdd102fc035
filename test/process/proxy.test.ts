import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { files, importOf, taskNames, tasks } from '../support/imports.ts'
import { startProxy } from '../support/proxy.ts'
import { linesOf, rowlift } from '../support/rowlift.ts'
import { type Service, startService } from '../support/service.ts'

const certificate = fileURLToPath(new URL('../support/tls/cert.pem', import.meta.url))
const key = fileURLToPath(new URL('../support/tls/key.pem', import.meta.url))

/** A service that speaks TLS under the name service.test, whose certificate authority is unknown. */
const startPrivateService = async (): Promise<Service> =>
  startService({ tls: { key: await readFile(key, 'utf8'), cert: await readFile(certificate, 'utf8') } })

const trusting = { NODE_EXTRA_CA_CERTS: certificate }
const service = 'https://service.test'

describe('import through a proxy', () => {
  it('an import through a proxy reaches the service by tunnels, and uses them again', async () => {
    const { port, made, calls } = await startPrivateService()
    const proxy = await startProxy({ port })
    const folder = await files({ 'tasks.csv': tasks(60) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service, '-c', '2', '--rate', '60'), {
      cwd: folder,
      env: { ...trusting, HTTPS_PROXY: proxy.url },
    })
    expect(run.exitCode).toBe(0)
    expect(made.map(({ name }) => name).sort()).toEqual(taskNames(60))
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT service.test:443']))
    expect(proxy.asked.length).toBeLessThan(45)
    expect(calls[0]?.headers).toMatchObject({ host: 'service.test', authorization: 'Bearer a-secret-token' })
    expect(calls[0]?.headers).not.toHaveProperty('proxy-authorization')
    expect(linesOf(run.stderr)).toContainEqual(
      expect.objectContaining({ msg: `calls go through the proxy ${proxy.url}` }),
    )
  })
})
