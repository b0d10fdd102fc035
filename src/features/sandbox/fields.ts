// The bodies that the sandbox accepts, with the service's defaults, and the full users, projects and values that it makes of
// their parts. Invented ids are hashes, so a record is the same each time, even after a restart.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { each } from '../../records/fields.ts'

/** A UUID in any letter case and of any version: the interface says only "UUID format" (interface 2). */
const uuid = z.guid()
const isoTimestamp = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/
/** ISO 8601, with or without a zone designator (interface 2). */
const timestamp = z.string().regex(isoTimestamp, 'expected an ISO 8601 timestamp')
const optionalText = z.string().optional()
const nullableText = z.string().nullable().default(null)
const nullableNumber = z.number().nullable().default(null)
const flag = z.boolean().default(false)
/** Fields of which the interface shows only null, or only an empty list (interface 2.8). */
const anything = z.unknown().default(null)
const anyList = z.array(z.unknown()).default([])

/** The zero timestamp that `modified_at` may be (interface 2.6). */
export const zeroTimestamp = '0001-01-01T00:00:00'
/** The date of invented users, projects and options. */
const longAgo = '2024-01-01T00:00:00'

const userFields = z.object({ user_id: z.int().optional(), ...each(optionalText, 'email', 'full_name') })
/** Interface 2.4. How a body refers to a user is not shown (interface 2.8), so an e-mail or a name will do. */
const user = userFields.transform(fullUser)

const capacityHours = { mon: 8, tue: 8, wed: 8, thu: 8, fri: 8, sat: 0, sun: 0, weekly: 40 }

export function fullUser({ user_id, email, full_name }: z.output<typeof userFields>) {
  const id = user_id ?? derivedInteger(`user ${email ?? full_name}`)
  const capacity = Object.entries(capacityHours).map(([day, hours]) => [`${day}_capacity_in_hours`, hours])
  return {
    user_id: id,
    full_name: full_name ?? `User ${id}`,
    email: email ?? `user${id}@sandbox.invalid`,
    avatar_url: `https://sandbox.invalid/avatars/${id}.png`,
    role: 'core',
    email_confirmed: true,
    status_out_of_office: false,
    capacity: Object.fromEntries(capacity),
    ...each(null, 'job_role', 'department', 'about_me', 'timezone_in_mins'),
    ...each(null, 'status_icon_url', 'status_message', 'status_clear_at'),
    ...each(0, 'cost_per_hour', 'billable_rate_per_hour'),
    ...each(longAgo, 'created_at', 'modified_at'),
  }
}

/** Interface 2.2; a name without an id will do, too. */
const contactReference = z
  .object({
    record_id: uuid.optional(),
    ...each(optionalText, 'record_sub_type', 'name'),
    ...each(nullableText, 'avatar_url', 'parent_name', 'designation'),
    archived: flag,
  })
  .transform(sent => ({ ...sent, record_id: sent.record_id ?? derivedUuid(`contact ${sent.name}`) }))

/** Interface 2.7; a name without an id will do, too. */
const project = z
  .object({
    ...each(uuid.optional(), 'project_id', 'default_view_id'),
    ...each(anything, 'parent_project_id', 'start_date', 'due_date', 'status', 't_record_dates_from'),
    group_id: z.int().optional(),
    ...each(z.int().default(1), 'color_id', 'owner_user_id'),
    name: optionalText,
    icon_url: z.string().default('https://sandbox.invalid/icons/project.png'),
    data_type: z.string().default('task'),
    access_type: z.string().default('public_to_parent'),
    ...each(flag, 'inherited', 'is_template', 'archived', 'is_delete_triggered'),
    order_index: z.number().default(1024.5),
  })
  .transform(sent => {
    const id = sent.project_id ?? derivedUuid(`project ${sent.name}`)
    return {
      group_id: derivedInteger(`group of ${id}`),
      name: `Project ${id.slice(0, 8)}`,
      default_view_id: derivedUuid(`view of ${id}`),
      ...sent,
      project_id: id,
      created_at: longAgo,
    }
  })

const customFields = z.object({
  custom_field_id: uuid,
  project_id: anything,
  custom_field_info: z.object(each(optionalText, 'type', 'data_type', 'name')).prefault({}),
  text_value: nullableText,
  number_value: nullableNumber,
  datetime_value: timestamp.nullable().default(null),
  option_id: uuid.nullable().optional(),
  option_value: z
    .object({ option_id: uuid.optional(), name: optionalText, color_id: z.int().default(1) })
    .nullable()
    .default(null),
  option_multiple_ids: z.array(z.unknown()).optional(),
  multi_select_option_values: anyList,
})

