import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { answered, logOf, openingLine, rowLine } from '../support/log-files.ts'
import { pollOptions } from '../support/polling.ts'
import { importForReport, rowsOf } from '../support/report-import.ts'
import { folderWith, start } from '../support/rowlift.ts'

const log = 'results.ndjson'
const main = fileURLToPath(new URL('../../dist/bin/rowlift.cjs', import.meta.url))

describe('page of real imports', () => {
  it('a page has in doubt what a run had under way, once it was killed', async () => {
    const { service, cwd, args, part, report } = await importForReport(4, {
      react: (_, { body }) => (/[12]$/.test(String(body.name)) ? 'create' : { hang: true }),
    })
    const { process, ended } = start([...args, '--lock-timeout', '1'], { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(4)
    await expect.poll(async () => (await part()).counts.created, pollOptions).toBe(2)
    expect((await report(log)).exitCode).toBe(0)
    expect((await part()).counts).toMatchObject({ created: 2, in_doubt: 0 })
    process.kill('SIGKILL')
    await ended
    const facts = await part()
    expect(facts.counts).toMatchObject({ created: 2, in_doubt: 2 })
    expect(rowsOf(facts.attention.rows).sort()).toEqual(['3 in_doubt', '4 in_doubt'])
    expect(facts.reasons).toMatchObject([
      { reason: 'the run was killed while the call was under way', rows: 2 },
    ])
    expect(facts.runs).toMatchObject([{ counts: { created: 2, in_doubt: 2 } }])
    expect(await readdir(cwd)).toContain('results.ndjson.inflight')
  })
})

describe('rowlift report', () => {
  it('rowlift report ends quietly when whoever reads the page goes away', async () => {
    const rows = Array.from({ length: 4_000 }, (_, at) => rowLine('failed', at, answered(422, 'no')))
    const file = await logOf(openingLine(), ...rows)
    const child = spawn(process.execPath, [main, 'report', file, '-o', '-'], { cwd: await folderWith({}) })
    let stderr = ''
    child.stderr.on('data', text => {
      stderr += text
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [exitCode] = await once(child, 'close')
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^4,000 rows, [^\n]+\n$/)
  })
})
