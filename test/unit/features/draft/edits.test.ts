import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { draftOf } from '../../../../src/features/draft/draft.ts'
import { factsOf } from '../../../../src/features/draft/drafts.ts'
import { bodyIn, withoutColumn, withRule } from '../../../../src/features/draft/edits/column-edits.ts'
import { UsageError } from '../../../../src/model/errors.ts'
import { casesOf } from '../../../support/corpus.ts'
import { fileWith } from '../../../support/read-input.ts'

const isNoList = () => false
const some = ['contacts', 'tasks'].flatMap(casesOf).filter((_, at) => at % 45 === 7)

describe('edits of a draft', () => {
  it.each(some)('take each column of $product out alone, and put it in again', async ({ text }) => {
    const facts = await factsOf(await fileWith('export.csv', text), {} as never, Readable.from([]))
    const draft = draftOf(facts).text
    const header = facts.columns.map(({ name }) => name)
    const placesIn = (text: string) =>
      new Map(header.map(name => [name, bodyIn(text, header).placesOf(name).length]))
    const before = placesIn(draft)
    for (const column of header) {
      const without = edited(() => withoutColumn(draft, column))
      if (without === undefined) continue
      expect(placesIn(without)).toEqual(new Map([...before, [column, 0]]))
      const again = withRule(without, 'files', { from: column }, isNoList, {})
      expect(again.split('\n').filter(line => !without.includes(line))).toHaveLength(1)
      expect(withoutColumn(again, column)).toBe(without)
    }
  })
})

/** Undefined if only a person can make the edit. */
function edited(edit: () => string): string | undefined {
  try {
    return edit()
  } catch (error) {
    if (error instanceof UsageError && /^(edit_by_hand|last_field)$/.test(error.code)) return undefined
    throw error
  }
}
