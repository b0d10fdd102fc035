// The files of the stories that the guide is played with, as people have them.
import { escaped, workbookOf } from './sheets.ts'

const rowsXml = (rows: readonly (readonly string[])[]) =>
  rows
    .map((cells, at) => {
      const inner = cells.map((cell, column) =>
        cell === ''
          ? ''
          : `<c r="${String.fromCharCode(65 + column)}${at + 1}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`,
      )
      return `<row r="${at + 1}">${inner.join('')}</row>`
    })
    .join('')

/** An address list with a cover, sections and a total: 12 people in it, one with a broken address. */
export const addressList = (): Buffer =>
  workbookOf({
    sheets: {
      Deckblatt: rowsXml([['Adressliste 2026'], ['Stand: 01.11.2026'], ['Büro Köhler']]),
      Adressen: rowsXml([
        ['Adressen der Kundschaft'],
        [],
        ['Kundennr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Straße', 'PLZ', 'Ort', 'Bemerkung'],
        ['Nord'],
        ...people.slice(0, 6).map(rowOf),
        ['Süd'],
        ...people.slice(6).map((person, at) => rowOf(person, at + 6)),
        ['Summe', '12'],
      ]),
    },
  })

const people = [
  ['Ada', 'Köhler'],
  ['Bob', 'Stein'],
  ['Cem', 'Yıldız'],
  ['Dörte', 'Groß'],
  ['Emil', 'Weiß'],
  ['Fritzi', 'Müller'],
  ['Gül', 'Demir'],
  ['Hanna', 'Schäfer'],
  ['Ida', 'Brandt'],
  ['Jörg', 'Vogel'],
  ['Käthe', 'Lang'],
  ['Lutz', 'Ohm'],
] as const

const mailOf = (first: string, last: string) =>
  `${first}.${last}@example.com`
    .normalize('NFD')
    .replaceAll(/[^a-zA-Z.@]/g, '')
    .toLowerCase()

const rowOf = ([first, last]: readonly [string, string], at: number): string[] => [
  `${1001 + at}`,
  first,
  last,
  at === 4 ? 'emil.weiss(at)example.com' : mailOf(first, last),
  at % 2 === 0 ? `0511 12345${at}` : `+49 511 12345${at}`,
  `Lindenweg ${at + 1}`,
  `3015${at % 10}`,
  'Hannover',
  at === 2 ? 'ruft zurück' : '',
]

/** Tasks with people to whom they are given, priorities and two forms of dates. */
export const taskList = `Task,Assigned To,Due,Priority,State,Notes
${Array.from({ length: 40 }, (_, at) => {
  const person = ['Ada Stone', 'Bob Fox', 'Cy Lee'][at % 3]
  const priority = ['High', 'Medium', 'Low', 'Blocker'][at % 4]
  return `Paint wall ${at + 1},${person},${(at % 28) + 1}/0${(at % 9) + 1}/2027,${priority},${at % 5 === 0 ? 'Done' : 'Open'},${at % 4 === 0 ? 'needs two coats' : ''}`
}).join('\n')}
`

/** Companies, their people and tasks about these, linked by names and addresses. */
export const linkedFiles = {
  'companies.csv': `Company,Website,City
Harbour Ltd,harbour.example,Leeds
Mill & Sons,mill.example,York
`,
  'people.csv': `First Name,Last Name,Email,Company
${['Ada,Stone,ada@example.com,Harbour Ltd', 'Bob,Fox,bob@example.com,Mill & Sons', 'Cy,Lee,cy@example.com,Harbour Ltd'].join('\n')}
`,
  'todos.csv': `Title,Due Date,Related Person
Call about the order,2027-01-05,ada@example.com
Send the offer,2027-01-07,bob@example.com
`,
}

/** A board with lists, cards and labels. */
export const board = JSON.stringify({
  name: 'Shop',
  lists: [
    { id: 'l1', name: 'To do' },
    { id: 'l2', name: 'Doing' },
  ],
  cards: Array.from({ length: 9 }, (_, at) => ({
    id: `c${at}`,
    name: `Shelf ${at}`,
    desc: at % 2 === 0 ? 'of oak' : '',
    idList: at % 3 === 0 ? 'l2' : 'l1',
    due: at % 4 === 0 ? '2027-02-01T10:00:00.000Z' : null,
  })),
})

/** Enough rows for a run that can be interrupted. */
export const longList = `Email,First Name,Last Name
${Array.from({ length: 300 }, (_, at) => `p${at}@example.com,Person,No${at}`).join('\n')}
`

/** Ten people, three of whom have neither name nor address. */
export const listWithFaults = `Id,Name,Email,City
${Array.from({ length: 10 }, (_, at) => (at % 4 === 1 ? `${at + 1},,,York` : `${at + 1},Person ${'ABCDEFGHIJ'[at]},person${at}@example.com,Leeds`)).join('\n')}
`
