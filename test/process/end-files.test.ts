import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { metricsIn, summaryIn } from '../support/end-files.ts'
import { importing } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { rowlift, start } from '../support/rowlift.ts'

const pageIn = (cwd: string) => readFile(join(cwd, 'page.html'), 'utf8')

describe('files at the end of a run', () => {
  it('the files at the end, and the page, are written after SIGTERM', async () => {
    const stopping = closedLatch()
    const endFiles = ['--summary', 'summary.json', '--metrics', 'metrics.prom', '--report', 'page.html']
    const { service, cwd, args } = await importing(
      50,
      { holds: () => (service.calls.length > 2 ? stopping.opened : undefined) },
      ...['-c', '2', ...endFiles],
    )
    const { process, ended, said } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(2)
    process.kill('SIGTERM')
    await said('SIGTERM: no new call is made')
    stopping.open()
    expect((await ended).exitCode).toBe(143)
    const told = { finished: false, stop_reason: 'signal', next: expect.any(String), exit_code: 143 }
    expect(await summaryIn(join(cwd, 'summary.json'))).toMatchObject(told)
    expect((await metricsIn(join(cwd, 'metrics.prom'))).rowlift_run_exit_code).toBe(143)
    expect(await pageIn(cwd)).toContain('interrupted by SIGTERM')
  })
})

describe('import --report', () => {
  it('import --report writes the page when the run stops early', async () => {
    const refusing = await importing(3, { react: () => ({ answer: 401 }) }, '--report', 'page.html')
    expect((await rowlift(refusing.args, { cwd: refusing.cwd })).exitCode).toBe(3)
    expect(await pageIn(refusing.cwd)).toContain('the service refuses the token')
  })
})
