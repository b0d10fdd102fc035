import { mkdirSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fastClock } from '../../support/clock.ts'
import { checkedSummary, metricsIn, summaryIn } from '../../support/end-files.ts'
import { files, importOf, taskMapping, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { pollOptions } from '../../support/polling.ts'
import { linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { type ServiceOptions, startService } from '../../support/service.ts'

const endFiles = ['--summary', 'summary.json', '--metrics', 'metrics.prom']

/** Five tasks, a service for them, and the words that import them and write both files. */
async function importing(options: ServiceOptions = {}, ...more: string[]) {
  const service = await startService(options)
  const cwd = await files()
  const args = importOf('tasks.csv', 'task.yaml', service.url, ...endFiles, ...more)
  const read = async () => ({
    summary: await summaryIn(join(cwd, 'summary.json')),
    metrics: await metricsIn(join(cwd, 'metrics.prom')),
  })
  return { service, cwd, args, read }
}

const modeOf = async (file: string) => (await stat(file)).mode & 0o777

describe('files at the end of a run', () => {
  it('the files at the end tell what it came to', async () => {
    const { service, cwd, args, read } = await importing({
      react: (attempt, { body }) =>
        body.name === 'Task 2' && attempt === 1
          ? { answer: 429 }
          : body.name === 'Task 3'
            ? { answer: 422, body: '{"error":"Task 3 is secret"}' }
            : 'create',
    })
    const run = await rowlift(args, { cwd, clock: fastClock() })
    expect(run.exitCode).toBe(1)
    const { summary, metrics } = await read()
    expect(summary).toMatchObject({
      schema_version: 2,
      dry_run: false,
      exit_code: 1,
      finished: true,
      base_url: service.url,
      organization_id: 7,
      record: 'task',
      mapping: 'task.yaml',
      results: join(cwd, 'results.ndjson'),
      sources: ['tasks.csv'],
      delivery: 'at-most-once',
      rows: 5,
      row_counts: { created: 4, failed: 1, left_alone: 0, held: 0, left_out: 0 },
      throttled: 1,
      reasons: [{ status: 'failed', count: 1, examples: [{ source: 'tasks.csv', row: 3, line: 4 }] }],
    })
    const [opening] = linesOf(await readFile(join(cwd, 'results.ndjson'), 'utf8'))
    expect(summary.run).toBe(opening.run)
    expect(Date.parse(summary.ended_at)).toBeGreaterThanOrEqual(Date.parse(summary.started_at))
    expect(metrics).toMatchObject({
      rowlift_run_exit_code: 1,
      rowlift_last_success_timestamp_seconds: 0,
      rowlift_in_doubt_rows: 0,
      rowlift_changed_rows: 0,
      rowlift_attempts_repeated: 1,
      rowlift_attempts_throttled: 1,
      rowlift_info: 1,
      'rowlift_rows created': 4,
      'rowlift_rows failed': 1,
      'rowlift_rows left_alone': 0,
    })
    expect(Object.keys(metrics).filter(name => name.startsWith('rowlift_rows '))).toHaveLength(10)
    const seconds = Date.parse(summary.ended_at) / 1000
    expect(metrics.rowlift_run_end_timestamp_seconds).toBe(seconds)
  })

  it('the files at the end have the names and values of the JSON line in the log', async () => {
    const { cwd, args } = await importing({ react: () => ({ answer: 422 }) })
    const run = await rowlift(args, { cwd })
    const { level, time, msg, ...fields } = summaryOf(run)
    expect(await summaryIn(join(cwd, 'summary.json'))).toMatchObject(fields)
  })

  it('the files at the end hold nothing of what stood in rows or answers', async () => {
    const { cwd, args } = await importing({ react: () => ({ answer: 422, body: 'Task 3 is secret' }) })
    await writeFile(
      join(cwd, 'task.yaml'),
      taskMapping.replace('{ name:', '{ estimated_time: { from: Name, as: number, otherwise: omit }, name:'),
    )
    await rowlift(args, { cwd })
    for (const file of ['summary.json', 'metrics.prom'])
      expect(await readFile(join(cwd, file), 'utf8')).not.toMatch(/Task \d|secret/)
  })

  it('the files at the end are for the owner and the collector, whatever the umask', async () => {
    const { cwd, args } = await importing()
    await rowlift(args, { cwd })
    expect(await modeOf(join(cwd, 'summary.json'))).toBe(0o600)
    expect(await modeOf(join(cwd, 'metrics.prom'))).toBe(0o644)
    expect((await readdir(cwd)).sort()).toEqual(
      [
        ...['contacts.csv', 'map.yaml', 'metrics.prom', 'results.ndjson'],
        ...['summary.json', 'task.yaml', 'tasks.csv'],
      ].sort(),
    )
  })

  it('the files at the end tell why a run could not begin, and keep what is still true', async () => {
    const { cwd, args, read } = await importing()
    await rowlift(args, { cwd })
    const good = await read()
    await writeFile(join(cwd, 'tasks.csv'), '')
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(2)
    const { summary, metrics } = await read()
    expect(summary).toMatchObject({
      exit_code: 2,
      finished: false,
      sources: ['tasks.csv'],
      mapping: 'task.yaml',
    })
    expect(`rowlift: ${summary.error}\n`).toBe(run.stderr)
    expect(summary).not.toHaveProperty('rows')
    expect(metrics).toMatchObject({
      rowlift_run_exit_code: 2,
      rowlift_last_success_timestamp_seconds: Date.parse(good.summary.ended_at) / 1000,
      'rowlift_rows created': 0,
    })
  })

  it('the files at the end keep rows in doubt while no run can tell otherwise', async () => {
    const { cwd, args, read } = await importing({ react: () => ({ answer: 500 }) })
    expect((await rowlift(args, { cwd })).exitCode).toBe(1)
    expect((await read()).metrics).toMatchObject({ rowlift_in_doubt_rows: 5, 'rowlift_rows in_doubt': 5 })
    await writeFile(join(cwd, 'tasks.csv'), '')
    expect((await rowlift(args, { cwd })).exitCode).toBe(2)
    expect((await read()).metrics).toMatchObject({ rowlift_in_doubt_rows: 5, 'rowlift_rows in_doubt': 0 })
  })

  it('the files at the end take the place of whatever was there before', async () => {
    const { cwd, args, read } = await importing()
    await writeFile(
      join(cwd, 'metrics.prom'),
      'rowlift_last_success_timestamp_seconds{results="x} 7\n\u0000{{{',
    )
    await writeFile(join(cwd, 'real.json'), 'x'.repeat(100_000))
    await symlink('real.json', join(cwd, 'summary.json'))
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect((await read()).metrics.rowlift_run_exit_code).toBe(0)
    expect((await summaryIn(join(cwd, 'real.json'))).exit_code).toBe(0)
  })

  it('the files at the end of a dry run are without metrics', async () => {
    const cwd = await files({ 'settings.yaml': 'metrics: metrics.prom\nsummary: summary.json\n' })
    const dryRun = ['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run']
    const run = await rowlift([...dryRun, '--config', 'settings.yaml'], { cwd })
    expect(run.exitCode).toBe(0)
    expect(await summaryIn(join(cwd, 'summary.json'))).toMatchObject({
      dry_run: true,
      exit_code: 0,
      row_counts: { valid: 5, created: 0 },
    })
    expect(await readdir(cwd)).not.toContain('metrics.prom')
    const asked = await rowlift([...dryRun, '--metrics', 'metrics.prom'], { cwd })
    expect(asked.exitCode).toBe(2)
    expect(asked.stderr).toContain('--metrics is for runs that send')
  })

  it('the files at the end may be standard output, which then holds nothing else', async () => {
    const cwd = await files()
    const run = await rowlift(
      ['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run', '--summary', '-', '--quiet'],
      { cwd },
    )
    expect(run.stderr).toBe('')
    expect(checkedSummary(run.stdout)).toMatchObject({ dry_run: true, rows: 5 })
    expect(run.stdout.split('\n')).toHaveLength(2)
  })
})

describe('pipe or device', () => {
  it('a pipe or device is written to and never replaced', async () => {
    const { cwd, args } = await importing()
    const before = await stat('/dev/null')
    const toStdout = args.map(
      arg => ({ 'summary.json': '/dev/stdout', 'metrics.prom': '/dev/null' })[arg] ?? arg,
    )
    const run = await rowlift([...toStdout, '--quiet'], { cwd })
    expect(checkedSummary(run.stdout).exit_code).toBe(0)
    const after = await stat('/dev/null')
    expect([after.rdev, after.mode]).toEqual([before.rdev, before.mode])
    expect(await readdir(cwd)).not.toContain('metrics.prom')
  })

  it('a pipe or device may be full, which is reported', async () => {
    const { cwd, args } = await importing()
    const run = await rowlift(
      args.map(arg => (arg === 'summary.json' ? '/dev/full' : arg)),
      { cwd },
    )
    expect(run.exitCode).toBe(3)
    expect(run.stderr).toContain('/dev/full: the summary could not be written (ENOSPC)')
    expect((await metricsIn(join(cwd, 'metrics.prom'))).rowlift_run_exit_code).toBe(3)
  })
})

describe('file that cannot be written at the end', () => {
  it.each([
    ['in a folder that is not there', '--metrics', 'none/metrics.prom', 'ENOENT'],
    ['that is a folder', '--summary', 'folder', 'EISDIR'],
    ['that is a source', '--summary', 'tasks.csv', 'is the source'],
    ['that is the mapping', '--metrics', 'task.yaml', 'is the mapping'],
    ['that is the result log to be', '--metrics', './results.ndjson', 'is the result log'],
    ['that is the other', '--summary', 'metrics.prom', 'is the metrics file'],
    ['that is a table to look ids up in', '--summary', 'ids.csv', 'is the lookup'],
    ['that is no file', '--metrics', '-', 'must be a file'],
  ])('a file that cannot be written is reported before the first call: %s', async (_, flag, path, told) => {
    const service = await startService()
    const cwd = await files({
      'ids.csv': 'key,value\nx,y\n',
      'task.yaml': `lookups: { ids: { file: ids.csv, key: key, value: value } }\n${taskMapping}`,
    })
    await mkdir(join(cwd, 'folder'))
    const before = await contentsOf(cwd)
    const more = flag === '--summary' ? ['--metrics', 'metrics.prom'] : []
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url, ...more, flag, path), { cwd })
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain(told)
    expect(service.calls).toHaveLength(0)
    expect(await contentsOf(cwd)).toMatchObject(before)
    if (more.length > 0) expect((await metricsIn(join(cwd, 'metrics.prom'))).rowlift_run_exit_code).toBe(2)
  })

  it('a file that cannot be written makes 0 a 3, which the other file shows', async () => {
    let cwd = ''
    const service = await startService({
      react: () => {
        turnIntoFolder(join(cwd, 'summary.json'))
        return 'create'
      },
    })
    cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url, ...endFiles, '--quiet')
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(3)
    expect(run.stderr).toContain('summary.json: the summary could not be written (EISDIR)')
    expect(run.stderr).toContain('Import finished')
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(5)
    expect(await metricsIn(join(cwd, 'metrics.prom'))).toMatchObject({
      rowlift_run_exit_code: 3,
      rowlift_last_success_timestamp_seconds: 0,
      'rowlift_rows created': 5,
    })
  })

  it('a file that cannot be written keeps an exit code that was not 0', async () => {
    const { cwd, args } = await importing({
      react: () => {
        turnIntoFolder(join(cwd, 'metrics.prom'))
        return { answer: 422 }
      },
    })
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('the metrics file could not be written')
    expect((await summaryIn(join(cwd, 'summary.json'))).exit_code).toBe(1)
  })
})

