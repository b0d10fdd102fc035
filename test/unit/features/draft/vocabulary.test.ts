import { describe, expect, it } from 'vitest'
import { evidence } from '../../../../src/features/draft/columns/evidence.ts'
import {
  contactRoles,
  headerWords,
  type RoleFacts,
  someWords,
  taskRoles,
  vocabulary,
  wholeWords,
} from '../../../../src/features/draft/columns/words.ts'
import { roleWords } from '../../../../src/features/draft/roles/match.ts'
import { content, draftFor } from '../../../support/drafts.ts'

const records: Readonly<Record<string, Readonly<Record<string, RoleFacts>>>> = {
  contact: contactRoles,
  task: taskRoles,
}
/** Lists of plain words. */
const lists = Object.entries(vocabulary).filter(
  ([, list]) => typeof list === 'string' && !/[()[\]]/.test(list),
) as [string, string][]

describe('vocabulary', () => {
  it.each(
    Object.entries(records).flatMap(([record, roles]) =>
      Object.entries(roles).map(([role, { words }]) => [record, role, words] as const),
    ),
  )('the vocabulary of a %s has no word of %s that its header does not support', (record, role, list) => {
    const all = roleWords<string>(records[record] ?? {})
    const header = (word: string) => (word.startsWith('~') ? `Home ${word.slice(1)}` : word.toUpperCase())
    const silent = list.split('|').filter(word => {
      const found = all.named(headerWords(header(word)), '')
      return !found.some(each => each.role === role)
    })
    expect(silent).toEqual([])
  })

  it.each(Object.entries(records))('the roles of a %s hold kinds of values that there are', (_, roles) => {
    const kinds = Object.values(roles).flatMap(({ holds }) => holds ?? [])
    expect(Object.keys(evidence)).toEqual(expect.arrayContaining(kinds))
  })

  it.each(lists)('the vocabulary has words in %s that are found as they stand in a header', (_, list) => {
    const [whole, some] = [wholeWords(list), someWords(list)]
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
