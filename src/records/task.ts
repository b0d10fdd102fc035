import {
  decimal,
  flag,
  integer,
  list,
  listOf,
  requested,
  returned,
  text,
  timestamp,
  unknownType,
  uuid,
} from './fields.ts'
import { type Build, contactSummary, customFieldValue, dateInfo, projectSummary, user } from './shared.ts'

/** The fields of interface 2.3 less those that only the service can set. */
const writable = (object: Build) => ({
  record_sub_type: text(),
  access_type: text(),
  is_template: flag(),
  name: text(),
  description: text(),
  parents: list(),
  parent: unknownType(),
  assigned_user: user(object).nullable(),
  followers: listOf(user(object)),
  custom_field_values: listOf(customFieldValue(object)),
  reminders: list(),
  priority: text(),
  date_info: dateInfo(object),
  planned_start: unknownType(),
  planned_due: unknownType(),
  status: integer(),
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

/** The task record that the service returns, interface 2.3. */
export const taskRecord = () =>
  returned({
    ...writable(returned),
    record_id: uuid(),
    organization_id: integer(),
    created_by_user_id: integer(),
    record_type: text(),
    status_modified_at: timestamp(),
    member_role: text(),
    created_at: timestamp(),
    modified_at: timestamp(),
  })

/** The body of a task's create call, said to follow the task resource (interface 2.8). */
export const taskRequest = () => requested(writable(requested))
