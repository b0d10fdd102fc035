import { describe, expect, it } from 'vitest'
import { folded, found } from '../../../../../src/features/guide/page/filter.ts'

const options = [
  { id: 'emails.email', label: 'E-Mail', detail: 'an address', words: ['Courriel'] },
  { id: 'name', label: 'Name', detail: '', words: ['Vorname', 'Nachname'] },
  { id: 'parent', label: 'Gehört zu', detail: 'the name of a company', words: ['Firma'] },
  { id: 'street', label: 'Große Straße', detail: '', words: [] },
]
const idsOf = (text: string) => found(options, text).map(({ id }) => id)

describe('options that are found by typing', () => {
  it('a text without accents and case finds letters that have them', () => {
    expect(folded('GEHÖRT')).toBe('gehort')
    expect(idsOf('gehort')).toEqual(['parent'])
    expect(idsOf('grosse strasse')).toEqual(['street'])
    expect(idsOf('COURRIEL')).toEqual(['emails.email'])
  })

  it('labels that start with the text come first, then labels, then other words', () => {
    expect(idsOf('name')).toEqual(['name', 'parent'])
  })

  it('each word has to be there, in any place', () => {
    expect(idsOf('company zu')).toEqual(['parent'])
    expect(idsOf('company mail')).toEqual([])
  })

  it('an empty text leaves all options in their order', () => {
    expect(found(options, ' ')).toEqual(options)
  })
})
