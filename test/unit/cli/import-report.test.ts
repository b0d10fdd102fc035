import { writeFileSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importing } from '../../support/imports.ts'
import { into, rowlift } from '../../support/rowlift.ts'

const log = 'results.ndjson'

describe('import --report', () => {
  const pageIn = (cwd: string) => readFile(join(cwd, 'page.html'), 'utf8')

  it('import --report writes the page when the run is over, and the summary is the last word', async () => {
    const { cwd, args } = await importing(
      3,
      { react: (_, { body }) => (body.name === 'Task 2' ? { answer: 422, body: 'odd name' } : 'create') },
      ...['--report', 'page.html'],
    )
    const { exitCode, stderr } = await rowlift(args, { cwd })
    expect(exitCode).toBe(1)
    const lines = stderr.trim().split('\n')
    expect(lines.at(-1)).toContain('"msg":"summary"')
    expect(lines.at(-2)).toContain('the page is page.html')
    expect(await pageIn(cwd)).toContain('odd name')
    expect((await stat(join(cwd, 'page.html'))).mode & 0o777).toBe(0o600)
  })

  it('import --report is refused before anything is sent if the page has no place', async () => {
    const { service, cwd, args } = await importing(2)
    await writeFile(join(cwd, 'notes.html'), 'mine')
    for (const [words, message] of [
      [['--report', 'tasks.csv'], 'tasks.csv: is the source; give the page another name'],
      [['--report', 'task.yaml'], 'task.yaml: is the mapping; give the page another name'],
      [['--report', log], 'results.ndjson: is the result log; give the page another name'],
      [['--report', `./${log}`], 'is the result log; give the page another name'],
      [['--report', 'notes.html'], 'is not a page of rowlift report'],
      [['--report', 'none/page.html'], 'the page cannot be written there (ENOENT)'],
      [['--report', '-'], '--report needs a file'],
    ] as const) {
      const { exitCode, stderr } = await rowlift([...args, ...words], { cwd })
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
    }
    const piped = args.map(word => (word === log ? '-' : word))
    const { exitCode, stderr } = await rowlift([...piped, '--report', 'page.html'], { cwd })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--results - leaves none')])
    expect(service.calls).toEqual([])
  }, 60_000)

  it('import --report without a page is reported, and a clean end becomes 3', async () => {
    for (const [answer, expected] of [
      [200, 3],
      [422, 1],
    ] as const) {
      let cwd = ''
      const importer = await importing(1, {
        react: () => {
          writeFileSync(join(cwd, 'page.html'), 'somebody else was faster')
          return answer === 200 ? 'create' : { answer, body: 'no' }
        },
      })
      cwd = importer.cwd
      const { exitCode, stderr } = await rowlift([...importer.args, '--report', 'page.html'], { cwd })
      expect(exitCode).toBe(expected)
      expect(stderr).toContain('no page was written: page.html: exists, is not a page')
      expect(stderr).toContain('To make it later: rowlift report results.ndjson')
      expect(stderr).toContain('"msg":"summary"')
      expect(await pageIn(cwd)).toBe('somebody else was faster')
    }
  })

  it('import --report may come from the environment, and has no page without a run', async () => {
    const { cwd, args } = await importing(1)
    const env = { ROWLIFT_REPORT: 'page.html' }
    expect((await rowlift([...args, '--rate', 'x'], { cwd, env })).exitCode).toBe(2)
    expect(await readdir(cwd)).not.toContain('page.html')
    expect((await rowlift(args, { cwd, env })).exitCode).toBe(0)
    expect(await readdir(cwd)).toContain('page.html')
  })

  it('import --report shows in a dry run what would be sent and what is wrong, by column', async () => {
    const cwd = await files()
    const args = ['import', 'contacts.csv', '-m', 'map.yaml', '--dry-run']
    const { exitCode, stderr } = await rowlift([...args, '--report', 'page.html'], { cwd })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('the page is page.html')
    const text = await pageIn(cwd)
    for (const shown of ['nope', 'cy@example.com', 'is not an e-mail address', 'map.yaml'])
      expect(text).toContain(shown)
    expect((await rowlift([...args, ...into('http://x'), '--report', 'page.html'], { cwd })).exitCode).toBe(2)
  })

  it('import --report leaves the log of a dry run as it is', async () => {
    const { service, cwd, args } = await importing(3)
    await rowlift([...args, '--limit', '1'], { cwd })
    const before = await readFile(join(cwd, log), 'utf8')
    const words = ['--dry-run', '--report', 'page.html']
    expect((await rowlift([...args, ...words], { cwd })).exitCode).toBe(0)
    expect(await readFile(join(cwd, log), 'utf8')).toBe(before)
    expect(service.made).toHaveLength(1)
  })
})
