import { z } from 'zod'

/** A UUID in any letter case and of any version: the interface says only "UUID format" (interface 2). */
const uuid = z.guid()
/** ISO 8601, with or without a zone designator (interface 2). */
const timestamp = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/,
    'expected an ISO 8601 timestamp',
  )

const optionalText = z.string().optional()
const text = (fallback: string) => z.string().default(fallback)
const integer = (fallback: number) => z.int().default(fallback)
const number = (fallback: number) => z.number().default(fallback)
const nullableText = z.string().nullable().default(null)
const nullableNumber = z.number().nullable().default(null)
const flag = z.boolean().default(false)
/** Schema of fields of which the interface shows only null, or only an empty list (interface 2.8). */
const anything = z.unknown().default(null)
const anyList = z.array(z.unknown()).default([])

/** How a body refers to a user is not shown (interface 2.8), so an e-mail or a name will do. */
const user = z.object({ user_id: z.int().optional(), email: optionalText, full_name: optionalText })

/** Interface 2.2; a name without an id will do, too. */
const contactReference = z.object({
  record_id: uuid.optional(),
  record_sub_type: optionalText,
  name: optionalText,
  avatar_url: nullableText,
  parent_name: nullableText,
  designation: nullableText,
  archived: flag,
})

/** Interface 2.7; a name without an id will do, too. */
const project = z.object({
  project_id: uuid.optional(),
  parent_project_id: anything,
  group_id: z.int().optional(),
  name: optionalText,
  data_type: text('task'),
  access_type: text('public_to_parent'),
  default_view_id: uuid.optional(),
  inherited: flag,
  start_date: anything,
  due_date: anything,
  icon_url: text('https://sandbox.invalid/icons/project.png'),
  color_id: integer(1),
  order_index: number(1024.5),
  owner_user_id: integer(1),
  status: anything,
  is_template: flag,
  t_record_dates_from: anything,
  archived: flag,
  is_delete_triggered: flag,
})

/** Interface 2.6. */
const customFieldValue = z.object({
  custom_field_id: uuid,
  project_id: anything,
  custom_field_info: z
    .object({ type: optionalText, data_type: optionalText, name: optionalText })
    .prefault({}),
  text_value: nullableText,
  number_value: nullableNumber,
  datetime_value: timestamp.nullable().default(null),
  option_id: uuid.nullable().optional(),
  option_value: z
    .object({ option_id: uuid.optional(), name: optionalText, color_id: integer(1) })
    .nullable()
    .default(null),
  option_multiple_ids: z.array(z.unknown()).optional(),
  multi_select_option_values: anyList,
})

/** Interface 2.5. */
const dateInfo = z.object({
  start_date: timestamp.optional(),
  due_date: timestamp.optional(),
  duration: number(0),
  recurr_type: text('never_repeat'),
  recurr_on: text('on_completion'),
  recurr_interval: integer(1),
  recurr_weekdays: anyList,
  recurr_day_of_month: integer(1),
  recurr_on_start_date: anything,
})

const commonFields = {
  record_sub_type: optionalText,
  access_type: text('default'),
  name: text(''),
  description: text(''),
  assigned_user: user.nullable().default(null),
  assigned_user_id: z.int().nullable().default(null),
  followers: z.array(user).default([]),
  custom_field_values: z.array(customFieldValue).default([]),
  projects: z.array(project).default([]),
  files: anyList,
  archived: flag,
}

/** Interface 2.1 with the service's defaults; none is required (2.8). Other fields are ignored. */
export const contactFields = z.object({
  ...commonFields,
  designation: nullableText,
  avatar_url: nullableText,
  parent: contactReference.nullable().default(null),
  address: nullableText,
  address_lat: nullableNumber,
  address_lng: nullableNumber,
  emails: z.array(z.object({ email: z.string() })).default([]),
  phones: z.array(z.object({ phone_number: z.string() })).default([]),
  url_details: z
    .object({
      domain: nullableText,
      twitter_url: nullableText,
      linkedin_url: nullableText,
      facebook_url: nullableText,
      github_url: nullableText,
      instagram_url: nullableText,
    })
    .prefault({}),
})

/** Interface 2.3, likewise. */
export const taskFields = z.object({
  ...commonFields,
  is_template: flag,
  parents: anyList,
  parent: anything,
  reminders: anyList,
  priority: text('high'),
  date_info: dateInfo.prefault({}),
  planned_start: anything,
  planned_due: anything,
  status: integer(1),
  completed_at: timestamp.nullable().default(null),
  estimated_time: number(0),
  actual_time: nullableNumber,
  billable: flag,
  cost: nullableNumber,
  billable_amount: nullableNumber,
  dependencies: anyList,
  contacts: z.array(contactReference).default([]),
  contact_email: anything,
  contact_phone: anything,
})

/** All faults in one line, each with its dotted path. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ')
}

export type ContactFields = z.infer<typeof contactFields>
export type TaskFields = z.infer<typeof taskFields>
export type Fields = ContactFields | TaskFields
