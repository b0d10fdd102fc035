import { afterAll, describe, expect, it } from 'vitest'
import { type Case, casesOf, differencesOf, tableOf } from '../support/corpus.ts'

const kinds = ['contacts', 'organizations', 'tasks']

describe.each(kinds)('of an export of %s, a draft makes what was judged by hand', kind => {
  const judged: [Case, Awaited<ReturnType<typeof differencesOf>>][] = []

  for (const example of casesOf(kind))
    it(example.name, async () => {
      const found = await differencesOf(example)
      judged.push([example, found])
      const texts = found.map(({ text }) => text)
      if (example.open && !process.env.CORPUS_OPEN)
        expect(texts, 'it is reached now: take "open: true" out').not.toEqual([])
      else expect(texts).toEqual([])
    })

  afterAll(() => {
    if (process.env.CORPUS_TABLE) process.stderr.write(`\n${kind}: ${tableOf(judged)}`)
  })
})
