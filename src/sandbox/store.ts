import type { ContactFields } from './contact-fields.ts'
import { contactRecord } from './contact-record.ts'
import type { CreateTarget } from './create-path.ts'
import { DataFile } from './data-file.ts'
import type { MadeRecord } from './made-record.ts'
import { type CheckedFields, checkedFields } from './request-body.ts'
import { SimilarContacts } from './similar-contacts.ts'
import { taskRecord } from './task-record.ts'

/** Where the store takes ids and the time from. */
export interface StoreSources {
  newRecordId: () => string
  nowMs: () => number
}

/** The records of one sandbox, in the order in which they were made. */
export class Store {
  readonly #made: MadeRecord[] = []
  readonly #contactsById = new Map<string, MadeRecord>()
  readonly #similar = new SimilarContacts()
  readonly #sources: StoreSources
  #file: DataFile | undefined

  private constructor(sources: StoreSources) {
    this.#sources = sources
  }

  /**
   * @param dataFile path of the file that keeps the records; without it they live as long as the store
   * @throws Error when the file cannot be opened or holds something else
   */
  static async open(dataFile: string | undefined, sources: StoreSources): Promise<Store> {
    const store = new Store(sources)
    if (dataFile !== undefined) {
      store.#file = await DataFile.open(dataFile, (made, request) => {
        const checked = checkedFields(made.recordType, request)
        if (checked.kind === 'refused') return false
        store.#hold(made, checked)
        return true
      })
    }
    return store
  }

  get made(): readonly MadeRecord[] {
    return this.#made
  }

  /**
   * Makes a record, or with `useCreated` finds a similar contact (interface 4.1). Finding and making are one
   * synchronous step, so that of two equal calls at the same time one finds what the other made.
   * @throws Error when the data file cannot be written; then nothing was made
   */
  create(
    target: CreateTarget,
    checked: CheckedFields,
    requestText: string,
  ): { kind: 'created' | 'existing'; made: MadeRecord } {
    if (target.useCreated && checked.recordType === 'contact') {
      const similar = this.#similar.find(target.organizationId, checked.fields)
      if (similar !== undefined) return { kind: 'existing', made: similar }
    }
    const made: MadeRecord = {
      recordId: this.#sources.newRecordId(),
      recordType: target.recordType,
      organizationId: target.organizationId,
      receivedAtMs: this.#sources.nowMs(),
      requestText,
    }
    this.#file?.append(made)
    this.#hold(made, checked)
    return { kind: 'created', made }
  }

  /** The full record of interface 2.1 or 2.3; the same each time. */
  fullRecord(made: MadeRecord): object {
    const checked = checkedFields(made.recordType, JSON.parse(made.requestText))
    if (checked.kind === 'refused') throw new Error(`a held request is broken: ${checked.message}`)
    const known = (recordId: string) => this.#knownContact(made.organizationId, recordId)
    return checked.recordType === 'contact'
      ? contactRecord(made, checked.fields, known)
      : taskRecord(made, checked.fields, known)
  }

  /** Only the first call counts. */
  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #hold(made: MadeRecord, checked: CheckedFields): void {
    this.#made.push(made)
    if (checked.recordType !== 'contact') return
    this.#contactsById.set(made.recordId, made)
    this.#similar.add(made, checked.fields)
  }

  #knownContact(organizationId: number, recordId: string): ContactFields | undefined {
    const made = this.#contactsById.get(recordId.toLowerCase())
    if (made === undefined || made.organizationId !== organizationId) return undefined
    const checked = checkedFields('contact', JSON.parse(made.requestText))
    return checked.kind === 'fields' && checked.recordType === 'contact' ? checked.fields : undefined
  }
}
