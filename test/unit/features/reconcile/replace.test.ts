import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Chain } from '../../../../src/store/files/checksum.ts'
import { files, importOf, tasks } from '../../../support/imports.ts'
import { lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { into, linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

const log = 'results.ndjson'
const idOf = (end: string) => `9d2f0000-0000-4000-8000-${end.padStart(12, '0')}`
const [wrong, right] = [idOf('bad'), idOf('a')]

/** A log of three tasks, the second and third of which hang and are in doubt. A task may name another as its parent. */
async function withDoubts() {
  let hangs = true
  const service = await startService({
    react: (_, { body }) =>
      hangs && /^Task [23]$/.test(String(body.name)) ? { cut: 'before reading' } : 'create',
  })
  const cwd = await files({
    'tasks.csv': tasks(3).replaceAll('\n', ',\n').replace('Name,', 'Name,Parent'),
    'task.yaml': `record: task\nkey: Id\nlookups: { tasks: { self: true, by: Id } }
body:
  name: "{{Name}}"
  parent: { record_id: { from: Parent, lookup: tasks } }
`,
  })
  const args = importOf('tasks.csv', 'task.yaml', service.url)
  expect((await rowlift(args, { cwd })).exitCode).toBe(1)
  hangs = false
  const file = join(cwd, log)
  return {
    ...{ service, cwd, args, file },
    again: () => rowlift(args, { cwd }),
    resolve: (...words: string[]) => rowlift(['resolve', log, '--key', '2', ...words], { cwd }),
    show: (...words: string[]) => rowlift(['log', log, ...words], { cwd }),
    async ids() {
      const { stdout } = await rowlift(['log', log, '--ids'], { cwd })
      return stdout.split('\n').flatMap(line => (/^[23],/.test(line) ? line.split(',')[1] : []))
    },
  }
}

/** Runs a command on a log in its folder. */
const on = (file: string, command: string, ...words: string[]) =>
  rowlift([command, log, ...words], { cwd: dirname(file) })

const replace = '--replace'
const named = (id: string) => ['--record-id', id]
const gone = '--not-created'

describe('row that a person settled wrongly', () => {
  it.each([
    [
      'by the record of another',
      named(wrong),
      named(right),
      'its record is known, because a person named it',
    ],
    ['by a record that is not there', named(wrong), [gone], 'its record is known, because a person named it'],
    ['without its record', [gone], named(right), 'it was not created, and the next import tries it again'],
  ])(
    'a row that a person settled wrongly, %s, stays as it is without --replace, which is named',
    async (_, before, after, reason) => {
      const { resolve, file } = await withDoubts()
      expect((await resolve(...before)).exitCode).toBe(0)
      const text = await readFile(file, 'utf8')
      for (const words of [after, []]) {
        const { exitCode, stderr } = await resolve(...words)
        expect(exitCode).toBe(2)
        expect(stderr).toContain(`the row with the key "2" is not in doubt; ${reason}`)
        expect(stderr).toContain('if it was wrong to say so, add --replace')
      }
      expect(await readFile(file, 'utf8')).toBe(text)
    },
  )

  it('a row that a person settled wrongly gets its record, and another row may have the wrong one', async () => {
    const { service, cwd, again, resolve, show, ids, file } = await withDoubts()
    await resolve(...named(wrong))
    expect(await resolve(...named(right), replace)).toMatchObject({
      exitCode: 0,
      stderr: 'results.ndjson: 1 row settled anew; 1 row is in doubt still.\n',
    })
    const [first, second] = (await outcomesIn(file)).filter(line => line.by_hand)
    expect(second).toMatchObject({ row: 2, line: 3, key: '2', status: 'created', record_id: right })
    expect(second).toMatchObject({
      record_type: 'task',
      hash: first.hash,
      corrects: first.run,
      by_hand: true,
    })
    expect(await ids()).toEqual([right])

    const other = ['resolve', log, '--key', '3', ...named(wrong.toUpperCase())]
    expect((await rowlift(other, { cwd })).exitCode).toBe(0)
    expect(await ids()).toEqual([right, wrong.toUpperCase()])
    const back = await resolve(...named(wrong), replace)
    expect([back.exitCode, back.stderr]).toEqual([2, expect.stringContaining('is that of tasks.csv row 3')])

    expect(linesOf((await show('--json')).stdout)).toMatchObject([
      { counts: { created: 3, in_doubt: 0, failed: 0, forgotten: 0 }, settled_by_hand: 2 },
    ])
    expect(summaryOf(await again())).toMatchObject({ done: 3, created: 0, in_doubt_total: 0 })
    expect(madeBy(service)).toEqual(['Task 1'])
  })

  it('a row that a person settled wrongly without its record gets it, and is never sent', async () => {
    const { service, again, resolve, ids } = await withDoubts()
    await resolve(gone)
    expect((await resolve(...named(right), replace)).exitCode).toBe(0)
    expect(await ids()).toEqual([right])
    expect(summaryOf(await again())).toMatchObject({ done: 2, in_doubt_total: 1 })
    expect(madeBy(service)).toEqual(['Task 1'])
  })

  it('a row that a person settled wrongly by a record that is not there is sent by the next import', async () => {
    const { service, again, resolve, show, ids } = await withDoubts()
    await resolve(...named(wrong))
    expect((await resolve(gone, replace)).stderr).toContain('1 row settled anew; 1 row is in doubt still')
    expect(await ids()).toEqual([])
    expect(linesOf((await show('--json')).stdout)).toMatchObject([
      { counts: { created: 1, in_doubt: 1, failed: 1 }, settled_by_hand: 1 },
    ])
    expect(summaryOf(await again())).toMatchObject({ created: 1, tried_again: 1 })
    expect(madeBy(service)).toEqual(['Task 1', 'Task 2'])
    const { exitCode, stderr } = await resolve(...named(right), replace)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the service told it')])
  })

  it('a row that a person settled wrongly may be settled as often as need be: the last word wins', async () => {
    const { service, again, resolve, ids, file } = await withDoubts()
    await resolve(...named(wrong))
    for (const words of [[gone], named(right), [gone], named(wrong), named(right)])
      expect((await resolve(...words, replace)).exitCode).toBe(0)
    expect(await ids()).toEqual([right])
    const text = await readFile(file, 'utf8')
    expect(await resolve(...named(right.toUpperCase()), replace)).toMatchObject({
      exitCode: 0,
      stderr: 'results.ndjson: 0 rows settled anew; 1 row is in doubt still.\n',
    })
    expect(await readFile(file, 'utf8')).toBe(text)
    await again()
    expect(madeBy(service)).toEqual(['Task 1'])
  })

  it('a row that a person settled wrongly is as it was if a power cut tears what replaces that', async () => {
    const { resolve, ids, file } = await withDoubts()
    await resolve(...named(wrong))
    await resolve(gone, replace)
    const [opening, line, ...rest] = (await readFile(file, 'utf8')).split(/(?<=\n)/).slice(-3)
    const { intents, chain, crc32, ...opened } = JSON.parse(opening ?? '')
    const inFlight = new Chain(Number.parseInt(chain, 16))
    await truncate(file, (await stat(file)).size - `${line}${rest.join('')}`.length + 50)
    await writeFile(`${file}.inflight`, inFlight.add(JSON.stringify({ ...opened, generation: 1 })))
    expect(await ids()).toEqual([wrong])
    expect((await resolve(...named(right), replace)).exitCode).toBe(0)
    expect(await ids()).toEqual([right])
  })

  it('a row that a person settled wrongly is linked by the last word, in its log and in others', async () => {
    const { service, cwd, args, resolve } = await withDoubts()
    await resolve(...named(wrong))
    await resolve(...named(right), replace)
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name,Parent\n1,Task 1,\n2,Task 2,\n4,Sub,2\n')
    expect((await rowlift(args, { cwd })).exitCode).toBe(1) // task 3 is in doubt still
    const other = `record: task\nkey: Nr\nlookups: { tasks: { results: ${log} } }
body: { name: "{{Name}}", parent: { record_id: { from: Of, lookup: tasks } } }\n`
    await writeFile(join(cwd, 'other.yaml'), other)
    await writeFile(join(cwd, 'other.csv'), 'Nr,Name,Of\n1,Other,2\n')
    const words = ['import', 'other.csv', '-m', 'other.yaml', ...into(service.url, 'other.ndjson')]
    expect((await rowlift(words, { cwd })).exitCode).toBe(0)
    expect(service.calls.slice(-2).map(({ body }) => body)).toMatchObject([
      { name: 'Sub', parent: { record_id: right } },
      { name: 'Other', parent: { record_id: right } },
    ])

    await resolve(gone, replace)
    await writeFile(join(cwd, 'other.csv'), 'Nr,Name,Of\n2,Another,2\n')
    expect(summaryOf(await rowlift(words, { cwd }))).toMatchObject({ created: 0, invalid: 1 })
  })

  it('a row that a person settled wrongly is verified and forgotten by the last word', async () => {
    const { service, cwd, resolve, ids, again } = await withDoubts()
    await resolve(...named(wrong))
    await resolve(...named(right), replace)
    const [made] = service.made
    await writeFile(join(cwd, 'there.csv'), `Id,Name\n${made?.recordId},Task 1\n${right},Task 2\n`)
    const verified = await rowlift(['verify', log, '--against', 'there.csv', '--id', 'Id'], { cwd })
    expect([verified.exitCode, JSON.parse(verified.stdout).counts]).toEqual([
      0,
      expect.objectContaining({ records: 2, found: 2, missing: 0, unknown: 0 }),
    ])
    await writeFile(join(cwd, 'keys.txt'), '2\n')
    const forgotten = await rowlift(['log', log, '--forget', '--keys', 'keys.txt', '--yes'], { cwd })
    expect([forgotten.exitCode, forgotten.stdout]).toEqual([0, expect.stringContaining(`2,${right},created`)])
    expect(forgotten.stdout).not.toContain(wrong)
    expect(await ids()).toEqual([])
    await again()
    expect(madeBy(service)).toEqual(['Task 1', 'Task 2'])
  })

  it('a row that a person settled wrongly leaves a record to the row that shares it', async () => {
    const [made, other] = [{ record_id: idOf('1'), record_type: 'contact' }, idOf('2')]
    const doubt = rowLine('in_doubt', 2, { record_type: 'contact', errors: [], body: {} })
    const file = await logOf(openingLine(), rowLine('created', 1, made), doubt)
    const of = (command: string, ...words: string[]) => on(file, command, ...words)
    expect((await of('resolve', '--key', 'k2', ...named(idOf('1')))).exitCode).toBe(0) // use_created
    expect((await of('resolve', '--key', 'k2', ...named(other), replace)).exitCode).toBe(0)
    const { stdout } = await of('log', '--ids')
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      `k1,${idOf('1')},created,contacts.csv,1`,
      `k2,${other},created,contacts.csv,2`,
    ])
    const forgotten = await of('log', '--forget', '--run', 'R1', '--yes')
    expect(forgotten.stdout).toContain(`k1,${idOf('1')}`)
    expect(forgotten.stdout).not.toContain('k2,')
  })

  it('a row that a person settled wrongly by an export of the service is settled anew, too', async () => {
    const doubt = { record_type: 'contact', errors: [], body: {} }
    const settled = { record_type: 'contact', record_id: wrong, by_hand: true, export: 'there.csv', run: 'H' }
    const file = await logOf(openingLine(), rowLine('in_doubt', 1, doubt), rowLine('created', 1, settled))
    expect((await on(file, 'resolve', '--key', 'k1', ...named(right), replace)).exitCode).toBe(0)
    expect((await outcomesIn(file)).at(-1)).toMatchObject({ record_id: right, corrects: 'H' })
    expect((await outcomesIn(file)).at(-1)).not.toHaveProperty('export')
  })
})

