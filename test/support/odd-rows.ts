/** A row of an odd source, and what must become of it. */
export interface OddRow {
  /** Its line in the file. */
  readonly text: string
  /** The name in its body, by which the service's records are told apart. */
  readonly name: string
  readonly fate: 'sent' | 'invalid' | 'duplicate'
  /** What the service takes for the same contact. */
  readonly email?: string
}

/** A source with odd rows among the good ones, and its mapping. */
export interface OddSource {
  readonly csv: string
  readonly mapping: string
  readonly rows: readonly OddRow[]
}

const oddSource = (header: string, mapping: string, rows: readonly OddRow[]): OddSource => ({
  csv: `${header}\n${rows.map(row => `${row.text}\n`).join('')}`,
  mapping,
  rows,
})

const numbered = (count: number, row: (number: number) => OddRow) =>
  Array.from({ length: count }, (_, at) => row(at + 1))

const taskBody = 'body: { name: { from: Name, required: true } }\n'

/** Tasks with a key: some have no name, some the key of the row before, some no key, some a cell too many. */
export const keyedTasks = (count: number): OddSource =>
  oddSource(
    'Id,Name',
    `record: task\nkey: Id\n${taskBody}`,
    numbered(count, number => {
      const name = `Task ${number} ✓`
      if (number % 13 === 3) return { text: `${number},`, name, fate: 'invalid' }
      if (number % 13 === 6) return { text: `${number - 1},${name}`, name, fate: 'duplicate' }
      if (number % 13 === 9) return { text: `,${name}`, name, fate: 'sent' }
      if (number % 13 === 12) return { text: `${number},${name},more`, name, fate: 'invalid' }
      return { text: `${number},${name}`, name, fate: 'sent' }
    }),
  )

/** Tasks without a key: some rows are equal, which makes them two or three tasks of one name, and some have no name. */
export const unkeyedTasks = (count: number): OddSource =>
  oddSource(
    'Name,Notes',
    `record: task\n${taskBody}`,
    numbered(count, number => {
      if (number % 13 === 3) return { text: ',no name', name: '', fate: 'invalid' }
      const same = number % 13 === 6 || number % 13 === 7 ? number - (number % 13) + 5 : number
      const name = `Task ${same} ✓`
      return { text: `${name},`, name, fate: 'sent' }
    }),
  )

/** Contacts: some have no good address, some the key of the row before, some its address in capitals. */
export const contactsWithKey = (count: number): OddSource =>
  oddSource(
    'Name,Email',
    `record: contact
key: Email
use_created: true
body:
  name: "{{Name}}"
  emails: [{ email: { from: Email, as: email, required: true } }]
`,
    numbered(count, number => {
      const name = `Person ${number} ✓`
      const email = `person${number}@example.com`
      const before = `person${number - 1}@example.com`
      if (number % 13 === 3) return { text: `${name},nope ${number}`, name, fate: 'invalid' }
      if (number % 13 === 6) return { text: `${name},${before}`, name, fate: 'duplicate' }
      if (number % 13 === 9)
        return { text: `${name},${before.toUpperCase()}`, name, fate: 'sent', email: before }
      return { text: `${name},${email}`, name, fate: 'sent', email }
    }),
  )
