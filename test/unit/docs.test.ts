import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileMapping } from '../../src/mapping/file.ts'
import { expectItsTestsToHold } from '../support/expectations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...(await readdir(`${root}/docs`)).map(file => `docs/${file}`)]

/** The whole mappings that stand in a page. */
async function mappingsIn(page: string): Promise<string[]> {
  const text = await readFile(`${root}/${page}`, 'utf8')
  return [...text.matchAll(/^ *```yaml\n([\s\S]*?)^ *```/gm)]
    .map(([, block = '']) => block)
    .filter(block => /^ *record:/m.test(block))
}

describe.each(pages)('%s', async page => {
  const mappings = await mappingsIn(page)

  it.runIf(mappings.length > 0)('has mappings that work as they stand', () => {
    for (const text of mappings) {
      const { tests } = compileMapping(page, text, '')
      if (tests.length > 0) expectItsTestsToHold(page, text)
    }
  })

  it('has links that lead somewhere', async () => {
    const text = await readFile(`${root}/${page}`, 'utf8')
    const folder = page.includes('/') ? `${root}/docs` : root
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      await expect(readFile(`${folder}/${target}`).catch(error => error.code)).resolves.not.toBe('ENOENT')
  })
})

describe('the cookbook', () => {
  it('tests every mapping that it shows', async () => {
    for (const text of await mappingsIn('docs/cookbook.md'))
      expect([text, compileMapping('cookbook', text, '').tests.length]).not.toEqual([text, 0])
  })
})