describe('row that no person settled', () => {
  it('a row that no person settled is never replaced if the service told its record', async () => {
    const { cwd, file } = await withDoubts()
    const text = await readFile(file, 'utf8')
    for (const more of [[], [replace]]) {
      const words = ['resolve', log, '--key', '1', ...named(right), ...more]
      const { exitCode, stderr } = await rowlift(words, { cwd })
      expect(exitCode).toBe(2)
      expect(stderr).toContain('its record is known: the service told it, so nobody replaces it')
      expect(stderr).toContain('if it is gone: rowlift log results.ndjson --forget')
    }
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('a row that no person settled, because it is in doubt, is settled with --replace as without', async () => {
    const { resolve, file } = await withDoubts()
    expect((await resolve(...named(right), replace)).stderr).toBe(
      'results.ndjson: 1 row settled; 1 row is in doubt still.\n',
    )
    expect((await outcomesIn(file)).at(-1)).not.toHaveProperty('corrects')
  })

  it.each([
    [
      'was refused',
      rowLine('failed', 1, { errors: [] }),
      'it was not created, and the next import tries it again\n',
    ],
    ['was forgotten', rowLine('forgotten', 1, { by_hand: true }), 'the next import tries it again\n'],
    ['is not in the log', rowLine('failed', 7, { errors: [] }), 'the log has no such row'],
  ])('a row that no person settled is not replaced if it %s', async (_, line, message) => {
    const file = await logOf(openingLine(), line)
    const { exitCode, stderr } = await on(file, 'resolve', '--key', 'k1', ...named(right), replace)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it.each([
    [['--key', '2', replace]],
    [[replace]],
    [['--all', gone, replace]],
    [['--from', 'x.csv', replace]],
  ])('a row that no person settled is not chosen by %j', async words => {
    const file = await logOf(openingLine())
    const { exitCode, stderr } = await on(file, 'resolve', ...words)
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('say which rows, and what became of them'),
    ])
  })
})

describe('line that a person took back', () => {
  it('a line that a person took back counts if the line that says so does not', async () => {
    const by = { by_hand: true, record_type: 'contact' }
    const first = rowLine('created', 1, { ...by, record_id: wrong, run: 'H1' })
    const second = lineText(rowLine('created', 1, { ...by, record_id: right, run: 'H2', corrects: 'H1' }))
    const others = rowLine('failed', 2, { ...by, errors: [], run: 'H1' })
    const doubts = [1, 2].map(row => rowLine('in_doubt', row, { errors: [], body: {} }))
    const ids = async (...lines: (object | string)[]) => {
      const file = await logOf(openingLine(), ...doubts, first, others, ...lines)
      return (await on(file, 'log', '--ids')).stdout.split('\n').flatMap(line => line.split(',')[1] ?? [])
    }
    expect(await ids(second)).toEqual(['record_id', right])
    expect(await ids(rowLine('in_doubt', 3, { errors: [], body: { corrects: 'H1' } }))).toEqual([
      'record_id',
      wrong,
    ])
    expect(await ids(rowLine('created', 2, { ...by, record_id: right, run: 'H2', corrects: 'H1' }))).toEqual([
      ...['record_id', wrong, right], // the same run said something of another row
    ])
  })
})
