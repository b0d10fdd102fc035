import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startHanging } from '../support/imports.ts'
import { linesOf, outcomesIn, rowlift } from '../support/rowlift.ts'

const log = 'results.ndjson'
const id = '9d2f0000-0000-4000-8000-000000000001'

describe('rows in doubt', () => {
  it('rows in doubt are those of a killed run too, before the next import has begun', async () => {
    const { process, ended, cwd } = await startHanging()

    const during = await rowlift(['resolve', log, '--all', '--not-created'], { cwd })
    expect(during.exitCode).toBe(4)
    expect(during.stderr).toContain(`another run holds this result log (pid ${process.pid} on `)

    process.kill('SIGKILL')
    await ended
    const list = await rowlift(['resolve', log], { cwd })
    expect(linesOf(list.stdout).map(line => line.body)).toEqual([{ name: 'Task 1' }, { name: 'Task 2' }])
    expect(list.stderr).toContain('2 of them were under way when a run was killed')
    const settled = await rowlift(['resolve', log, '--key', '1', '--record-id', id], { cwd })
    expect(settled.exitCode).toBe(0)
    expect((await outcomesIn(join(cwd, log))).map(({ row, status }) => `${row} ${status}`).sort()).toEqual([
      '1 created',
      '1 in_doubt',
      '2 in_doubt',
    ])
  })
})
