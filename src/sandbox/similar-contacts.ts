import { type ContactFields, defaultContactSubType } from './contact-fields.ts'
import type { MadeRecord } from './made-record.ts'

/**
 * Finds contacts like another one, of the same organization, without a scan.
 * What makes a contact similar is not shown (interface 4.1); here it is any e-mail in common, else the same name and
 * sub-type, all without case. A contact without a name has no name in common with anyone. The oldest wins.
 */
export class SimilarContacts {
  readonly #byEmail = new Map<string, MadeRecord>()
  readonly #byName = new Map<string, MadeRecord>()

  find(organizationId: number, fields: ContactFields): MadeRecord | undefined {
    for (const key of emailKeys(organizationId, fields)) {
      const found = this.#byEmail.get(key)
      if (found !== undefined) return found
    }
    const key = nameKey(organizationId, fields)
    return key === undefined ? undefined : this.#byName.get(key)
  }

  add(made: MadeRecord, fields: ContactFields): void {
    for (const key of emailKeys(made.organizationId, fields)) {
      if (!this.#byEmail.has(key)) this.#byEmail.set(key, made)
    }
    const key = nameKey(made.organizationId, fields)
    if (key !== undefined && !this.#byName.has(key)) this.#byName.set(key, made)
  }
}

function emailKeys(organizationId: number, fields: ContactFields): string[] {
  const emails = (fields.emails ?? []).map(item => item.email.toLowerCase())
  return emails.filter(email => email.trim() !== '').map(email => `${organizationId}\n${email}`)
}

function nameKey(organizationId: number, fields: ContactFields): string | undefined {
  const name = fields.name?.toLowerCase() ?? ''
  if (name.trim() === '') return undefined
  const subType = (fields.record_sub_type ?? defaultContactSubType).toLowerCase()
  return JSON.stringify([organizationId, subType, name])
}
