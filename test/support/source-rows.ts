/** A row of a source, and its expected outcome. */
export interface SourceRow {
  /** Its line in the file. */
  readonly text: string
  /** The name in its body, unique among the records of the service. */
  readonly name: string
  readonly expected: 'sent' | 'invalid' | 'duplicate'
  /** By which the service recognizes the same contact. */
  readonly email?: string
}

/** A source with valid, invalid and duplicate rows, and its mapping. */
export interface SourceWithRows {
  readonly csv: string
  readonly mapping: string
  readonly rows: readonly SourceRow[]
}

const sourceOf = (header: string, mapping: string, rows: readonly SourceRow[]): SourceWithRows => ({
  csv: `${header}\n${rows.map(row => `${row.text}\n`).join('')}`,
  mapping,
  rows,
})

const numbered = (count: number, row: (number: number) => SourceRow) =>
  Array.from({ length: count }, (_, at) => row(at + 1))

const taskBody = 'body: { name: { from: Name, required: true } }\n'

/** Tasks with a key: some have no name, some the key of the row before, some no key, some a cell too many. */
export const keyedTasks = (count: number): SourceWithRows =>
  sourceOf(
    'Id,Name',
    `record: task\nkey: Id\n${taskBody}`,
    numbered(count, number => {
      const name = `Task ${number} ✓`
      if (number % 13 === 3) return { text: `${number},`, name, expected: 'invalid' }
      if (number % 13 === 6) return { text: `${number - 1},${name}`, name, expected: 'duplicate' }
      if (number % 13 === 9) return { text: `,${name}`, name, expected: 'sent' }
      if (number % 13 === 12) return { text: `${number},${name},more`, name, expected: 'invalid' }
      return { text: `${number},${name}`, name, expected: 'sent' }
    }),
  )

/** Tasks without a key: some rows are equal, which makes them two or three tasks of one name, and some have no name. */
export const unkeyedTasks = (count: number): SourceWithRows =>
  sourceOf(
    'Name,Notes',
    `record: task\n${taskBody}`,
    numbered(count, number => {
      if (number % 13 === 3) return { text: ',no name', name: '', expected: 'invalid' }
      const same = number % 13 === 6 || number % 13 === 7 ? number - (number % 13) + 5 : number
      const name = `Task ${same} ✓`
      return { text: `${name},`, name, expected: 'sent' }
    }),
  )

/** Contacts: some have no good address, some the key of the row before, some its address in capitals. */
export const contactsWithKey = (count: number): SourceWithRows =>
  sourceOf(
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
      if (number % 13 === 3) return { text: `${name},nope ${number}`, name, expected: 'invalid' }
      if (number % 13 === 6) return { text: `${name},${before}`, name, expected: 'duplicate' }
      if (number % 13 === 9)
        return { text: `${name},${before.toUpperCase()}`, name, expected: 'sent', email: before }
      return { text: `${name},${email}`, name, expected: 'sent', email }
    }),
  )
