import {
  type Build,
  contactSummary,
  customFieldValue,
  dateInfo,
  decimal,
  flag,
  integer,
  list,
  listOf,
  projectSummary,
  requested,
  returned,
  text,
  timestamp,
  unknownType,
  user,
  uuid,
} from './fields.ts'

/** The fields of both records that only the service can set. */
const setByService = () => ({
  record_id: uuid(),
  organization_id: integer(),
  created_by_user_id: integer(),
  record_type: text(),
  created_at: timestamp(),
  modified_at: timestamp(),
})

/** Interface 2.1, less the fields that only the service can set. */
const contactFields = (object: Build) => ({
  record_sub_type: text('person'),
  access_type: text('default'),
  name: text(),
  designation: text().nullable(),
  avatar_url: text().nullable(),
  description: text(),
  assigned_user: user(object).nullable(),
  assigned_user_id: integer().nullable(),
  followers: listOf(user(object)),
  parent: contactSummary(object).nullable(),
  address: text().nullable(),
  address_lat: decimal().nullable(),
  address_lng: decimal().nullable(),
  emails: listOf(object({ email: text() })),
  phones: listOf(object({ phone_number: text() })),
  url_details: object({
    domain: text().nullable(),
    twitter_url: text().nullable(),
    linkedin_url: text().nullable(),
    facebook_url: text().nullable(),
    github_url: text().nullable(),
    instagram_url: text().nullable(),
  }),
  custom_field_values: list(),
  projects: list(),
  files: list(),
  archived: flag(),
})

export const contactRecord = () => returned({ ...contactFields(returned), ...setByService() })

/** The fields of this body are not shown (interface 4.1), so they follow the record. */
export const contactRequest = () =>
  requested({
    ...contactFields(requested),
    custom_field_values: listOf(customFieldValue(requested)), // not shown for contacts (2.8), so as in tasks
  })

/** Interface 2.3, less the fields that only the service can set. */
const taskFields = (object: Build) => ({
  record_sub_type: text('task'),
  access_type: text('default'),
  is_template: flag(),
  name: text(),
  description: text(),
  parents: list(),
  parent: unknownType(),
  assigned_user: user(object).nullable(),
  followers: listOf(user(object)),
  custom_field_values: listOf(customFieldValue(object)),
  reminders: list(),
  priority: text('high'),
  date_info: dateInfo(object),
  planned_start: unknownType(),
  planned_due: unknownType(),
  status: integer(1),
  completed_at: timestamp().nullable(),
  estimated_time: decimal(),
  actual_time: decimal().nullable(),
  billable: flag(),
  cost: decimal().nullable(),
  billable_amount: decimal().nullable(),
  archived: flag(),
  projects: listOf(projectSummary(object)),
  files: list(),
  dependencies: list(),
  contacts: listOf(contactSummary(object)),
  contact_email: unknownType(),
  contact_phone: unknownType(),
})

export const taskRecord = () =>
  returned({
    ...taskFields(returned),
    ...setByService(),
    status_modified_at: timestamp(),
    member_role: text(),
  })

/** This body follows the task resource (interface 2.8). */
export const taskRequest = () => requested(taskFields(requested))
