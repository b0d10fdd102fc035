import { z } from 'zod'
import { each } from '../../records/fields.ts'
import {
  type BodyFields,
  type ContactFields,
  contactFields,
  derivedInteger,
  fullUser,
  type TaskFields,
  taskFields,
  zeroTimestamp,
} from './fields.ts'

type FindContact = (recordId: string) => ContactFields | undefined

interface EmulatedKind<F extends BodyFields = BodyFields> {
  readonly body: z.ZodType<F>
  /** The full record that a create call answers with. */
  record(stored: StoredRecord, fields: F, findContact: FindContact): object
  /** The values by which `use_created` finds a similar record; undefined if the call has no such parameter. */
  similarBy?(fields: F): string[][]
}

/** Interface 2.1 and 4.1. */
const contact: EmulatedKind<ContactFields> = {
  body: contactFields,
  record(stored, fields, findContact) {
    const common = commonRecord(stored, fields)
    return {
      record_sub_type: 'person',
      ...fields,
      ...common,
      assigned_user_id: common.assigned_user?.user_id ?? null,
      parent: fields.parent && contactSummary(fields.parent, 'organization', findContact),
    }
  },
  /** A guess: a common e-mail, else the same sub-type and name; empty ones are like no other. */
  similarBy({ emails, name, record_sub_type = 'person' }) {
    const keys = emails.filter(({ email }) => email.trim() !== '').map(({ email }) => [email])
    return name.trim() === '' ? keys : [...keys, [record_sub_type, name]]
  },
}

/** Interface 2.3 and 4.2. */
const task: EmulatedKind<TaskFields> = {
  body: taskFields,
  record(stored, fields, findContact) {
    // the answer has the assigned user, but not the id alone
    const { assigned_user_id, ...sent } = fields
    const today = `${stored.received_at.slice(0, 10)}T00:00:00`
    return {
      record_sub_type: 'task',
      ...sent,
      ...commonRecord(stored, fields),
      date_info: {
        // neither may be null (interface 2.5), so each replaces the other, and the day of the call both
        start_date: sent.date_info.due_date ?? today,
        due_date: sent.date_info.start_date ?? today,
        ...sent.date_info,
        recurring_record_created: false,
      },
      status_modified_at: stored.received_at,
      member_role: 'edit',
      contacts: sent.contacts.map(each => contactSummary(each, 'person', findContact)),
    }
  },
}

/** The kinds of records; another one is one more entry. */
const all = { contact, task }
export type EmulatedType = keyof typeof all
export const emulatedKinds: Readonly<Record<EmulatedType, EmulatedKind>> = all
export const emulatedTypes = Object.keys(all) as EmulatedType[]

/** A line of the data file. Full records are built on demand: a million of them would outgrow Node's heap. */
export const storedRecord = z.object({
  record_id: z.guid(),
  record_type: z.enum(emulatedTypes),
  organization_id: z.int().positive(),
  /** A time in UTC with a trailing Z (interface 2). */
  received_at: z.iso.datetime(),
  request: z.unknown(),
})
export type StoredRecord = Readonly<z.output<typeof storedRecord>>

const callingUserId = 1

/** The fields that all records have. */
function commonRecord(stored: StoredRecord, { assigned_user, assigned_user_id, ...fields }: BodyFields) {
  const { request: _, received_at, ...ids } = stored
  // from an object, an id, or both; the id wins
  const isAssigned = assigned_user_id === null || assigned_user?.user_id === assigned_user_id
  return {
    ...ids,
    created_by_user_id: callingUserId,
    assigned_user: isAssigned ? assigned_user : fullUser({ user_id: assigned_user_id }),
    // A contact's projects and custom fields look like a task's: their own shape is not shown (interface 2.8).
    custom_field_values: fields.custom_field_values.map((value, index) => ({
      cfv_id: derivedInteger(`${ids.record_id}/${index}`),
      record_id: ids.record_id,
      ...value,
      // Without a zone, the other form of interface 2.
      created_at: received_at.slice(0, -1),
      modified_at: zeroTimestamp,
    })),
    ...each(received_at, 'created_at', 'modified_at'),
  }
}

/** Interface 2.2: from the sandbox's own contact, else from the body. An unknown id may come from another sandbox. */
function contactSummary(sent: TaskFields['contacts'][number], subType: string, findContact: FindContact) {
  const own = findContact(sent.record_id)
  const { record_sub_type, name, avatar_url, designation, archived } = own ?? sent
  const parent = own?.parent
  const parentName = parent ? findContact(parent.record_id)?.name || (parent.name ?? null) : null
  return {
    record_id: sent.record_id,
    record_sub_type: record_sub_type ?? subType,
    name: name ?? '',
    avatar_url,
    parent_name: own === undefined ? sent.parent_name : parentName,
    designation,
    archived,
  }
}
