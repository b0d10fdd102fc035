import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startHanging } from '../support/imports.ts'
import { logOf, openingLine, rowLine } from '../support/log-files.ts'
import { randomFor } from '../support/random.ts'
import { rowlift, start } from '../support/rowlift.ts'

/** A log of many nights in which most rows were refused again and again. */
async function manyNights() {
  const night = (run: number) =>
    Array.from({ length: 1_500 }, (_, row) =>
      rowLine(row % 3 === run ? 'created' : 'failed', row, {
        run: `R${run}`,
        ...(row % 3 === run && { record_id: `${row}` }),
      }),
    )
  return logOf(...[0, 1, 2, 3].flatMap(run => [openingLine(`R${run}`), ...night(run)]))
}

describe('a log that is being compacted', () => {
  it('is the old one or the new one, whenever the command is killed', async () => {
    const path = await manyNights()
    const [cwd, log] = [dirname(path), basename(path)]
    const old = await readFile(path, 'utf8')
    const compact = () => start(['log', log, '--compact', '--lock-timeout', '0.2'], { cwd, stdin: '' })
    const startedMs = performance.now()
    expect(await compact().ended).toMatchObject({ exitCode: 0 })
    const tookMs = performance.now() - startedMs
    const compacted = await readFile(path, 'utf8')
    expect(compacted.length).toBeLessThan(old.length * 0.6)

    const random = randomFor('compact')
    for (let kill = 0; kill < 8; kill += 1) {
      await writeFile(path, old)
      const { process, ended } = compact()
      await new Promise(resolve => setTimeout(resolve, tookMs * (0.3 + 0.8 * random())))
      process.kill('SIGKILL')
      await ended
      expect([old, compacted].includes(await readFile(path, 'utf8'))).toBe(true)
    }
    expect(await compact().ended).toMatchObject({ exitCode: 0 })
    expect(await readFile(path, 'utf8')).toBe(compacted)
    expect(await readdir(cwd)).toEqual([log])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('is not one that a run is writing', async () => {
    const { process, ended, cwd } = await startHanging()
    const during = await rowlift(['log', 'results.ndjson', '--compact'], { cwd })
    expect(during).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('another run holds this result log'),
    })
    expect((await rowlift(['log', 'results.ndjson'], { cwd })).stdout).toContain('Runs:')
    process.kill('SIGKILL')
    await ended
  })
})
