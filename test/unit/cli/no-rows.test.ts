import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { testClock } from '../../support/clock.ts'
import { files, importOf, taskMapping, tasks } from '../../support/imports.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const mapping = 'record: task\nallow_unknown_fields: true\nbody: { name: { from: Name }, id: { from: Id } }\n'
const dryRun = ['-m', 'm.yaml', '--dry-run', '--preview', '-']

/** The status of each row of a dry run, with the code of what is wrong. */
async function ends(files: Readonly<Record<string, string>>, args: readonly string[], stdin?: string) {
  const cwd = await folderWith({ 'm.yaml': mapping, ...files })
  const { stdout } = await rowlift(['import', ...args, ...dryRun], {
    cwd,
    ...(stdin !== undefined && { stdin }),
  })
  return linesOf(stdout).map(({ line, status, errors }) => [
    line,
    status,
    ...(errors ?? []).map(({ code }: { code: string }) => code),
  ])
}

describe('row like the header', () => {
  it('a header is no row where files were joined, nor in other letters or with cells that are empty', async () => {
    const joined = 'Id,Name\n1,Ada\nId,Name\n2,Bob\n id , NAME\n'
    expect(await ends({}, ['-'], joined)).toEqual([
      [2, 'valid'],
      [3, 'invalid', 'header_again'],
      [4, 'valid'],
      [5, 'invalid', 'header_again'],
    ])
    const wide = 'Id,Name,Town\n1,Ada,Ulm\nId,Name,\n1,Name,\n,Name,\n'
    expect((await ends({ 'a.csv': wide }, ['a.csv'])).slice(1)).toEqual([
      [3, 'invalid', 'header_again'],
      [4, 'valid'],
      [5, 'valid'],
    ])
  })

  it('a header is no row in a file that had none before', async () => {
    const columns = mapping.replace('body', 'source: { header: { columns: [Id, Name] } }\nbody')
    expect(await ends({ 'm.yaml': columns, 'a.csv': 'Id,Name\n1,Ada\n' }, ['a.csv'])).toEqual([
      [1, 'invalid', 'header_again'],
      [2, 'valid'],
    ])
  })

  it('the name of the only column is its header again, in these letters alone', async () => {
    const one = 'record: task\nbody: { name: { from: Name } }\n'
    expect(await ends({ 'm.yaml': one, 'a.csv': 'Name\nAda\nName\nname\n' }, ['a.csv'])).toEqual([
      [2, 'valid'],
      [3, 'invalid', 'header_again'],
      [4, 'valid'],
    ])
  })

  it('a header that where leaves out is left out, and a rejected one stays invalid', async () => {
    const where = mapping.replace('body', 'where: { Id: { matches: "^[0-9]+$" } }\nbody')
    expect(await ends({ 'm.yaml': where, 'a.csv': 'Id,Name\n1,Ada\nId,Name\n' }, ['a.csv'])).toEqual([
      [2, 'valid'],
    ])
    const rejected = 'Id,Name,rowlift_key,rowlift_reason\nId,Name,sha256:00,\n'
    expect(await ends({ 'a.csv': rejected }, ['a.csv'])).toEqual([[2, 'invalid', 'header_again']])
  })

  it('a table of a lookup may have its header again', async () => {
    const looked = `record: task
allow_unknown_fields: true
lookups: { towns: { file: towns.csv, key: Code, value: Town } }
body: { name: { from: Name, lookup: towns } }
`
    const tables = {
      'm.yaml': looked,
      'a.csv': 'Name\nUL\nHH\n',
      'towns.csv': 'Code,Town\nUL,Ulm\nCode,Town\nHH,Hamburg\n',
    }
    expect(await ends(tables, ['a.csv'])).toEqual([
      [2, 'valid'],
      [3, 'valid'],
    ])
  })
})

describe('last line without its end', () => {
  const start = new Date('2026-11-21T08:00:00.000Z')
  const cut = `${tasks(3)}4,Ta`

  /** Imports a file that changed so many milliseconds ago. */
  async function importAfter(
    restMs: number,
    name: string,
    content: string | Buffer,
    more: readonly string[] = [],
  ) {
    const service = await startService()
    const cwd = await files({ 'task.yaml': taskMapping, [name]: content })
    const run = async (ms: number) => {
      const changed = new Date(start.getTime() - ms)
      await utimes(join(cwd, name), changed, changed)
      const clock = testClock(start)
      return rowlift(importOf(name, 'task.yaml', service.url, ...more), { cwd, clock })
    }
    return { service, cwd, run, first: await run(restMs) }
  }

  it('it is not sent from a file that changed in the last seconds; at rest it is a row like any other', async () => {
    const { service, cwd, run, first } = await importAfter(1_000, 'tasks.csv', cut)
    expect(first.exitCode).toBe(1)
    expect(first.stderr).toContain('has no line end, and the file may still be written')
    const [, , , last] = await outcomesIn(join(cwd, 'results.ndjson'))
    expect(last).toMatchObject({ line: 5, status: 'invalid', errors: [{ code: 'unfinished_line' }] })
    expect(service.made.map(({ name }) => name)).not.toContain('Ta')
    expect((await run(60_000)).exitCode).toBe(0)
    expect(service.made.map(({ name }) => name)).toContain('Ta')
  })

  it.each(['\n', '\r\n', '\n  ', '\r'])('a line with its end is whole: %j', async end => {
    const { first } = await importAfter(0, 'tasks.csv', tasks(3).trimEnd() + end)
    expect(first.exitCode).toBe(0)
  })

  it('a file whose time of change is ahead, a packed file and a pipe have whole lines', async () => {
    expect((await importAfter(-60_000, 'tasks.csv', cut)).first.exitCode).toBe(0)
    expect((await importAfter(0, 'tasks.csv.gz', gzipSync(cut))).first.exitCode).toBe(0)
    const service = await startService()
    const cwd = await files({ 'task.yaml': taskMapping })
    const args = ['import', '-', '-m', 'task.yaml', ...into(service.url)]
    expect((await rowlift(args, { cwd, stdin: cut })).exitCode).toBe(0)
  })

  it('an object that is closed is whole; one that is cut may still be written', async () => {
    const whole = '{"Id":"1","Name":"Ada"}\n{"Id":"2","Name":"Bob"}'
    expect((await importAfter(0, 'a.ndjson', whole)).first.exitCode).toBe(0)
    const { cwd, run } = await importAfter(0, 'a.ndjson', whole.slice(0, -3))
    const [, last] = await outcomesIn(join(cwd, 'results.ndjson'))
    expect(last.errors).toMatchObject([{ code: 'unfinished_line', value: '{"Id":"2","Name":"Bo' }])
    await run(60_000)
    const lines = await outcomesIn(join(cwd, 'results.ndjson'))
    expect(lines.at(-1).errors).toMatchObject([{ code: 'not_json' }])
  })
})
