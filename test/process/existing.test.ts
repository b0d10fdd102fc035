import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importOf, taskMapping } from '../support/imports.ts'
import { pollOptions } from '../support/polling.ts'
import { folderWith, outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

const rows = 3_000
const kills = 3
const idOf = (number: number) => `9d2f0000-0000-4000-8000-${String(number).padStart(12, '0')}`
/** The service lacks one of so many. */
const lacksEach = 100

it('an import of rows that exist is killed, and goes on: none is twice, none is lost, none is in doubt for nothing', async () => {
  const service = await startService()
  const numbers = Array.from({ length: rows }, (_, at) => at + 1)
  const there = numbers.filter(number => number % lacksEach > 0)
  const cwd = await folderWith({
    'tasks.csv': `Id,Name\n${numbers.map(number => `${number},Task ${number}\n`).join('')}`,
    'task.yaml': taskMapping,
    'export.csv': `Id,Title\n${there.map(number => `${idOf(number)},Task  ${number} \n`).join('')}`,
  })
  const byName = ['--existing', 'export.csv', '--id', 'Id', '--match', 'Title=name']
  const args = importOf('tasks.csv', 'task.yaml', service.url, ...byName, '--in-doubt', 'hold')
  const log = join(cwd, 'results.ndjson')
  const bytes = () =>
    stat(log).then(
      ({ size }) => size,
      () => 0,
    ) // prettier-ignore
  for (let kill = 0; kill < kills; kill += 1) {
    const before = await bytes()
    const killed = start(args, { cwd, stdin: '' })
    await Promise.race([
      expect.poll(bytes, { ...pollOptions, interval: 2 }).toBeGreaterThan(before + 1),
      killed.ended,
    ])
    killed.process.kill('SIGKILL')
    await killed.ended
  }
  const { exitCode } = await rowlift(args, { cwd })
  const outcomes = await outcomesIn(log)
  const doubts = outcomes.filter(({ status }) => status === 'in_doubt').map(({ row }) => row)
  const settled = outcomes.filter(({ status }) => status !== 'in_doubt')
  const existing = settled.filter(({ status }) => status === 'existing')
  expect(existing.map(({ row, record_id }) => `${row} ${record_id}`)).toEqual(
    there.map(number => `${number} ${idOf(number)}`),
  )
  expect(doubts.every(row => Number(row) % lacksEach === 0)).toBe(true)
  expect(new Set([...settled.map(({ row }) => row), ...doubts]).size).toBe(rows)
  expect(settled.length + new Set(doubts).size).toBe(rows)
  expect(new Set(madeBy(service)).size).toBe(service.made.length)
  expect(exitCode).toBe(doubts.length > 0 ? 1 : 0)
}, 60_000)
