import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { files, importing, importOf, tasks } from '../../support/imports.ts'
import { resealed } from '../../support/log-files.ts'
import { linesOf, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

/** What was told before the first call. */
const told = (stderr: string) =>
  linesOf(stderr)
    .filter(line => line.estimated_seconds !== undefined && line.msg !== 'summary')
    .map(({ estimated_seconds, msg }) => [estimated_seconds, msg])

/** Sets what the calls in a log took. */
async function setDurations(log: string, ms: number): Promise<void> {
  const change = (line: object) => ('duration_ms' in line ? { ...line, duration_ms: ms } : line)
  await writeFile(log, resealed(await readFile(log, 'utf8'), change))
}

describe('time of calls', () => {
  it('the time that calls take is shown before the first one, by those of the log', async () => {
    const { cwd, args, log } = await importing(400)
    const first = await rowlift([...args, '--limit', '150'], { cwd })
    expect(told(first.stderr)).toEqual([
      [3, 'up to about 150 calls: about 3 s at 200 ms a call, 15 s at 1 s a call, 10 at a time'],
    ])
    await setDurations(log, 2_000)
    const rest = await rowlift(args, { cwd })
    const [[seconds, words] = []] = told(rest.stderr)
    const calls = Number(/about (\d+) calls/.exec(String(words))?.[1])
    expect(Math.abs(calls - 250)).toBeLessThan(15) // by bytes
    expect(seconds).toBe(Math.ceil(calls / 10) * 2)
    expect(words).toContain('at 2 s a call (as the last ones took), 10 at a time')
    expect(told((await rowlift(args, { cwd })).stderr)).toEqual([]) // nothing is sent
  })

  it('the time that calls take is told by a dry run for the rows that it would send', async () => {
    const { cwd, args, log } = await importing(45, {}, '-c', '5')
    const dry = async () => {
      const run = await rowlift([...args, '--rate', '2', '--dry-run'], { cwd })
      expect(told(run.stderr)).toEqual([])
      return summaryOf(run).estimated_seconds
    }
    expect(await dry()).toBe(23) // by the rate
    await rowlift([...args, '--limit', '5'], { cwd })
    await setDurations(log, 9_000)
    expect(await dry()).toBe(72) // 40 rows, 5 at a time
    const shown = await rowlift([...args, '--rate', '2', '--dry-run', '--log-format', 'pretty'], { cwd })
    expect(shown.stderr).toContain(
      '\n40 calls: about 72 s at 9 s a call (as the last ones took), 5 at a time, at most 2 a second\n',
    )
  })

  it.each(['a pipe', 'a packed file'])(
    'the time that calls take is told for each 1,000 rows of %s',
    async kind => {
      const service = await startService()
      const cwd = await files()
      await writeFile(join(cwd, 'packed.csv.gz'), gzipSync(tasks(3)))
      const source = kind === 'a pipe' ? '-' : 'packed.csv.gz'
      const args = importOf(source, 'task.yaml', service.url)
      const run = await rowlift(args, { cwd, stdin: tasks(3) })
      expect(told(run.stderr)).toEqual([
        [20, 'each 1,000 calls: about 20 s at 200 ms a call, 100 s at 1 s a call, 10 at a time'],
      ])
      expect(service.made).toHaveLength(3)
    },
  )
})
