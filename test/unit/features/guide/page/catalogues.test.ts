import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>

const page = new URL('../../../../../src/features/guide/page/', import.meta.url)
const catalogues = readdirSync(new URL('texts', page)).map(
  name => [name, JSON.parse(readFileSync(new URL(`texts/${name}`, page), 'utf8'))] as [string, Catalogue],
)
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
      .filter(([name]) => name !== 'fields.json')
      .flatMap(([, texts]) => Object.keys(texts))
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })
})