/** While an import is under way. */
const turnIntoFolder = (path: string) => mkdirSync(join(path, 'in the way'), { recursive: true })

async function contentsOf(cwd: string): Promise<Record<string, string>> {
  const names = (await readdir(cwd, { withFileTypes: true })).filter(entry => entry.isFile())
  const texts = names.map(async ({ name }) => [name, await readFile(join(cwd, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

describe('run that finds the log held', () => {
  it('a run that finds the log held reports it in one line', async () => {
    const refused = closedLatch()
    const { service, cwd, args, read } = await importing(
      { holds: () => (service.calls.length > 5 ? refused.opened : undefined) },
      '--quiet',
    )
    await rowlift(args, { cwd })
    const good = await read()
    const fromInput = args.map(arg => (arg === 'tasks.csv' ? '-' : arg))
    const first = rowlift([...fromInput, '--lock-timeout', '1'], { cwd, stdin: tasks(8) })
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(5)
    const second = await rowlift(args, { cwd })
    expect(second).toMatchObject({ exitCode: 4, stdout: '' })
    expect(second.stderr).toMatch(/^rowlift: results.ndjson: another run holds this result log .+\n$/)
    const lastSuccess = good.metrics.rowlift_last_success_timestamp_seconds
    expect(await read()).toMatchObject({
      summary: { exit_code: 4, error: expect.stringContaining('another run holds') },
      metrics: { rowlift_run_exit_code: 4, rowlift_last_success_timestamp_seconds: lastSuccess },
    })
    refused.open()
    expect(await first).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const { summary, metrics } = await read()
    expect(summary).toMatchObject({ exit_code: 0, created: 3, done: 5 })
    expect(metrics.rowlift_last_success_timestamp_seconds).toBe(Date.parse(summary.ended_at) / 1000)
  })
})
