import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../../../../support/imports.ts'
import { type TestDatabase, testDatabase } from '../../../../support/postgres.ts'
import { linesOf, rowlift, summaryOf } from '../../../../support/rowlift.ts'
import { madeBy, startService } from '../../../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const taken = '9d2f0000-0000-4000-8000-00000000000a'

/** A worker that leaves the task 3 in doubt. */
async function imported(name: string, ...more: string[]) {
  const service = await startService({
    react: (_, { body }) => {
      if (body.name === 'Task 1')
        return { answer: 200, body: JSON.stringify({ record_id: taken.toUpperCase() }) }
      return body.name === 'Task 3' ? { cut: 'before reading' } : 'create'
    },
  })
  const cwd = await files({ 'tasks.csv': tasks(5) })
  const given = importOf('tasks.csv', 'task.yaml', service.url, ...more)
  const ledger = ['--ledger', database.url, '--import', name]
  const args = [...given.filter(word => !['-o', 'results.ndjson'].includes(word)), ...ledger]
  const ended = await rowlift(args, { cwd })
  return { service, cwd, ledger, ended, run: (...words: string[]) => rowlift([...words, ...ledger], { cwd }) }
}

describe('import in a ledger', () => {
  it('an import in a ledger has in its summary whose rows they are, and no password', async () => {
    const { cwd, ended } = await imported('told', '--summary', 's.json', '--metrics', 'm.prom')
    expect(ended.exitCode).toBe(1)
    const worker = expect.stringMatching(/-\d+$/)
    const ledger = { import: 'told', worker }
    expect(summaryOf(ended)).toMatchObject({ created: 4, in_doubt: 1, ledger })
    const summary = await readFile(join(cwd, 's.json'), 'utf8')
    expect(JSON.parse(summary)).toMatchObject({ created: 4, ledger })
    const { next } = JSON.parse(summary)
    expect(next).toMatch(/rowlift resolve --ledger postgres:\S+ --import told$/m)
    const metrics = await readFile(join(cwd, 'm.prom'), 'utf8')
    expect(metrics).toMatch(/^rowlift_rows\{import="told",worker="\S+-\d+",status="created"\} 4$/m)
    const { password } = new URL(database.url)
    expect(summary + metrics + ended.stderr).not.toContain(password)
  })

  it('an import in a ledger is shown, exported and settled like one with a result log', async () => {
    const { service, cwd, run, ledger } = await imported('whole')
    expect(linesOf((await run('workers', '--json')).stdout)).toMatchObject([
      {
        rows: 5,
        by_status: { created: 4, in_doubt: 1 },
        in_doubt: 1,
        workers: [],
        ended: expect.any(String),
      },
    ])
    expect(linesOf((await run('resolve')).stdout)).toMatchObject([{ key: '3', body: { name: 'Task 3' } }])
    expect((await run('resolve', '--key', '3', '--record-id', taken)).stderr).toContain(
      'is that of tasks.csv row 1',
    )
    const [doubt] = await database.query(
      `UPDATE rowlift.entry SET held_until = clock_timestamp() WHERE state = 'd' AND held_until > clock_timestamp() RETURNING row`,
    )
    expect(doubt).toEqual({ row: 3 }) // for as long as the service may have its call; nobody waits for that here
    expect((await run('resolve', '--all', '--not-created')).stderr).toContain('no row is in doubt any more')
    expect(await run('export', '-o', 'log.ndjson')).toMatchObject({ exitCode: 0, stderr: '' })
    const read = await rowlift(['log', 'log.ndjson', '--json'], { cwd })
    expect(linesOf(read.stdout)).toMatchObject([{ counts: { created: 4, failed: 1 }, settled_by_hand: 1 }])
    expect(service.made).toHaveLength(3) // and the one of Task 1

    const healthy = await startService()
    const again = importOf('tasks.csv', 'task.yaml', healthy.url).filter(
      word => !['-o', 'results.ndjson'].includes(word),
    )
    const other = await rowlift([...again, ...ledger], { cwd })
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('with another base URL') })
    expect(madeBy(healthy)).toEqual([])
  })
})
