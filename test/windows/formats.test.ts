import { readdirSync, readFileSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { comparable } from '../support/expectations.ts'
import { folderWith, linesOf, rowlift, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'
import { windowsNode } from '../support/wine.ts'
import { zipOf } from '../support/zip.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** All that are no tables, and a part of the tables. */
const ofPresets = readdirSync(join(root, 'samples/presets'))
  .filter(file => !file.endsWith('.expected.ndjson'))
  .filter((file, at) => !file.endsWith('.csv') || at % 6 === 0)

/** Sources by their formats, each with a mapping. */
const sources: readonly (readonly [source: string, mapping: string])[] = [
  ...ofPresets.map(file => [`samples/presets/${file}`, `preset:${file.split('.')[0]}`] as const),
  ['samples/contacts-google/contacts.csv', 'samples/contacts-google/mapping.yaml'],
  ['samples/tasks-ndjson/tasks.ndjson', 'samples/tasks-ndjson/mapping.yaml'],
]

describe.runIf(windowsNode !== undefined)('input formats on Windows', () => {
  it.each(sources)('makes of %s what Linux makes of it', async (source, mapping) => {
    const args = ['import', source, '-m', mapping, '--dry-run', '--preview', '-']
    const [there, here] = await Promise.all([start(args, { cwd: root }).ended, rowlift(args, { cwd: root })])
    expect(linesOf(there.stdout).map(comparable)).toEqual(linesOf(here.stdout).map(comparable))
    expect(there.exitCode).toBe(here.exitCode)
  })

  it.each(readdirSync(join(root, 'samples/sheets')).filter(file => file.endsWith('.xlsx')))(
    'drafts a mapping for the workbook %s as Linux does, and reads it by that',
    async file => {
      const cwd = await tempFolder()
      await cp(join(root, 'samples/sheets', file), join(cwd, file))
      const draft = await start(['init', file, '-o', 'there.yaml'], { cwd }).ended
      expect((await rowlift(['init', file, '-o', 'here.yaml'], { cwd })).exitCode).toBe(draft.exitCode)
      expect(await readFile(join(cwd, 'there.yaml'), 'utf8')).toBe(
        await readFile(join(cwd, 'here.yaml'), 'utf8'),
      )
      const args = ['import', file, '-m', 'there.yaml', '--dry-run', '--preview', '-']
      const there = await start(args, { cwd }).ended
      expect(linesOf(there.stdout)).toEqual(linesOf((await rowlift(args, { cwd })).stdout))
      expect(linesOf(there.stdout).length).toBeGreaterThan(0)
    },
  )

  it('reads packed files, and standard input', async () => {
    const content = readFileSync(join(root, 'samples/presets/todoist.csv'))
    const cwd = await folderWith({
      'todoist.csv': content,
      'todoist.csv.gz': gzipSync(content),
      'all.zip': zipOf([{ name: 'todoist.csv', content }]),
    })
    const made: string[][] = []
    for (const source of ['todoist.csv', 'todoist.csv.gz', 'all.zip', '-']) {
      const service = await startService()
      const to = [
        '--base-url',
        service.url,
        '--organization-id',
        '7',
        '-o',
        `${made.length}.ndjson`,
        '--new-log',
      ]
      const accepted = ['--open-questions', 'accept'] // the preset asks which priority is the most urgent
      const args = ['import', source, '-m', 'preset:todoist', ...accepted, ...to]
      const { exitCode, stderr } = await start(args, { cwd, stdin: source === '-' ? content : '' }).ended
      expect([0, 1], stderr).toContain(exitCode)
      made.push(madeBy(service))
    }
    expect(made[0]?.length).toBeGreaterThan(0)
    for (const names of made) expect(names).toEqual(made[0])
  })
})
