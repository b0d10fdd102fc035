import { randomUUID } from 'node:crypto'
import { type DataFile, openDataFile } from './data-file.ts'
import { bodyFields, type Fields } from './fields.ts'
import { type FindContact, fullRecord, type StoredRecord } from './records.ts'

/** `requestText` is the body as JSON on one line. */
export interface CreateRequest {
  organizationId: number
  useCreated: boolean
  fields: Fields
  requestText: string
}

export class Store {
  readonly records: StoredRecord[] = []
  readonly #contacts = new Map<string, StoredRecord>()
  readonly #similar = new Map<string, StoredRecord>()
  #file: DataFile | undefined

  /** Restores the records of a data file and keeps new ones in it. Throws like openDataFile. */
  openFile(path: string): void {
    this.#file = openDataFile(path, (stored, fields) => this.#add(stored, fields))
  }

  /** With `useCreated` finds a similar contact (interface 4.1). Throws, without a record, if the data file cannot be written. */
  create(request: CreateRequest): { kind: 'created' | 'existing'; stored: StoredRecord } {
    const { organizationId, fields, requestText } = request
    const keys = request.useCreated ? similarityKeys(organizationId, fields) : []
    const [similar] = keys.flatMap(key => this.#similar.get(key) ?? [])
    if (similar !== undefined) return { kind: 'existing', stored: similar }
    const stored: StoredRecord = {
      record_id: randomUUID(),
      record_type: fields.record_type,
      organization_id: organizationId,
      received_at: new Date().toISOString(),
      requestText,
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
      return bodyFields.contact.parse(JSON.parse(contact.requestText))
    }
    const fields = bodyFields[stored.record_type].parse(JSON.parse(stored.requestText))
    return fullRecord(stored, fields, findContact)
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #add(stored: StoredRecord, fields: Fields): void {
    this.records.push(stored)
    if (fields.record_type === 'contact') this.#contacts.set(stored.record_id, stored)
    for (const key of similarityKeys(stored.organization_id, fields)) {
      if (!this.#similar.has(key)) this.#similar.set(key, stored)
    }
  }
}

/** A guess (interface 4.1): a common e-mail, else the same sub-type and name, in any case; empty ones are like no other. */
function similarityKeys(organizationId: number, fields: Fields): string[] {
  if (fields.record_type === 'task') return []
  const { emails, name, record_sub_type = 'person' } = fields
  const keys = emails.filter(({ email }) => email.trim() !== '').map(({ email }) => [email])
  if (name.trim() !== '') keys.push([record_sub_type, name])
  return keys.map(key => JSON.stringify([organizationId, ...key]).toLowerCase())
}
