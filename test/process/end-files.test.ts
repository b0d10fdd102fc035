import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { metricsIn, summaryIn } from '../support/end-files.ts'
import { importing } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { rowlift, start } from '../support/rowlift.ts'

describe('files at the end of a run', () => {
  it.each([['SIGTERM', 143, { finished: false, stop_reason: 'signal', next: expect.any(String) }]] as const)(
    'the files at the end are written after %s',
    async (signal, exitCode, told) => {
      const stopping = closedLatch()
      const endFiles = ['--summary', 'summary.json', '--metrics', 'metrics.prom']
      const { service, cwd, args } = await importing(
        5,
        { holds: () => stopping.opened },
        ...['-c', '1', ...endFiles],
      )
      const { process, ended, said } = start(args, { cwd, stdin: '' })
      await expect.poll(() => service.calls.length, pollOptions).toBe(1)
      process.kill(signal)
      await said(`${signal}: no new call is made`)
      stopping.open()
      expect((await ended).exitCode).toBe(exitCode)
      expect(await summaryIn(join(cwd, 'summary.json'))).toMatchObject({ ...told, exit_code: exitCode })
      expect((await metricsIn(join(cwd, 'metrics.prom'))).rowlift_run_exit_code).toBe(exitCode)
    },
  )
})

describe('import --report', () => {
  const pageIn = (cwd: string) => readFile(join(cwd, 'page.html'), 'utf8')

  it('import --report writes the page when the run is interrupted, or stops early', async () => {
    const stopping = closedLatch()
    const { service, cwd, args } = await importing(
      50,
      { holds: () => (service.calls.length > 2 ? stopping.opened : undefined) },
      ...['-c', '2', '--report', 'page.html'],
    )
    const { process, ended, said } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(2)
    process.kill('SIGINT')
    await said('SIGINT: no new call is made')
    stopping.open()
    expect((await ended).exitCode).toBe(130)
    expect(await pageIn(cwd)).toContain('interrupted by SIGINT')

    const refusing = await importing(3, { react: () => ({ answer: 401 }) }, '--report', 'page.html')
    expect((await rowlift(refusing.args, { cwd: refusing.cwd })).exitCode).toBe(3)
    expect(await pageIn(refusing.cwd)).toContain('the service refuses the token')
  })
})
