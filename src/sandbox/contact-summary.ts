import type { ContactFields } from './contact-fields.ts'
import type { ContactReference } from './shared-fields.ts'

/** Finds what is known of a contact of the same organization by its id. */
export type KnownContacts = (recordId: string) => ContactFields | undefined

/**
 * The Contact summary of interface 2.2: of a contact that the sandbox made, else what the body says of it.
 * An id that nobody made is not refused, because ids may come from an import into another sandbox.
 * @param subType the sub-type of a contact of which none is known
 */
export function contactSummary(given: ContactReference, subType: string, known: KnownContacts) {
  const own = known(given.record_id)
  const source = own ?? given
  return {
    record_id: given.record_id,
    record_sub_type: source.record_sub_type ?? subType,
    name: source.name ?? '',
    avatar_url: source.avatar_url ?? null,
    parent_name: own === undefined ? (given.parent_name ?? null) : parentName(own, known),
    designation: source.designation ?? null,
    archived: source.archived ?? false,
  }
}

function parentName(contact: ContactFields, known: KnownContacts): string | null {
  if (!contact.parent) return null
  return known(contact.parent.record_id)?.name ?? contact.parent.name ?? null
}
