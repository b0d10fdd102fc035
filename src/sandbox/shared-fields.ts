import { z } from 'zod'
import { derivedInteger, derivedUuid } from './derived.ts'

/** A UUID in any letter case and of any version: the interface says no more than "UUID format" (interface 2). */
const uuid = z.guid()

/** ISO 8601, with or without a zone designator (interface 2). */
export const timestamp = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/,
    'expected an ISO 8601 timestamp',
  )

export const nullableText = z.string().nullable().optional()
export const nullableNumber = z.number().nullable().optional()
export const text = z.string().optional()
export const flag = z.boolean().optional()
/** For fields of which only null, or only an empty list, was ever seen (interface 2.8). */
export const anything = z.unknown().optional()
export const anyList = z.array(z.unknown()).optional()

/**
 * A user is only ever referred to. What a create call may refer by is not shown (interface 2.8), so an e-mail or a
 * name will do; the id then follows from it, as the ids of contacts and projects do.
 */
const userReference = z
  .object({ user_id: z.int().optional(), email: text, full_name: text })
  .transform(given => ({
    ...given,
    user_id: given.user_id ?? derivedInteger(`user ${given.email ?? given.full_name}`),
  }))

const contactSummaryFields = z.object({
  record_id: uuid.optional(),
  record_sub_type: text,
  name: text,
  avatar_url: nullableText,
  parent_name: nullableText,
  designation: nullableText,
  archived: flag,
})

export const contactReference = contactSummaryFields.transform(given => ({
  ...given,
  record_id: given.record_id ?? derivedUuid(`contact ${given.name}`),
}))

const projectSummaryFields = z.object({
  project_id: uuid.optional(),
  parent_project_id: anything,
  group_id: z.int().optional(),
  name: text,
  data_type: text,
  access_type: text,
  default_view_id: uuid.optional(),
  inherited: flag,
  start_date: anything,
  due_date: anything,
  icon_url: text,
  color_id: z.int().optional(),
  order_index: z.number().optional(),
  owner_user_id: z.int().optional(),
  status: anything,
  is_template: flag,
  t_record_dates_from: anything,
  archived: flag,
  is_delete_triggered: flag,
})

const projectReference = projectSummaryFields.transform(given => ({
  ...given,
  project_id: given.project_id ?? derivedUuid(`project ${given.name}`),
}))

const customFieldValue = z.object({
  custom_field_id: uuid,
  project_id: anything,
  custom_field_info: z.object({ type: text, data_type: text, name: text }).optional(),
  text_value: nullableText,
  number_value: nullableNumber,
  datetime_value: timestamp.nullable().optional(),
  option_id: uuid.nullable().optional(),
  option_value: z
    .object({ option_id: uuid.optional(), name: text, color_id: z.int().optional() })
    .nullable()
    .optional(),
  option_multiple_ids: anyList,
  multi_select_option_values: anyList,
})

/** Fields that contacts and tasks have in common; what only the service sets is not among them. */
export const commonFields = {
  record_sub_type: text,
  access_type: text,
  name: text,
  description: text,
  assigned_user: userReference.nullable().optional(),
  assigned_user_id: z.int().nullable().optional(),
  followers: z.array(userReference).optional(),
  custom_field_values: z.array(customFieldValue).optional(),
  projects: z.array(projectReference).optional(),
  files: anyList,
  archived: flag,
}

export type ContactReference = z.infer<typeof contactReference>
export type ProjectReference = z.infer<typeof projectReference>
export type CustomFieldValue = z.infer<typeof customFieldValue>
export type UserReference = z.infer<typeof userReference>
