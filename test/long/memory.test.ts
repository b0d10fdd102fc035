import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { logPart } from '../../src/run/page.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import { tempFolder } from '../support/cleanup.ts'
import { watching } from '../support/context.ts'
import { requested } from '../support/guide.ts'
import { mapping } from '../support/imports.ts'
import { lineText, logOf, openingLine, rowLine } from '../support/log-files.ts'
import { arrayBytesInUse } from '../support/memory.ts'
import { root } from '../support/pages.ts'
import { pollOptions } from '../support/polling.ts'
import { folderWith, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

describe('memory', () => {
  it('the memory of a checkpoint of 100,000 lines is bounded', async () => {
    const file = join(await tempFolder(), 'results.ndjson')
    const lines = Array.from({ length: 100_000 }, (_, at) =>
      lineText(rowLine('created', at, { key: `person${at}@example.com`, record_id: `r${at}` })),
    )
    await writeFile(file, [lineText(openingLine()), ...lines].join(''))
    const before = arrayBytesInUse()
    let most = 0
    const past = await replay(file, { records: true }, ({ number }) => {
      if (number % 10_000 === 0) most = Math.max(most, arrayBytesInUse() - before)
    })
    expect(past.get('person99999@example.com', '')?.status).toBe('settled')
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(100_000 * 100)
    expect(arrayBytesInUse() - before).toBeLessThan(100_000 * 100)
  })

  it('the memory of the facts of a log is some bytes a row', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => rowLine(at % 2 ? 'created' : 'failed', at))
    const file = await logOf(openingLine(), ...rows)
    const before = arrayBytesInUse()
    expect((await logPart(file, 'the log', watching)).counts).toMatchObject({
      created: 10_000,
      failed: 10_000,
    })
    expect(arrayBytesInUse() - before).toBeLessThan(20_000 * 120)
  })

  it.skipIf(process.platform !== 'linux')(
    'the memory of an import is 150 MB and 100 bytes a row at the most, on every Node',
    async () => {
      const service = await startService()
      const count = 21_000
      const line = (at: number) => `Ada ${at},ada${at}@example.com\n`
      const cwd = await folderWith({
        'people.csv': `Name,Email\n${Array.from({ length: count }, (_, at) => line(at)).join('')}`,
        'people.yaml': mapping,
        'peak.cjs': `process.once('exit', () => {
          const status = require('node:fs').readFileSync('/proc/self/status', 'utf8')
          require('node:fs').writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(status)[1])
        })`,
      })
      const words = ['import', 'people.csv', '-m', 'people.yaml', '--base-url', service.url, '--quiet']
      await promisify(execFile)(
        process.execPath,
        ['--require', './peak.cjs', join(root, 'dist/bin/rowlift.cjs'), ...words, '--organization-id', '7'],
        { cwd, env: { PATH: process.env.PATH, ROWLIFT_TOKEN: 'a-secret-token' } },
      )
      expect(madeBy(service)).toHaveLength(count)
      const peakBytes = Number(await readFile(join(cwd, 'peak'), 'utf8')) * 1024
      expect(peakBytes).toBeLessThan(150 * 1024 * 1024 + count * 100)
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'the memory of a check of the guide is 150 MB and 120 bytes a row at the most',
    async () => {
      const count = 200_000
      const line = (at: number) =>
        `Person${at} Family,p${at}@example.com,w${at}@example.org,+495111${1_000_000 + at},+491701${1_000_000 + at}`
      const lines = Array.from({ length: count }, (_, at) => line(at))
      const cwd = await folderWith({
        'people.csv': `Name,Email,Work Email,Phone,Mobile\n${lines.join('\n')}\n`,
      })
      const guide = start(['guide', 'people.csv', '--no-open'], { cwd })
      const printed = await new Promise(resolve => guide.process.stdout?.once('data', resolve))
      const { origin, host, hash } = new URL(`${printed}`.trim())
      let token = ''
      const call = async (name: string, input: object) => {
        const body = JSON.stringify(input)
        const headers = { host, origin, 'sec-fetch-site': 'same-origin', 'x-rowlift-token': token }
        const sent = { ...headers, 'content-length': `${Buffer.byteLength(body)}` }
        return JSON.parse((await requested(`${origin}/api/${name}`, sent, body)).text)
      }
      ;({ token } = await call('token', { secret: hash.slice(1) }))
      const state = () => call('state', {})
      const slow = { ...pollOptions, interval: 250 }
      await expect.poll(async () => (await state()).files[0].mapping?.name, slow).toBe('people.yaml')
      await call('check', { file: 'people.csv' })
      await expect.poll(async () => (await state()).job.status, slow).toBe('ended')
      expect((await state()).job.counts).toEqual({ valid: count })
      const status = await readFile(`/proc/${guide.process.pid}/status`, 'utf8')
      const peakBytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
      expect(peakBytes).toBeLessThan(150 * 1024 * 1024 + count * 120)
    },
    120_000,
  )
})
