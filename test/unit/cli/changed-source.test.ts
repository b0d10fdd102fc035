import { execFileSync } from 'node:child_process'
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { appendFile, open, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importing, taskMapping, taskNames, tasks } from '../../support/imports.ts'
import { cases } from '../../support/long.ts'
import { folderWith, linesOf, rowlift, summaryOf } from '../../support/rowlift.ts'

/** Tasks in more bytes than are read before the first call. */
const wide = (count: number) => tasks(count).replaceAll(/(?<=Name|Task \d+)$/gm, `,${'x'.repeat(400)}`)

it.each(
  cases(
    [
      ['loses its end', (source: string) => truncateSync(source, 80)],
      ['grows', (source: string) => appendFileSync(source, '1301,Task 1301,\n')],
      ['is written anew', (source: string) => writeFileSync(source, wide(1_299))],
    ] as const,
    1,
  ),
)('a source that %s during the run ends it with 3; the next run makes what is missing', async (_, change) => {
  let isDue = true
  const { service, cwd, args, log } = await importing(1_300, {
    react() {
      if (isDue) change(join(cwd, 'tasks.csv'))
      isDue = false
      return 'create'
    },
  })
  await writeFile(join(cwd, 'tasks.csv'), wide(1_300))
  const changed = await rowlift([...args, '-c', '40', '--summary', 'end.json'], { cwd })
  expect(changed.exitCode).toBe(3)
  expect(summaryOf(changed).stopped).toMatch(
    /^tasks\.csv: has changed since the run began \(\d+ bytes then, now \d+\)\. When nothing .* again: rows that/,
  )
  expect(await readFile(join(cwd, 'end.json'), 'utf8')).toContain('has changed since the run began')
  expect(linesOf(await readFile(log, 'utf8')).at(-1)).toMatchObject({ stopped: 'source' })
  await writeFile(join(cwd, 'tasks.csv'), wide(1_301))
  expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  expect(service.made.map(({ name }) => name).sort()).toEqual(taskNames(1_301))
})

it('a last line that is written to its end during the run is not sent as it was', async () => {
  const { service, cwd, args } = await importing(1, {
    react() {
      if (service.calls.length === 1) appendFileSync(join(cwd, 'tasks.csv'), 'sk 1301\n')
      return 'create'
    },
  })
  await writeFile(join(cwd, 'tasks.csv'), `${wide(1_300)}1301,Ta`)
  const longAgo = new Date('2026-01-01T00:00:00Z')
  await utimes(join(cwd, 'tasks.csv'), longAgo, longAgo)
  expect((await rowlift([...args, '-c', '40'], { cwd })).exitCode).toBe(3)
  expect(service.made.map(({ name }) => name)).not.toContain('Ta')
})

it('a limit that is reached before the end of the source asks for nothing', async () => {
  const { cwd, args } = await importing(30, {
    react() {
      appendFileSync(join(cwd, 'tasks.csv'), '31,Task 31\n')
      return 'create'
    },
  })
  expect((await rowlift([...args, '--limit', '3'], { cwd })).exitCode).toBe(0)
})

it('a source that changes before a dry run comes to it ends it with 3', async () => {
  const cwd = await folderWith({ 'first.csv': 'Id,Name\na,b\n', 'task.yaml': taskMapping })
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const ended = rowlift(['import', 'first.csv', 'pipe', '-m', 'task.yaml', '--dry-run'], { cwd })
  const pipe = await open(join(cwd, 'pipe'), 'w') // opens once the run has looked at the first source
  await appendFile(join(cwd, 'first.csv'), 'c,d\n')
  await pipe.appendFile('Id,Name\ne,f\n')
  await pipe.close()
  const { exitCode, stderr } = await ended
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('first.csv: has changed')])
})
