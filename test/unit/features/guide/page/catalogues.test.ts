import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { knownFields } from '../../../../../src/features/guide/fields.ts'

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>

const page = new URL('../../../../../src/features/guide/page/', import.meta.url)
const catalogues = readdirSync(new URL('texts', page)).map(
  name => [name, JSON.parse(readFileSync(new URL(`texts/${name}`, page), 'utf8'))] as [string, Catalogue],
)
const code = readdirSync(page, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name))
  .map(name => readFileSync(new URL(name.replaceAll('\\', '/'), page), 'utf8'))
  .join('\n')
/** Keys as they stand in the code, and the beginnings of those that end with a value. */
const named = new Set([...code.matchAll(/'(\w+)'/g)].map(([, key]) => key))
const beginnings = [...code.matchAll(/`(\w+_)\$\{/g)].map(([, beginning = '']) => beginning)
/** Catalogues by what the server says: paths of fields. */
const ofCodes = ['fields.json']
const placesIn = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

describe('catalogues of the page', () => {
  it.each(catalogues)('each text of %s is in English and German, with the same values', (_, catalogue) => {
    for (const [key, texts] of Object.entries(catalogue)) {
      expect(Object.keys(texts), key).toEqual(['en', 'de'])
      expect(placesIn(texts.de), key).toEqual(placesIn(texts.en))
    }
  })

  it('no key of a text is in two catalogues', () => {
    const keys = catalogues
      .filter(([name]) => !ofCodes.includes(name))
      .flatMap(([, texts]) => Object.keys(texts))
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  it('each name of a field is one of contacts or tasks', () => {
    const paths = [knownFields('contact'), knownFields('task')].flatMap(({ views }) =>
      views.map(({ path }) => path),
    )
    const [, names = {}] = catalogues.find(([name]) => name === 'fields.json') ?? []
    expect(Object.keys(names).filter(path => !paths.includes(path))).toEqual([])
  })

  it('each text is shown somewhere', () => {
    const keys = catalogues
      .filter(([name]) => !ofCodes.includes(name))
      .flatMap(([, texts]) => Object.keys(texts))
    const isUsed = (key: string) =>
      named.has(key.replace(/_(one|many)$/, '')) ||
      named.has(key) ||
      beginnings.some(beginning => key.startsWith(beginning))
    expect(keys.filter(key => !isUsed(key))).toEqual([])
  })
})