/** Interface 2.6, less the fields that depend on the record. */
function customFieldValue(sent: z.output<typeof customFields>) {
  const { custom_field_id } = sent
  const optionId = sent.option_id ?? sent.option_value?.option_id ?? null
  const type = sent.custom_field_info.type ?? customFieldType(sent, optionId)
  const times = { created_at: longAgo, modified_at: zeroTimestamp }
  return {
    ...sent,
    custom_field_info: {
      custom_field_id,
      ...each(type, 'type', 'data_type'),
      name: `Field ${custom_field_id.slice(0, 8)}`,
      ...sent.custom_field_info,
      last_custom_id: null,
      // Only some entries carry it (interface 2.6), so clients must accept both.
      ...(type === 'select' && { missing_dependency: false }),
      ...each('everyone', 'config_editable_by', 'value_editable_by'),
      ...times,
    },
    option_id: optionId,
    option_value: optionId && {
      name: `Option ${optionId.slice(0, 8)}`,
      color_id: 1,
      ...sent.option_value,
      option_id: optionId,
      custom_field_id,
      is_enabled: true,
      order_index: 1024.5,
      ...times,
    },
    option_multiple_ids: sent.option_multiple_ids ?? [],
  }
}

/** `select` and `number` were observed (interface 2.6); `text` and `date` are guesses. */
function customFieldType(sent: z.output<typeof customFields>, optionId: string | null): string {
  if (sent.number_value !== null) return 'number'
  if (sent.datetime_value !== null) return 'date'
  return optionId !== null || sent.option_multiple_ids !== undefined ? 'select' : 'text'
}

/** The fields of all bodies, with the service's defaults; none is required (interface 2.8). Other fields are ignored. */
const commonFields = {
  record_sub_type: optionalText,
  access_type: z.string().default('default'),
  ...each(z.string().default(''), 'name', 'description'),
  assigned_user: user.nullable().default(null),
  assigned_user_id: z.int().nullable().default(null),
  followers: z.array(user).default([]),
  custom_field_values: z.array(customFields.transform(customFieldValue)).default([]),
  projects: z.array(project).default([]),
  files: anyList,
  archived: flag,
}

/** Interface 2.1. */
export const contactFields = z.object({
  ...commonFields,
  ...each(nullableText, 'designation', 'avatar_url', 'address'),
  ...each(nullableNumber, 'address_lat', 'address_lng'),
  parent: contactReference.nullable().default(null),
  emails: z.array(z.object({ email: z.string() })).default([]),
  phones: z.array(z.object({ phone_number: z.string() })).default([]),
  url_details: z
    .object({
      ...each(nullableText, 'domain', 'twitter_url', 'linkedin_url'),
      ...each(nullableText, 'facebook_url', 'github_url', 'instagram_url'),
    })
    .prefault({}),
})
export type ContactFields = z.output<typeof contactFields>

/** Interface 2.5. */
const dateInfo = z.object({
  ...each(timestamp.optional(), 'start_date', 'due_date'),
  duration: z.number().default(0),
  recurr_type: z.string().default('never_repeat'),
  recurr_on: z.string().default('on_completion'),
  ...each(z.int().default(1), 'recurr_interval', 'recurr_day_of_month'),
  recurr_weekdays: anyList,
  recurr_on_start_date: anything,
})

/** Interface 2.3. */
export const taskFields = z.object({
  ...commonFields,
  ...each(flag, 'is_template', 'billable'),
  ...each(anyList, 'parents', 'reminders', 'dependencies'),
  ...each(anything, 'parent', 'planned_start', 'planned_due', 'contact_email', 'contact_phone'),
  ...each(nullableNumber, 'actual_time', 'cost', 'billable_amount'),
  priority: z.string().default('high'),
  date_info: dateInfo.prefault({}),
  status: z.int().default(1),
  completed_at: timestamp.nullable().default(null),
  estimated_time: z.number().default(0),
  contacts: z.array(contactReference).default([]),
})
export type TaskFields = z.output<typeof taskFields>

export type BodyFields = ContactFields | TaskFields

/** All faults in one line, each with its dotted path. */
export const describeIssues = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ')

const sha256 = (from: string): Buffer => createHash('sha256').update(from).digest()

/** A whole number from 1 to 2^31 - 1. */
export const derivedInteger = (from: string): number => sha256(from).readUInt32BE(0) >>> 1 || 1

const derivedUuid = (from: string): string =>
  sha256(from)
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
