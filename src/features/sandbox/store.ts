import { randomUUID } from 'node:crypto'
import { type DataFile, openDataFile } from './data-file.ts'
import { contactFields, type Fields } from './fields.ts'
import { type FindContact, kinds, type StoredRecord } from './records.ts'

type Given = Omit<StoredRecord, 'record_id' | 'received_at'>

export class Store {
  readonly records: StoredRecord[] = []
  readonly #contacts = new Map<string, StoredRecord>()
  readonly #similar = new Map<string, StoredRecord>()
  #file: DataFile | undefined

  /** Restores the records of a data file and keeps new ones in it. Throws like openDataFile. */
  openFile(path: string): void {
    this.#file = openDataFile(path, (stored, fields) => this.#add(stored, fields))
  }

  /** Creates a record, or with `useCreated` finds a similar contact (interface 4.1). Throws, without a record, if the data file cannot be written. */
  create(
    given: Given,
    fields: Fields,
    useCreated: boolean,
  ): { kind: 'created' | 'existing'; stored: StoredRecord } {
    const keys = useCreated ? similarityKeys(given, fields) : []
    const [similar] = keys.flatMap(key => this.#similar.get(key) ?? [])
    if (similar !== undefined) return { kind: 'existing', stored: similar }
    const stored: StoredRecord = {
      record_id: randomUUID(),
      ...given,
      received_at: new Date().toISOString(),
    }
    this.#file?.append(stored)
    this.#add(stored, fields)
    return { kind: 'created', stored }
  }

  /** The full record of interface 2.1 or 2.3; the same each time. */
  fullRecord(stored: StoredRecord): object {
    const findContact: FindContact = recordId => {
      const contact = this.#contacts.get(recordId.toLowerCase())
      if (contact?.organization_id !== stored.organization_id) return undefined
      return contactFields.parse(JSON.parse(contact.requestText))
    }
    const kind = kinds[stored.record_type]
    return kind.record(stored, kind.body.parse(JSON.parse(stored.requestText)), findContact)
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #add(stored: StoredRecord, fields: Fields): void {
    this.records.push(stored)
    if (stored.record_type === 'contact') this.#contacts.set(stored.record_id, stored)
    for (const key of similarityKeys(stored, fields)) {
      if (!this.#similar.has(key)) this.#similar.set(key, stored)
    }
  }
}

/** In any case of letters. */
const similarityKeys = ({ record_type, organization_id }: Given, fields: Fields): string[] =>
  (kinds[record_type].similarBy?.(fields) ?? []).map(key =>
    JSON.stringify([organization_id, ...key]).toLowerCase(),
  )
