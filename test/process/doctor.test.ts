import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { folderWith, linesOf, rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

const inTls = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url))

async function startSecure(certificate: string) {
  const [key = '', cert = ''] = await Promise.all(
    ['key.pem', certificate].map(name => readFile(inTls(name), 'utf8')),
  )
  return {
    ...(await startService({ tls: { key, cert } })),
    validTo: Date.parse(new X509Certificate(cert).validTo),
  }
}

it('rowlift doctor trusts a certificate by NODE_EXTRA_CA_CERTS, and warns five days before its end', async () => {
  const { port, validTo, calls } = await startSecure('cert.pem')
  const proxy = await startProxy({ port })
  const soon = `const soon = ${validTo - 5 * 86_400_000}
globalThis.Date = class extends Date { constructor(...at) { super(...(at.length > 0 ? at : [soon])) } }`
  const cwd = await folderWith({ 'soon.cjs': soon })
  const env = {
    NODE_EXTRA_CA_CERTS: inTls('cert.pem'),
    HTTPS_PROXY: proxy.url,
    NODE_OPTIONS: '--require ./soon.cjs',
  }
  const { exitCode, stdout } = await rowlift(['doctor', '--base-url', 'https://service.test'], { cwd, env })
  expect([exitCode, linesOf(stdout).find(({ check }) => check === 'service')]).toMatchObject([
    0,
    {
      state: 'warn',
      valid_until: new Date(validTo).toISOString(),
      message: expect.stringMatching(/certificate to .*; have the certificate renewed$/),
    },
  ])
  expect([proxy.asked, calls]).toEqual([['CONNECT service.test:443'], []])
})
