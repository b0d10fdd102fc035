import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { type ContactFields, contactFields, type Fields, type TaskFields, taskFields } from './fields.ts'

export type FindContact = (recordId: string) => ContactFields | undefined

type UserReference = Fields['followers'][number]
type ContactReference = TaskFields['contacts'][number]
type Project = Fields['projects'][number]
type CustomFieldValue = Fields['custom_field_values'][number]

const callingUserId = 1
/** The zero timestamp that `modified_at` may be (interface 2.6). */
const zeroTimestamp = '0001-01-01T00:00:00'
/** The date of invented users, projects and options. */
const longAgo = '2024-01-01T00:00:00'

/** As in the data file. Full records are built on demand, because a million of them would outgrow Node's heap. */
export interface StoredRecord {
  readonly record_id: string
  readonly record_type: RecordType
  readonly organization_id: number
  /** ISO 8601 in UTC with a trailing Z (interface 2). */
  readonly received_at: string
  /** The body as JSON on one line. */
  readonly requestText: string
}

/** A kind of record: another one is one more entry in `kinds`. */
interface Kind<F extends Fields = Fields> {
  readonly body: z.ZodType<F>
  /** The full record that a create call answers with. */
  record(stored: StoredRecord, fields: F, findContact: FindContact): object
  /** The values by which `use_created` finds a similar record; undefined if the call has no such parameter. */
  similarBy?(fields: F): string[][]
}

