import { afterAll, describe, expect, it } from 'vitest'
import { type Case, casesOf, differencesOf, tableOf } from '../support/corpus.ts'

const kinds = ['contacts', 'organizations', 'tasks']

describe.each(kinds)('drafts for exports of %s', kind => {
  const results: [Case, Awaited<ReturnType<typeof differencesOf>>][] = []

  for (const example of casesOf(kind))
    it(`a draft for ${example.name} makes what a careful person would make`, async () => {
      const found = await differencesOf(example)
      results.push([example, found])
      const texts = found.map(({ text }) => text)
      if (example.open && !process.env.CORPUS_OPEN)
        expect(texts, 'it is reached now: take "open: true" out').not.toEqual([])
      else expect(texts).toEqual([])
    })

  afterAll(() => {
    if (process.env.CORPUS_TABLE) process.stderr.write(`\n${kind}: ${tableOf(results)}`)
  })
})
