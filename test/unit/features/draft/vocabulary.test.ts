import { describe, expect, it } from 'vitest'
import { anyOf, headerWords, oneOf, vocabulary } from '../../../../src/features/draft/columns/words.ts'
import { RoleWords } from '../../../../src/features/draft/roles/match.ts'
import { content, draftFor } from '../../../support/drafts.ts'

const { holds, loose, ...words } = vocabulary
const records = ['contact', 'task'] as const
/** Lists of plain words. */
const lists = Object.entries(words).filter(
  ([, list]) => typeof list === 'string' && !/[()[\]]/.test(list),
) as [string, string][]

describe('vocabulary', () => {
  it.each(
    records.flatMap(record => Object.entries(vocabulary[record]).map(role => [record, ...role] as const)),
  )('the vocabulary of a %s has no word of %s that its header does not support', (record, role, list) => {
    const all = new RoleWords<string>(vocabulary[record], holds[record], loose[record])
    const header = (word: string) => (word.startsWith('~') ? `Home ${word.slice(1)}` : word.toUpperCase())
    const silent = list.split('|').filter(word => {
      const found = all.named(headerWords(header(word)), '')
      return !found.some(each => each.role === role)
    })
    expect(silent).toEqual([])
  })

  it.each(records)(
    'the vocabulary of a %s names only roles that there are, each with one kind of values',
    record => {
      const roles = Object.keys(vocabulary[record])
      const named = [
        ...Object.values(holds[record]).flatMap(list => list.split('|')),
        ...loose[record].split('|'),
      ]
      expect(roles).toEqual(expect.arrayContaining(named))
      const kinds = Object.values(holds[record]).flatMap(list => list.split('|'))
      expect(kinds).toEqual([...new Set(kinds)])
    },
  )

  it.each(lists)('the vocabulary has words in %s that are found as they stand in a header', (_, list) => {
    const [whole, some] = [oneOf(list), anyOf(list)]
    const lost = list.split('|').filter(word => {
      const header = headerWords(word)
      return /^[\p{L} ]+$/u.test(word) && !whole.test(header) && !some.test(`x ${header} y`)
    })
    expect(lost).toEqual([])
  })

  it.each([
    'Spouse Email',
    'assistant_email',
    'MotherEmail',
    'Notfall-E-Mail',
    'Courriel du conjoint',
    'Correo de la madre',
  ])('the vocabulary knows that %s is about somebody else', header => {
    const table = `Name,Email,${header}\nAda Stone,ada@example.com,bo@example.org\nBo Fox,bo@example.com,cy@example.org`
    expect(content(draftFor(table)).body.emails).toEqual([{ email: { from: 'Email', as: 'email' } }])
  })
})
