import { describe, expect, it } from 'vitest'
import { comments, content, draftOfCells } from '../../../support/drafts.ts'

const people = ['Ada Stone', 'Bob Fox', 'Cem Aksoy', 'Dora Lund', 'Eva Kraus', 'Finn Berg', 'Gil Hart']
const streets = [
  'Mill Lane 4',
  'Weir Road 12',
  'High Street 7',
  'Park Row 31',
  'Quay 9b',
  'Hill Side 22',
  'Elm Way 3',
]

describe('kind by what the columns hold', () => {
  it('names with numbers, brackets or many words are asked about', () => {
    const names = [
      '1. Harbour Post',
      'Mill (North)',
      'House 12',
      'Quay & Weir',
      'Cem Aksoy',
      'Lower Mill (Old Wing)',
      'Pier 9',
    ]
    const draft = draftOfCells(
      ['Name', 'Phone'],
      names.map((name, at) => [name, `+44 20 7946 095${at}`]),
    )
    expect(comments(draft)).toContain('? Are some of "Name" organizations?')
  })

  it('titles that differ name the contacts if nothing else does', () => {
    const titles = ['Harbour', 'Mill Works', 'Quay', 'Weir House', 'North Pier', 'Lock Nine', 'Old Dock']
    const rows = titles.map((title, at) => [title, at % 2 ? 'North' : 'South', `post@w${at}.example.com`])
    const draft = draftOfCells(['Title', 'Provinces', 'Email'], rows)
    expect(content(draft).body).toMatchObject({ name: { from: 'Title' } })
    expect(comments(draft)).toContain('? No column says that it names anybody. Is "Title"')
  })

  it('people among organizations have no number of a tax', () => {
    const numbers = ['', 'GB123456789', '', 'GB223456789', '', 'GB323456789', '']
    const names = people.map((name, at) => (numbers[at] ? `${name} Ltd` : name))
    const draft = draftOfCells(
      ['Company', 'VAT Number'],
      names.map((name, at) => [name, numbers[at] ?? '']),
    )
    expect(comments(draft)).toContain('? Are those without "VAT Number" people, such as "Ada Stone"?')
    expect(content(draft).body.record_sub_type).toMatchObject({ from: 'VAT Number', default: 'person' })
  })

  it('who is somebody else does not make people of organizations', () => {
    const names = people.map((_, at) => `Works No. ${at + 1}`)
    const rows = names.map((name, at) => [name, people[at] ?? '', 'Mr', streets[at] ?? ''])
    const draft = draftOfCells(['Name', 'Owner Name', 'Owner Salutation', 'Street'], rows)
    expect(comments(draft)).toContain('? Are some of "Name" organizations?')
  })
})

describe('name by what its columns hold', () => {
  it('a form of address is nobody', () => {
    const titles = ['Mr', 'Mrs', 'Mr', 'Ms', 'Mrs', 'Mr', 'Mr']
    const rows = people.map((name, at) => [titles[at] ?? '', ...name.split(' ')])
    const draft = draftOfCells(['Title', 'First Name', 'Last Name'], rows)
    expect(draft.text).not.toContain('organization of')
  })
})
