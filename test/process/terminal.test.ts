import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { cases } from '../support/long.ts'
import { into, linesOf, outcomesIn, rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { barsIn, hasEscapes, hasTerminal, inBash, onTerminal, shown } from '../support/terminal.ts'

const tested = `
record: task
body: { name: "{{Name}}" }
tests:
  - { name: good, row: { Name: One }, body: { name: One } }
`

describe.runIf(hasTerminal)('terminal', () => {
  const both = { NO_COLOR: '1', FORCE_COLOR: '1', NODE_NO_WARNINGS: '1' }
  const environments = [
    { given: 'no variable', env: {}, isColoured: true },
    { given: 'NO_COLOR', env: { NO_COLOR: '1' }, isColoured: false },
    { given: 'TERM=dumb', env: { TERM: 'dumb' }, isColoured: false },
    { given: 'FORCE_COLOR=0', env: { FORCE_COLOR: '0' }, isColoured: false },
    { given: 'NO_COLOR and FORCE_COLOR', env: both, isColoured: true },
  ]
  it.each(cases(environments, 1))(
    'a terminal with $given has colours: $isColoured',
    async ({ env, isColoured }) => {
      const cwd = await files({ 'tested.yaml': tested })
      const { text, exitCode } = await onTerminal(['test', 'tested.yaml'], { columns: 80, cwd, env })
      expect(text).toContain('1 passed')
      expect(hasEscapes(text)).toBe(isColoured)
      expect(exitCode).toBe(0)
    },
  )

  const logs = [
    { given: 'no variable', env: {}, sign: '\u001b[32mINFO', isColoured: true },
    { given: 'TERM=dumb', env: { TERM: 'dumb' }, sign: 'INFO', isColoured: false },
  ]
  it.each(cases(logs, 1))('a terminal with $given has colours in logs, too: $isColoured', async each => {
    const service = await startService()
    const cwd = await files({
      'a.yaml':
        'record: task\nkey: Id\nlookups: { self: { self: true, by: Id } }\nbody: { name: "{{Name}}" }\n',
    })
    const args = importOf('tasks.csv', 'a.yaml', service.url, '--log-level', 'info')
    const { text } = await onTerminal(args, { columns: 80, cwd, env: each.env })
    expect(text).toContain(each.sign)
    expect(hasEscapes(text)).toBe(each.isColoured)
  })

  it.each(cases([40, 20, 80], 1))(
    'the bar takes one line of %i columns, and leaves nothing behind',
    async columns => {
      const service = await startService({ latencyMs: 100 })
      const cwd = await files({ 'tasks.csv': tasks(24) })
      const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '4')
      const { text, exitCode } = await onTerminal(args, { columns, cwd })
      expect(exitCode).toBe(0)
      const bars = barsIn(text)
      expect(bars.length).toBeGreaterThan(0)
      expect(bars.filter(bar => [...bar].length > columns)).toEqual([])
      expect(shown(text, columns).filter(line => /\d%/.test(line))).toEqual([])
      expect(shown(text, columns).join('')).toContain('Import finished')
    },
  )

  it('the bar follows a terminal that is made narrower and wider', async () => {
    const service = await startService({ latencyMs: 20 })
    const cwd = await files({ 'tasks.csv': tasks(20_000) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2')
    let isTo: 'be narrowed' | 'be widened' | 'end' | undefined = 'be narrowed'
    const { text, exitCode } = await onTerminal(args, {
      columns: 100,
      cwd,
      onText(terminal) {
        const width = barsIn(terminal.text).at(-1)?.length
        if (width === undefined) return
        if (isTo === 'be narrowed') {
          isTo = 'be widened'
          terminal.resize(30)
        } else if (isTo === 'be widened' && width <= 30) {
          isTo = 'end'
          terminal.resize(100)
        } else if (isTo === 'end' && width > 30) {
          isTo = undefined
          terminal.interrupt()
        }
      },
    })
    expect(exitCode).toBe(130)
    expect(shown(text, 100).filter(line => /\d%/.test(line))).toEqual([])
  })

  it('a terminal of unknown width has lines instead of a bar', async () => {
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const { text, exitCode } = await onTerminal(args, { columns: 0, cwd, env: { NO_COLOR: '1' } })
    expect(text).toContain('INFO: progress')
    expect(hasEscapes(text)).toBe(false)
    expect(exitCode).toBe(0)
  })

  const pages = [
    ...[['import', '--all'], [], ['init'], ['test'], ['resolve'], ['sandbox']].map(words => ({
      words,
      columns: 80,
    })),
    ...[110, 200].map(columns => ({ words: ['import', '--all'], columns })),
  ].map(page => ({ ...page, command: ['rowlift', ...page.words].join(' ') }))
  it.each(cases(pages, 1))(
    'a terminal shows help of $command in $columns columns, with exit codes and the environment',
    async ({ words: command, columns }) => {
      const { text } = await onTerminal([...command, '--help'], { columns, cwd: await files() })
      const lines = text.split(/\r?\n/).filter(line => !line.startsWith('More: '))
      expect(lines.filter(line => line.length > 80)).toEqual([])
      expect(text).toContain('Exit codes')
      expect(text).toMatch(/More: .*README\.md/)
      if (command[0] === 'import') expect(text).toMatch(/ROWLIFT_TOKEN[\s\S]*NO_COLOR/)
      if (command.length > 0) expect(text).toContain('Examples:')
    },
  )
})

describe('reader that goes away', () => {
  it('a reader that goes away ends a dry run whose preview it reads, at once and quietly, with 141', async () => {
    const cwd = await files()
    const ended = await inBash(
      // without end, if nobody ends it
      `{ echo Id,Name; seq 1 1000000000 | sed 's/.*/&,Task &/'; } 2>/dev/null | rowlift import - -m task.yaml --dry-run --preview - 2>told | head -1; echo "\${PIPESTATUS[1]}"`,
      cwd,
    )
    const [line, code] = ended.stdout.trim().split('\n')
    expect(JSON.parse(line ?? '')).toMatchObject({ row: 1, status: 'valid' })
    expect(code).toBe('141')
    expect(ended.stderr).toBe('')
    expect(linesOf(await readFile(join(cwd, 'told'), 'utf8')).filter(({ level }) => level > 30)).toEqual([])
  })

  const texts = [
    'import tasks.csv -m task.yaml --dry-run --log-level silent',
    'import --help',
    '--help',
    'init tasks.csv 2>/dev/null',
    'test tested.yaml tested.yaml tested.yaml',
  ]
  it.each(cases(texts, 1))('a reader of %s that goes away is no fault', async command => {
    const cwd = await files({ 'tested.yaml': tested })
    const ended = await inBash(`rowlift ${command} | head -1`, cwd)
    expect(ended.stderr).toBe('')
    expect(ended.exitCode).toBe(0)
  })

  it('a reader of the rows in doubt that goes away is no fault', async () => {
    const service = await startService({ react: () => ({ cut: 'before reading' }) })
    const cwd = await files({ 'tasks.csv': tasks(3) })
    await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd })
    const ended = await inBash('rowlift resolve results.ndjson 2>told | head -1', cwd)
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'in_doubt' })
    expect({ ...ended, stdout: '' }).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  })

  it('a reader of results that goes away is a loss: the run stops with 3', async () => {
    const service = await startService({ latencyMs: 20 })
    const cwd = await files({ 'tasks.csv': tasks(40) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2').map(arg =>
      arg === 'results.ndjson' ? '-' : arg,
    )
    const ended = await inBash(`rowlift ${args.join(' ')} | head -2; echo "\${PIPESTATUS[0]}"`, cwd)
    const told = linesOf(ended.stderr)
    expect(ended.stdout.trim().split('\n').at(-1)).toBe('3')
    expect(told.some(({ msg = '' }) => /standard output: cannot be written/.test(msg))).toBe(true)
    expect(told.filter(({ status }) => status === 'created').length).toBeGreaterThan(0)
    expect(service.made.length).toBeLessThan(40)
  })

  const closings = [
    [
      '>&-',
      'standard output is closed or /dev/null, so no outcome would be kept; nothing was sent; open it, or give --results',
    ],
    ['>&4', 'standard output: cannot be written (EPIPE)'], // it had a reader
    ['1<>/dev/null', 'standard output is closed or /dev/null'],
    ['>/dev/full', 'standard output: cannot be written (ENOSPC)'],
  ] as const
  it.each(cases(closings, 2))(
    'a reader of results that was never there (%s) ends the run with 3',
    async (closing, words) => {
      const service = await startService()
      const cwd = await files()
      const args = ['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url, '-')]
      const ended = await inBash(
        `mkfifo pipe; exec 3<>pipe 4>pipe 3>&-; rowlift ${args.join(' ')} ${closing}`,
        cwd,
      )
      expect([ended.exitCode, ended.stderr]).toEqual([3, expect.stringContaining(words)])
      expect(service.calls).toEqual([])
    },
  )

  it.each(cases(['2> >(head -1 >/dev/null)', '2>&-'], 1))(
    'a reader of stderr (%s) that goes away stops nothing',
    async closing => {
      const service = await startService({ latencyMs: 5 })
      const cwd = await files({ 'tasks.csv': tasks(30) })
      const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2', '--log-level', 'trace')
      const ended = await inBash(`rowlift ${args.join(' ')} ${closing}`, cwd)
      expect(ended.exitCode).toBe(0)
      expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(30)
    },
  )
})
