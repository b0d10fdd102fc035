import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { type BodyFields, contactFields } from './fields.ts'
import { emulatedKinds, type StoredRecord, storedRecord } from './records.ts'

type Sent = Omit<StoredRecord, 'record_id' | 'received_at'>

/** The records that were created, and those of a data file: one a line, synchronously, so that a killed sandbox loses none. */
export class Store {
  readonly records: StoredRecord[] = []
  readonly #contacts = new Map<string, StoredRecord>()
  readonly #similar = new Map<string, StoredRecord>()
  #file: number | undefined

  /** Restores the records and cuts a torn last line off. Throws, with file and line, if another one is no record: the file is unchanged then. */
  openFile(path: string): void {
    this.#file = openSync(path, 'a+', 0o600)
    const bytes = readFileSync(this.#file)
    let start = 0
    for (let lineNumber = 1; start < bytes.length; lineNumber += 1) {
      const lineEnd = bytes.indexOf('\n', start)
      const end = lineEnd < 0 ? bytes.length : lineEnd
      const record = recordIn(bytes.toString('utf8', start, end))
      if (record === undefined) {
        if (end + 1 >= bytes.length && start > 0) break
        throw new Error(
          `${path}:${lineNumber}: this line is not a record of a sandbox; name another data file`,
        )
      }
      this.#add(record.stored, record.fields)
      start = end + 1
    }
    if (start > bytes.length) writeFileSync(this.#file, '\n')
    else truncateSync(path, start)
  }

  /** Creates a record, or with `useCreated` finds a similar contact (interface 4.1). Throws, without a record, if the data file cannot be written. */
  create(sent: Sent, fields: BodyFields, useCreated: boolean) {
    const keys = useCreated ? similarityKeys(sent, fields) : []
    const [similar] = keys.flatMap(key => this.#similar.get(key) ?? [])
    if (similar !== undefined) return { kind: 'existing', stored: similar } as const
    const stored = { record_id: randomUUID(), ...sent, received_at: new Date().toISOString() }
    if (this.#file !== undefined) writeFileSync(this.#file, `${JSON.stringify(stored)}\n`)
    this.#add(stored, fields)
    return { kind: 'created', stored } as const
  }

  /** The full record of interface 2.1 or 2.3; the same each time. */
  fullRecord(stored: StoredRecord): object {
    const kind = emulatedKinds[stored.record_type]
    return kind.record(stored, kind.body.parse(stored.request), recordId => {
      const contact = this.#contacts.get(recordId.toLowerCase())
      if (contact?.organization_id !== stored.organization_id) return undefined
      return contactFields.parse(contact.request)
    })
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #add(stored: StoredRecord, fields: BodyFields): void {
    this.records.push(stored)
    if (stored.record_type === 'contact') this.#contacts.set(stored.record_id, stored)
    for (const key of similarityKeys(stored, fields))
      if (!this.#similar.has(key)) this.#similar.set(key, stored)
  }
}

/** Keys that are the same in any case of letters. */
const similarityKeys = ({ record_type, organization_id }: Sent, fields: BodyFields): string[] =>
  (emulatedKinds[record_type].similarBy?.(fields) ?? []).map(key =>
    JSON.stringify([organization_id, ...key]).toLowerCase(),
  )

function recordIn(line: string) {
  try {
    const stored = storedRecord.parse(JSON.parse(line))
    return { stored, fields: emulatedKinds[stored.record_type].body.parse(stored.request) }
  } catch {
    return undefined
  }
}
