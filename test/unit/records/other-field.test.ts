import { describe, expect, it } from 'vitest'
import { otherField } from '../../../src/records/compare.ts'

const emails = (...list: string[]) => ({ emails: list.map(email => ({ email })) })
const phones = (...list: string[]) => ({ phones: list.map(phone_number => ({ phone_number })) })
const named = (name: unknown) => ({ name })
const described = (description: string) => ({ description })
const long = 'Bring the signed contract of 2019, two copies, and ask for the key of room 12'

describe('answer about the record that was sent', () => {
  it.each([
    ['nothing can be compared', named('Ada'), { id: 1 }],
    ['it has another type', named('Ada'), named({ first: 'Ada' })],
    ['it is empty', named('Ada'), named('')],
    ['it has other blanks and case', named('  ada  LOVELACE '), named('Ada Lovelace')],
    ['accents are composed otherwise', named('Jose\u0301 Zoë'), named('José Zoe\u0308')],
    ['accents are left out', named('José Ångström'), named('Jose Angstrom')],
    ['letters have another case form', named('Straße ıİ'), named('STRASSE II')],
    ['letters are of another width', named('ＡＢＣ１２'), named('abc12')],
    ['punctuation is left out', named("O'Brien & Sons, Inc."), named('OBrien Sons Inc')],
    ['it is escaped', named('Müller & <Söhne>'), named('M&uuml;ller &amp; &lt;S&ouml;hne&gt;')],
    ['it is escaped twice', named('Tom & Jerry'), named('Tom &amp;amp; Jerry')],
    ['markup is added', described(long), described(`<p style="x">${long.replace('two', '<b>two</b>')}</p>`)],
    ['markup is taken away', described(`<div>${long}<br></div>`), described(long)],
    [
      'it is cut',
      named('Ada Augusta King, Countess of Lovelace'),
      named('Ada Augusta King, Countess of Lov'),
    ],
    ['it has a title', named('Ada Lovelace'), named('Dr. Ada Lovelace, FRS')],
    ['the family name comes first', named('Ada Lovelace'), named('Lovelace, Ada')],
    ['letters were lost', named('Łukasz 张伟'), named('?ukasz ??')],
    ['it has signs only', named('🎉'), named('Party')],
    ['texts are too short to tell', described('call back'), described('n/a')],
    ['one address is the same', emails('a@x.test', 'B@x.test'), emails('c@x.test', 'b@X.TEST ')],
    ['a domain is spelled otherwise', emails('ada@bücher.test'), emails('ada@xn--bcher-kva.test')],
    ['a list is empty', emails('a@x.test'), emails()],
    ['a phone has another form', phones('+1 (415) 555-0100'), phones('4155550100')],
    ['a phone is another', phones('+1 (415) 555-0100'), phones('4155550199')],
  ])('an answer is about the record that was sent where %s', (_why, sent, answer) => {
    expect(otherField(sent, answer, false)).toBeUndefined()
  })
})

describe('answer about another record', () => {
  it.each([
    ['another name', 'name', named('Ada'), named('Bob')],
    ['a digit more', 'name', named('Row 1'), named('Row 10')],
    ['a digit less', 'name', named('Row 10'), named('Row 1')],
    ['other Chinese letters', 'name', named('张伟'), named('李娜')],
    ['other Cyrillic words', 'name', named('Анна Иванова'), named('Пётр Сидоров')],
    ['letters of a part of a word', 'name', named('Li'), named('Oliver')],
    ['the beginning of a word', 'name', named('Anna'), named('An')],
    ['another family name', 'name', named('Anna Berg'), named('Anna Meier')],
    ['another word in a sentence', 'name', named('Fix the login page'), named('Fix the logout page')],
    [
      'another name and the same address',
      'name',
      { ...named('Ada'), ...emails('a@x.test') },
      { ...named('Bob'), ...emails('a@x.test') },
    ],
    [
      'the same name and another address',
      'emails',
      { ...named('Ada'), ...emails('a@x.test') },
      { ...named('Ada'), ...emails('b@x.test') },
    ],
    ['other addresses', 'emails', emails('a@x.test'), emails('a@y.test', 'b@x.test')],
    [
      'another description',
      'description',
      { ...named('Ask'), ...described(long) },
      {
        ...named('Ask'),
        ...described('The parcel from Lisbon was not paid for, and waits at the customs office'),
      },
    ],
  ])('an answer is about another record if it has %s', (_what, field, sent, answer) => {
    expect(otherField(sent, answer, false)).toBe(field)
  })
})

describe('answer with a similar record', () => {
  const ada = { ...named('Ada'), ...emails('a@x.test'), ...phones('+1 415 555 0100') }
  it.each([
    ['its name', { ...named('ADA'), ...emails('b@x.test'), ...phones('1') }],
    ['an address', { ...named('Eve'), ...emails('a@x.test'), ...phones('1') }],
    ['a phone', { ...named('Eve'), ...emails('b@x.test'), ...phones('(415) 5550100') }],
    ['nothing that can be compared', { id: 1 }],
  ])('an answer with a similar record may have only %s', (_what, answer) => {
    expect(otherField(ada, answer, true)).toBeUndefined()
  })

  it('an answer with a similar record is about another one if nothing is the same', () => {
    expect(otherField(ada, { ...named('Eve'), ...emails('b@x.test') }, true)).toBe('name')
    expect(otherField(ada, emails('b@x.test'), true)).toBe('emails')
    expect(
      otherField({ ...named('Ada'), ...described(long) }, { ...named('Eve'), ...described(long) }, true),
    ).toBe('name')
  })
})

it('comparing two long texts takes no time that grows faster than they do', () => {
  const texts = ['<', '&', '&amp;', '<a ', 'a ', '1', '\u0301'].map(part => part.repeat(1_000_000))
  for (const text of texts) for (const other of texts) otherField({ name: text }, { name: other }, false)
})
