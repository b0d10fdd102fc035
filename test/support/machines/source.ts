/** What is imported, and what happens to a row whose call got no answer. */
export type Mode = 'at-most-once' | 'at-least-once' | 'use_created'

/** A row of the source of all machines. */
export interface MachineRow {
  /** The text in its column `Id`; empty where it has none. */
  readonly key: string
  /** The name in its body: no two rows have the same. */
  readonly name: string
  readonly isInvalid: boolean
  readonly email: string
}

const step = 7

/** Rows of which some are invalid, some have no key, and some have the key of one that stands in another chunk. */
export const machineRows = (count: number): MachineRow[] =>
  Array.from({ length: count }, (_, at) => {
    const number = at + 1
    const key = number % 17 === 0 ? ((number * step) % count) + 1 : number
    const hasKey = number % 29 !== 5
    return {
      key: hasKey ? String(key) : '',
      name: `Row ${number} ✓`,
      isInvalid: number % 23 === 3,
      email: `row${key}@example.com`,
    }
  })

/** The text of the source: an invalid row has no name. */
export const csvOf = (rows: readonly MachineRow[]): string =>
  ['Id,Name,Email', ...rows.map(row => `${row.key},${row.isInvalid ? '' : row.name},${row.email}`), ''].join(
    '\n',
  )

export const taskMapping = 'record: task\nkey: Id\nbody: { name: { from: Name, required: true } }\n'

/** The service finds contacts by their address. */
export const contactMapping = `record: contact
key: Id
use_created: true
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email } }]
`
