import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = new URL('../../src/', import.meta.url)

/** The most lines of the core and of each feature. A number is raised only with a reason in its commit; what is saved lowers it. */
const mostLines: Readonly<Record<string, number>> = {
  core: 20_443,
  approval: 270,
  archives: 219,
  calendar: 500,
  cards: 360,
  changes: 243,
  completion: 70,
  doctor: 339,
  draft: 6_329,
  fields: 133,
  finished: 152,
  guide: 4_633,
  'json-documents': 343,
  ledger: 3_509,
  'log-tools': 894,
  'mapping-tests': 296,
  metrics: 137,
  migration: 473,
  'near-duplicates': 395,
  'other-logs': 585,
  profile: 296,
  reconcile: 1_495,
  report: 93,
  sandbox: 709,
  'sanity-checks': 269,
  sheets: 659,
  watch: 178,
  worksheets: 297,
}
const mostCoreFiles = 186

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => /\.tsx?$/.test(path))
const linesOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(path, src)), 'utf8').split('\n').length - 1
const partOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1] ?? 'core'

const lines: Record<string, number> = {}
for (const path of files) lines[partOf(path)] = (lines[partOf(path)] ?? 0) + linesOf(path)

describe('size of the house', () => {
  it('the size test has a number for the core and for each feature, and for nothing else', () => {
    expect(Object.keys(mostLines).sort()).toEqual(Object.keys(lines).sort())
  })

  it.each(Object.entries(mostLines))(
    'the size of %s is at most %i lines, and not far below',
    (part, most) => {
      expect(lines[part]).toBeLessThanOrEqual(most)
      expect(lines[part], `lower the number of ${part}`).toBeGreaterThan(most * 0.95)
    },
  )

  it(`the size of the core is at most ${mostCoreFiles} files`, () => {
    expect(files.filter(path => partOf(path) === 'core').length).toBeLessThanOrEqual(mostCoreFiles)
  })
})
