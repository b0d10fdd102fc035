import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { folderWith, into, linesOf, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

const twoRows = () =>
  logOf(
    openingLine('R1', { approval: 'a1' }),
    rowLine('created', 1, { record_id: '9d2f0000-0000-4000-8000-000000000001' }),
    rowLine('in_doubt', 2, { errors: [], body: {} }),
  )

const move = (log: string, url: string, ...words: string[]) =>
  rowlift(['log', 'results.ndjson', '--moved-to', url, ...words], { cwd: dirname(log) })

describe('rowlift log --moved-to', () => {
  it('rowlift log --moved-to says what it would do, and changes nothing until somebody says yes', async () => {
    const log = await twoRows()
    const before = await readFile(log, 'utf8')
    expect(await move(log, 'https://new.example.com/')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'rowlift: results.ndjson: would move from https://api.example.com to https://new.example.com, with 1 record and 1 row in doubt; the next import goes on there; add --yes if that service has these very records\n',
    })
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('rowlift log --moved-to writes an opening and a closing line, once', async () => {
    const log = await twoRows()
    expect(await move(log, 'https://new.example.com', '--yes')).toMatchObject({
      exitCode: 0,
      stderr:
        'results.ndjson: moved from https://api.example.com to https://new.example.com, with 1 record and 1 row in doubt\n',
    })
    const lines = linesOf(await readFile(log, 'utf8'))
    expect(lines).toHaveLength(5)
    const opening = { command: 'move', base_url: 'https://new.example.com', mapping_sha256: 'a1' }
    expect(lines[3]).toMatchObject(opening)
    expect(lines[3]).not.toHaveProperty('approval')
    const again = await move(log, 'HTTPS://New.Example.com:443//', '--yes')
    const words = expect.stringContaining('belongs to https://new.example.com already')
    expect(again).toMatchObject({ exitCode: 0, stderr: words })
    expect(linesOf(await readFile(log, 'utf8'))).toHaveLength(5)
    const shown = await rowlift(['log', 'results.ndjson'], { cwd: dirname(log) })
    expect(shown.stdout).toContain('contacts of organization 7 at https://new.example.com')
    expect(shown.stdout).toMatch(/0\.0 s {2}move /)
  })

  it('rowlift log --moved-to refuses to leave this machine, and what is no web address', async () => {
    const log = await logOf(openingLine('R1', { base_url: 'http://[::1]:8787' }))
    const before = await readFile(log, 'utf8')
    const away = await move(log, 'https://api.example.com', '--yes')
    expect(away).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('its ids mean nothing at') })
    const bad = await move(log, 'ftp://example.com', '--yes')
    expect(bad).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--moved-to: is not a web address'),
    })
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('an import goes on at the address to which its log moved, and not at the old one', async () => {
    const { url, made } = await startService()
    const cwd = await folderWith({
      'rows.csv': 'Id,Name\n1,One\n2,Two\n',
      'map.yaml': 'record: task\nkey: Id\nbody: { name: { from: Name } }\n',
    })
    const words = (to: string) => ['import', 'rows.csv', '-m', 'map.yaml', ...into(to)]
    await rowlift([...words(url), '--limit', '1'], { cwd })
    const refused = await rowlift(words(`${url}/moved`), { cwd })
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        `its 1 record would be created again there; if the records were moved along: rowlift log results.ndjson --moved-to "${url}/moved" --yes; if it is another service, name another log by --results`,
      ),
    })
    const elsewhere = await rowlift(words('https://api.example.com'), { cwd })
    expect(elsewhere.stderr).toContain('its 1 record would be created again there; name another log by')
    await rowlift(['log', 'results.ndjson', '--moved-to', `${url}/moved`, '--yes'], { cwd })
    const dry = await rowlift([...words(`${url}/moved`), '--dry-run'], { cwd })
    expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringContaining('"left_alone":1')])
    expect((await rowlift(words(url), { cwd })).exitCode).toBe(2)
    const spelled = `${url.replace('127.0.0.1', 'LOCALHOST')}/moved/`
    expect((await rowlift(words(spelled), { cwd })).exitCode).toBe(0)
    expect(made.map(({ name }) => name)).toEqual(['One', 'Two'])
  })
})
