import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { files, importOf, tasks } from '../../support/imports.ts'
import { outcomesIn, rowlift } from '../../support/rowlift.ts'
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
