import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/model/clock.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { entered, type Guided, requested, startGuide } from '../../../support/guide.ts'
import { folderWith, rowlift } from '../../../support/rowlift.ts'

const opened = async () => startGuide(await folderWith({ 'c.csv': 'Name\nAda\n' }), ['c.csv'])

/** A call that only needs to be let in. */
const invite = (guide: Guided, headers: Record<string, string> = {}) => guide.post('invite', {}, headers)

describe('the way into the guide', () => {
  it('swaps the secret of the address once for a token, and takes calls with it', async () => {
    const guide = await opened()
    const token = await guide.enter()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect((await invite(guide, { 'x-rowlift-token': token })).status).toBe(200)
    const again = await guide.post('token', { secret: new URL(guide.address).hash.slice(1) })
    expect(again.status).toBe(403)
  })

  it('gives a second browser an address of its own, and both may call', async () => {
    const guide = await opened()
    const call = await entered(guide)
    const { url } = await call('invite', {})
    const other = await entered(guide, new URL(url).hash.slice(1))
    expect((await other('invite', {})).url).toContain(guide.origin)
    expect((await call('invite', {})).url).not.toBe(url)
  })

  it('refuses a call with a token from any other name, origin, site or token', async () => {
    const guide = await opened()
    const token = await guide.enter()
    for (const forged of [
      { host: 'localhost' },
      { host: 'evil.example:80' },
      { origin: 'http://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: '' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'x-rowlift-token': 'a'.repeat(43) },
      { 'x-rowlift-token': '' },
    ]) {
      const answer = await invite(guide, { 'x-rowlift-token': token, ...forged })
      const { status, headers } = answer
      expect([forged, status, headers['access-control-allow-origin']]).toEqual([forged, 403, undefined])
    }
  })

  it('refuses any path by a forged host before all else', async () => {
    const guide = await opened()
    for (const path of ['/', '/api/state', '/../package.json'])
      expect((await requested(guide.origin + path, { host: 'evil.example' })).status).toBe(403)
  })

  it('serves the page alone without a token, and nothing from elsewhere in it', async () => {
    const guide = await opened()
    const { status, headers, text } = await requested(`${guide.origin}/`, { host: guide.host })
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'/,
    )
    expect(text).not.toMatch(/(?:src|href)="(?!data:)/)
    for (const path of ['/main.js', '/c.csv', '/%2e%2e/c.csv', '/api/state'])
      expect((await requested(guide.origin + path, guide.own)).status).toBe(403)
  })

  it('names no file but those that were opened', async () => {
    const guide = await opened()
    const token = { 'x-rowlift-token': await guide.enter() }
    for (const file of ['../c.csv', '/etc/passwd', 'other.csv', '', '__proto__'])
      for (const name of ['source', 'mapping', 'check', 'after', 'worksheets'])
        expect([name, file, (await guide.post(name, { file }, token)).status]).toEqual([name, file, 403])
    for (const name of ['../../etc/passwd', 'c.csv', ''])
      expect((await guide.post('open', { name }, token)).status).toBe(403)
    const odd = await guide.post('source', { file: { toString: 1 } }, token)
    expect([400, 403, 500]).toContain(odd.status)
  })

  it('knows its own calls alone, and no property of an object', async () => {
    const guide = await opened()
    const token = { 'x-rowlift-token': await guide.enter() }
    for (const name of ['constructor', '__proto__', 'nothing', '../state'])
      expect([name, (await guide.post(name, {}, token)).status]).toEqual([name, 404])
    expect(
      (
        await guide
          .post('invite', [], { ...token, 'content-length': '9000000' })
          .catch(() => ({ status: 400 }))
      ).status,
    ).toBe(400)
  })

  it('ends after half an hour in which nobody used it', async () => {
    let minutes = 0
    const now = () => {
      minutes += 5
      return new Date(Date.now() + minutes * 60_000)
    }
    const folder = await folderWith({ 'c.csv': 'Name\nAda\n' })
    const guide = await startGuide(folder, ['c.csv'], { clock: { ...systemClock, now } })
    expect(await guide.ended).toBe(0)
  })

  it('says that a port is taken, and that files are in several folders', async () => {
    const cwd = await folderWith({ 'c.csv': 'Name\nAda\n' })
    const server = createServer().listen(0, '127.0.0.1')
    atEnd(() => server.close())
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const taken = await rowlift(['guide', 'c.csv', '--no-open', '--port', `${port}`], { cwd })
    expect([taken.exitCode, taken.stderr]).toEqual([
      2,
      'rowlift: the page cannot be served: EADDRINUSE; name another port by --port\n',
    ])
    const apart = await rowlift(['guide', 'c.csv', 'd/e.csv', '--no-open'], { cwd })
    expect([apart.exitCode, apart.stderr]).toEqual([
      2,
      expect.stringContaining('put the files of an import into one folder'),
    ])
  })
})
