import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startSandbox } from '../../../../src/features/sandbox/server.ts'
import { pollOptions } from '../../../support/polling.ts'
import { contactPath, post, sandbox } from './sandboxes.ts'

test('an answer is 200 in JSON with a Date header', async () => {
  const response = await post(await sandbox(), contactPath, {})
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(Date.parse(response.headers.get('date') ?? '')).not.toBeNaN()
})

test('two sandboxes run at the same time on free ports', async () => {
  const [one, other] = [await sandbox(), await sandbox()]
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(one.url).not.toBe(other.url)
})

test('a taken port is an error', async () => {
  const { url } = await sandbox()
  await expect(startSandbox({ port: Number(new URL(url).port) })).rejects.toThrow(/EADDRINUSE/)
})

test.each([
  ['failShare above 1', { failShare: 1.5 }],
  ['dropShare below 0', { dropShare: -0.1 }],
  ['rateLimit of 0', { rateLimit: 0 }],
  ['latencyMs that is no number', { latencyMs: Number.NaN }],
  ['seed that is no whole number', { seed: 1.5 }],
  ['empty token', { token: '' }],
])('a sandbox does not start with an option out of its range: %s', async (_, options) => {
  await expect(startSandbox(options)).rejects.toThrow(RangeError)
})

test('close cuts connections that are kept alive', async () => {
  const at = await sandbox()
  const agent = new Agent({ keepAlive: true })
  const ended = new Promise<void>((resolve, reject) => {
    const call = request(`${at.url}/sandbox/stats`, { agent }, response => response.resume())
    call.on('error', reject)
    call.on('socket', socket => socket.once('close', () => resolve()))
    call.end()
  })
  await expect.poll(() => Object.keys(agent.freeSockets), pollOptions).toHaveLength(1)
  await at.close()
  await ended
  agent.destroy()
  await expect(fetch(at.url)).rejects.toThrow()
})

test('close cuts a connection with an unfinished request', async () => {
  const at = await sandbox()
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1')
  const ended = new Promise(resolve => socket.once('close', resolve))
  socket.on('error', () => {})
  await new Promise(resolve => socket.once('connect', resolve))
  socket.write(`POST ${contactPath} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`)
  await post(at, contactPath, {})
  await at.close()
  await ended
})

test('close can be called twice', async () => {
  const at = await sandbox()
  await at.close()
  await at.close()
})
