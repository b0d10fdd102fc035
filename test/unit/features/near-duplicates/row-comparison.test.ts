import { describe, expect, it } from 'vitest'
import { likenesses } from '../../../../src/features/near-duplicates/near-duplicates.ts'
import { nearKeysOf } from '../../../../src/features/near-duplicates/row-comparison.ts'
import type { Body } from '../../../../src/model/row.ts'

/** What two bodies share. */
function sharedBy(one: Body, other: Body): string[] {
  const prints = new Set(nearKeysOf(other).map(String))
  const found = nearKeysOf(one).filter(print => prints.has(String(print)))
  return [...new Set(found.map(([, , likeness]) => likenesses[likeness] ?? ''))]
}

const email = (...all: string[]) => ({ emails: all.map(each => ({ email: each })) })
const phone = (each: string) => ({ phones: [{ phone_number: each }] })
const domain = (each: string) => ({ url_details: { domain: each } })

describe('near duplicate bodies', () => {
  it.each<[string, Body, Body, string[]]>([
    ['any e-mail, in any case', email('a@x.example', 'B@x.example'), email('b@X.example'), ['email']],
    ['no e-mail where they differ', email('a@x.example'), email('ab@x.example'), []],
    ['a phone number without its extension', phone('+4930123456;ext=7'), phone('+4930123456'), ['phone']],
    ['no phone where only an e-mail reads like it', phone('+4930123456'), email('+4930123456'), []],
    ['a name in other case, order and punctuation', { name: "O'Neil, J.R." }, { name: 'JR oneil' }, ['name']],
    ['a name with and without accents', { name: 'Łukasz Müßig' }, { name: 'LUKASZ MUSSIG' }, ['name']],
    ['a name of other letters', { name: 'Ирина Йорк' }, { name: 'ЙОРК ирина' }, ['name']],
    ['a composed and a decomposed name', { name: 'Zoë' }, { name: 'Zoe\u0308' }, ['name']],
    ['no name with another word', { name: 'Ann Lee' }, { name: 'Ann Lee Ray' }, []],
    ['no name where vowels are marks', { name: 'राम' }, { name: 'रमा' }, []],
    [
      'a name and a domain',
      { name: 'Ann', ...domain('x.example') },
      { name: 'Ann', ...domain('X.example') },
      ['name_and_domain', 'name'],
    ],
    [
      'a name and the domain of an e-mail',
      { name: 'Ann', ...email('ann@gmail.com', 'a@x.example') },
      { name: 'ANN', ...domain('x.example') },
      ['name_and_domain', 'name'],
    ],
    [
      'no domain where anybody may have an address there',
      { name: 'Ann', ...email('ann@gmail.com') },
      { name: 'Ann', ...email('a@gmail.com') },
      ['name'],
    ],
    ['nothing where a name is of signs alone', { name: '—?' }, { name: '...' }, []],
    ['nothing where all is empty', {}, { emails: [], phones: [{}], name: ' ' }, []],
    ['nothing where fields are something else', { emails: 'a', name: 3 }, { emails: 'a', name: 3 }, []],
  ])('two bodies share: %s', (_, one, other, shared) => {
    expect(sharedBy(one, other)).toEqual(shared)
    expect(sharedBy(other, one).sort()).toEqual(shared.toSorted())
  })
})