/** Interface 2.1 and 4.1. */
const contact: Kind<ContactFields> = {
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
const task: Kind<TaskFields> = {
  body: taskFields,
  record(stored, fields, findContact) {
    // the answer has the assigned user, but not the id alone
    const { assigned_user_id, ...given } = fields
    const today = `${stored.received_at.slice(0, 10)}T00:00:00`
    return {
      record_sub_type: 'task',
      ...given,
      ...commonRecord(stored, fields),
      date_info: {
        // neither may be null (interface 2.5), so each replaces the other, and the day of the call both
        start_date: given.date_info.due_date ?? today,
        due_date: given.date_info.start_date ?? today,
        ...given.date_info,
        recurring_record_created: false,
      },
      status_modified_at: stored.received_at,
      member_role: 'edit',
      contacts: given.contacts.map(each => contactSummary(each, 'person', findContact)),
    }
  },
}

const all = { contact, task }
export type RecordType = keyof typeof all
export const kinds: Readonly<Record<RecordType, Kind>> = all
export const recordTypes = Object.keys(all) as RecordType[]

/** The fields that all records have. Invented ids are hashes, so the record is the same each time, even after a restart. */
function commonRecord(stored: StoredRecord, fields: Fields) {
  const { requestText: _, received_at, ...ids } = stored
  return {
    ...ids,
    created_by_user_id: callingUserId,
    assigned_user: assignee(fields),
    followers: fields.followers.map(user),
    // A contact's projects and custom fields look like a task's: their own shape is not shown (interface 2.8).
    custom_field_values: fields.custom_field_values.map((value, index) => ({
      cfv_id: derivedInteger(`${ids.record_id}/${index}`),
      record_id: ids.record_id,
      ...customFieldValue(value),
      // Without a zone, the other form of interface 2.
      created_at: received_at.slice(0, -1),
      modified_at: zeroTimestamp,
    })),
    projects: fields.projects.map(project),
    created_at: received_at,
    modified_at: received_at,
  }
}

/** From an object, an id, or both; the id wins. */
function assignee({ assigned_user: given, assigned_user_id: userId }: Fields) {
  const assigned = given && user(given)
  return userId === null || assigned?.user_id === userId ? assigned : user({ user_id: userId })
}

const capacityHours = { mon: 8, tue: 8, wed: 8, thu: 8, fri: 8, sat: 0, sun: 0, weekly: 40 }

/** Interface 2.4. */
function user(given: UserReference) {
  const userId = given.user_id ?? derivedInteger(`user ${given.email ?? given.full_name}`)
  return {
    user_id: userId,
    full_name: given.full_name ?? `User ${userId}`,
    email: given.email ?? `user${userId}@sandbox.invalid`,
    email_confirmed: true,
    role: 'core',
    job_role: null,
    department: null,
    about_me: null,
    status_icon_url: null,
    status_message: null,
    status_out_of_office: false,
    status_clear_at: null,
    cost_per_hour: 0,
    billable_rate_per_hour: 0,
    capacity: Object.fromEntries(
      Object.entries(capacityHours).map(([day, hours]) => [`${day}_capacity_in_hours`, hours]),
    ),
    avatar_url: `https://sandbox.invalid/avatars/${userId}.png`,
    timezone_in_mins: null,
    created_at: longAgo,
    modified_at: longAgo,
  }
}

/** Interface 2.2: from the sandbox's own contact, else from the body. An unknown id may come from another sandbox. */
function contactSummary(given: ContactReference, subType: string, findContact: FindContact) {
  const own = findContact(contactId(given))
  const { record_sub_type, name, avatar_url, designation, archived } = own ?? given
  return {
    record_id: contactId(given),
    record_sub_type: record_sub_type ?? subType,
    name: name ?? '',
    avatar_url,
    parent_name: own === undefined ? given.parent_name : parentName(own, findContact),
    designation,
    archived,
  }
}

function parentName({ parent }: ContactFields, findContact: FindContact): string | null {
  return parent && (findContact(contactId(parent))?.name || (parent.name ?? null))
}

function contactId(given: ContactReference): string {
  return given.record_id ?? derivedUuid(`contact ${given.name}`)
}

/** Interface 2.7. */
function project(given: Project) {
  const id = given.project_id ?? derivedUuid(`project ${given.name}`)
  return {
    project_id: id,
    group_id: derivedInteger(`group of ${id}`),
    name: `Project ${id.slice(0, 8)}`,
    default_view_id: derivedUuid(`view of ${id}`),
    ...given,
    created_at: longAgo,
  }
}

/** Interface 2.6, less the fields that depend on the record. */
function customFieldValue(given: CustomFieldValue) {
  const optionId = given.option_id ?? given.option_value?.option_id ?? null
  const type = given.custom_field_info.type ?? customFieldType(given, optionId)
  return {
    ...given,
    custom_field_info: {
      custom_field_id: given.custom_field_id,
      type,
      data_type: type,
      name: `Field ${given.custom_field_id.slice(0, 8)}`,
      ...given.custom_field_info,
      last_custom_id: null,
      // Only some entries carry it (interface 2.6), so clients must accept both.
      ...(type === 'select' && { missing_dependency: false }),
      config_editable_by: 'everyone',
      value_editable_by: 'everyone',
      created_at: longAgo,
      modified_at: zeroTimestamp,
    },
    option_id: optionId,
    option_value: optionId && {
      name: `Option ${optionId.slice(0, 8)}`,
      color_id: 1,
      ...given.option_value,
      option_id: optionId,
      custom_field_id: given.custom_field_id,
      is_enabled: true,
      order_index: 1024.5,
      created_at: longAgo,
      modified_at: zeroTimestamp,
    },
    option_multiple_ids: given.option_multiple_ids ?? [],
  }
}

/** `select` and `number` were observed (interface 2.6); `text` and `date` are guesses. */
function customFieldType(given: CustomFieldValue, optionId: string | null): string {
  if (given.number_value !== null) return 'number'
  if (given.datetime_value !== null) return 'date'
  return optionId !== null || given.option_multiple_ids !== undefined ? 'select' : 'text'
}

function derivedUuid(from: string): string {
  const bytes = sha256(from)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A whole number from 1 to 2^31 - 1. */
function derivedInteger(from: string): number {
  return sha256(from).readUInt32BE(0) >>> 1 || 1
}

function sha256(from: string): Buffer {
  return createHash('sha256').update(from).digest()
}
