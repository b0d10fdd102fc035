import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { files, importOf, tasks } from '../../support/imports.ts'
import { outcomesIn, rowlift, start } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'
import { trust } from '../../support/trust.ts'

const inTls = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url))

/** Both are signed by an authority that is trusted. */
it.each([
  ['for another host', 'cert.pem', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that has expired', 'expired.pem', 'CERT_HAS_EXPIRED'],
])('nothing is sent to a service with a certificate %s', async (_which, name, reason) => {
  const [key, cert] = await Promise.all(['key.pem', name].map(file => readFile(inTls(file), 'utf8')))
  trust(cert ?? '')
  const service = await startService({ tls: { key: key ?? '', cert: cert ?? '' } })
  const cwd = await files({ 'tasks.csv': tasks(2) })
  const args = importOf('tasks.csv', 'task.yaml', service.url, '--retries', '0')
  const run = await rowlift(args, { cwd })
  expect(run.exitCode).toBe(1)
  expect(await outcomesIn(`${cwd}/results.ndjson`)).toMatchObject(
    [1, 2].map(row => ({
      row,
      status: 'failed',
      errors: [{ code: 'never_reached', message: `the service was not reached (${reason})` }],
    })),
  )
  expect(service.calls).toEqual([])
})

it('a run whose certificates would not be checked is refused, and the token goes nowhere', async () => {
  const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map(file => readFile(inTls(file), 'utf8')))
  const service = await startService({ tls: { key: key ?? '', cert: cert ?? '' } })
  const cwd = await files({ 'tasks.csv': tasks(2) })
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const run = await start(importOf('tasks.csv', 'task.yaml', service.url), { cwd, env, stdin: '' }).ended
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    'rowlift: NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody answer in the place of the service and read the token; remove it from the environment; NODE_EXTRA_CA_CERTS=FILE trusts a certificate of your own\n',
  ])
  expect(service.calls).toEqual([])
})
