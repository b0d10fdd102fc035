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
const towns = ['Oxford', 'Leeds', 'York', 'Oxford', 'Bath', 'Leeds', 'Deal']
const codes = ['70110', '70220', '70330', '70110', '70440', '70220', '70550']

/** The fields of a table of columns, by their names. */
const bodyOf = (columns: Readonly<Record<string, readonly string[]>>) => {
  const all = Object.values(columns)
  const rows = all[0]?.map((_, at) => all.map(column => column[at] ?? '')) ?? []
  return content(draftOfCells(Object.keys(columns), rows)).body
}

describe('address by what its columns hold', () => {
  it('takes the street under a word that is not known beside the town', () => {
    const body = bodyOf({ Name: people, Qwhere: streets, City: towns, Phone: codes })
    expect(body.address).toEqual({ join: ['Qwhere', 'City'], with: ', ' })
  })

  it('takes the town under a word that is not known beside the postal code of a street', () => {
    const body = bodyOf({ Name: people, Street: streets, Zip: codes, Qplace: towns })
    expect(body.address).toEqual({ join: ['Street', 'Zip', 'Qplace'], with: ', ' })
  })

  it('an address is nobody whose e-mail is beside it', () => {
    const emails = people.map(name => `${name.replace(' ', '.')}@example.com`)
    const body = bodyOf({ Nom: people, Adresse: streets, 'Adresse mail': emails })
    expect(body).toMatchObject({
      address: { from: 'Adresse' },
      emails: [{ email: { from: 'Adresse mail' } }],
    })
  })

  it('leaves out the number of the house if the street has it', () => {
    const numbers = streets.map(street => street.replace(/^\D+/, ''))
    const body = bodyOf({ Name: people, Street: streets, 'House Number': numbers, City: towns })
    expect(body.address).toEqual({ join: ['Street', 'City'], with: ', ' })
  })

  it('leaves out a building that is called as the contact', () => {
    const names = people.map(name => `${name} School`)
    const body = bodyOf({ Name: names, Street: streets, Building: names, City: towns })
    expect(body.address).toEqual({ join: ['Street', 'City'], with: ', ' })
  })

  it('takes no units and no prices for an addition to a street', () => {
    const units = ['kg', 'pcs', 'kg', 'box', 'pcs', 'kg', 'box']
    const body = bodyOf({ Name: people, City: towns, Unit: units, pricePerUnit: codes })
    expect(body.address).toEqual({ from: 'City' })
  })

  it('leaves out a few other addresses beside full streets', () => {
    const others = ['', 'leave it at the gate', '', '', 'Dock 5', '', '']
    const body = bodyOf({ Name: people, Street: streets, City: towns, 'Delivery Address': others })
    expect(body.address).toEqual({ join: ['Street', 'City'], with: ', ' })
  })

  it('a vague word behind others names no place', () => {
    const amounts = [
      '120 metres',
      '30 metres',
      '200 metres',
      '5 metres',
      '80 metres',
      '10 metres',
      '40 metres',
    ]
    expect(
      bodyOf({
        Name: people,
        Email: people.map(name => `${name.replace(' ', '.')}@example.com`),
        'Qua lieu': amounts,
      }).address,
    ).toBeUndefined()
  })
})

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
    expect(content(draft).body.record_sub_type).toBe('organization')
  })
})

describe('phones by what the columns hold', () => {
  const numbers = people.map((_, at) => `20794609${at}8`)
  it.each([
    ['the code of a country', '+44'],
    ['the code of an area', '0121'],
  ])('join %s in the column before them', (_, code) => {
    const rows = people.map((name, at) => [name, code, at > 0 ? (numbers[at] ?? '') : ''])
    const draft = draftOfCells(['Name', 'Qcode', 'Phone'], rows)
    expect(content(draft).body.phones).toMatchObject([{ phone_number: { join: ['Qcode', 'Phone'] } }])
    expect(content(draft).tests[0].body).toEqual({ name: 'Ada Stone', record_sub_type: 'person' })
  })

  it('have a known word that touches another script', () => {
    const rows = people.map((name, at) => [name, `03-5550-110${at}`])
    const { body } = content(draftOfCells(['氏名', 'TEL直通'], rows))
    expect(body.phones).toMatchObject([{ phone_number: { from: 'TEL直通' } }])
  })
})

describe('description by what the columns hold', () => {
  const texts = people.map((_, at) => `surveys of harbours and bridges, and works of kind ${at} for towns`)
  it('takes long texts under a word that is not known', () => {
    expect(bodyOf({ Name: people, Qworks: texts }).description).toEqual({ from: 'Qworks' })
  })

  it('takes a column for addresses or notes that holds no address', () => {
    const notes = ['', 'ring twice', '', '', 'Dock 5', '', '']
    const body = bodyOf({ Name: people, Street: streets, City: towns, 'Delivery Address / Notes': notes })
    expect(body).toMatchObject({
      address: { join: ['Street', 'City'] },
      description: { from: 'Delivery Address / Notes' },
    })
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
