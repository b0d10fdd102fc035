/**
 * The tables of service-interface.md part 2, copied by hand: field to type. `?` after a type means nullable;
 * `unknown` is a field of which only null was seen.
 */
export type Table = Record<string, string>

export const contact: Table = {
  record_id: 'uuid',
  organization_id: 'integer',
  created_by_user_id: 'integer',
  record_type: 'string',
  record_sub_type: 'string',
  access_type: 'string',
  name: 'string',
  designation: 'string?',
  avatar_url: 'string?',
  description: 'string',
  assigned_user: 'object?',
  assigned_user_id: 'integer?',
  followers: 'array',
  parent: 'object?',
  address: 'string?',
  address_lat: 'number?',
  address_lng: 'number?',
  emails: 'array',
  phones: 'array',
  url_details: 'object',
  custom_field_values: 'array',
  projects: 'array',
  files: 'array',
  archived: 'boolean',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

export const urlDetails: Table = {
  domain: 'string?',
  twitter_url: 'string?',
  linkedin_url: 'string?',
  facebook_url: 'string?',
  github_url: 'string?',
  instagram_url: 'string?',
}

export const contactSummary: Table = {
  record_id: 'uuid',
  record_sub_type: 'string',
  name: 'string',
  avatar_url: 'string?',
  parent_name: 'string?',
  designation: 'string?',
  archived: 'boolean',
}

export const task: Table = {
  record_id: 'uuid',
  organization_id: 'integer',
  created_by_user_id: 'integer',
  record_type: 'string',
  record_sub_type: 'string',
  access_type: 'string',
  is_template: 'boolean',
  name: 'string',
  description: 'string',
  parents: 'array',
  parent: 'unknown',
  assigned_user: 'object?',
  followers: 'array',
  custom_field_values: 'array',
  reminders: 'array',
  priority: 'string',
  date_info: 'object',
  planned_start: 'unknown',
  planned_due: 'unknown',
  status: 'integer',
  status_modified_at: 'timestamp',
  completed_at: 'timestamp?',
  estimated_time: 'number',
  actual_time: 'number?',
  billable: 'boolean',
  cost: 'number?',
  billable_amount: 'number?',
  member_role: 'string',
  archived: 'boolean',
  projects: 'array',
  files: 'array',
  dependencies: 'array',
  contacts: 'array',
  contact_email: 'unknown',
  contact_phone: 'unknown',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

export const user: Table = {
  user_id: 'integer',
  full_name: 'string',
  email: 'string',
  email_confirmed: 'boolean',
  role: 'string',
  job_role: 'string?',
  department: 'string?',
  about_me: 'string?',
  status_icon_url: 'string?',
  status_message: 'string?',
  status_out_of_office: 'boolean',
  status_clear_at: 'timestamp?',
  cost_per_hour: 'number',
  billable_rate_per_hour: 'number',
  capacity: 'object',
  avatar_url: 'string',
  timezone_in_mins: 'integer?',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

export const capacity: Table = {
  mon_capacity_in_hours: 'number',
  tue_capacity_in_hours: 'number',
  wed_capacity_in_hours: 'number',
  thu_capacity_in_hours: 'number',
  fri_capacity_in_hours: 'number',
  sat_capacity_in_hours: 'number',
  sun_capacity_in_hours: 'number',
  weekly_capacity_in_hours: 'number',
}

export const dateInfo: Table = {
  start_date: 'timestamp',
  due_date: 'timestamp',
  duration: 'number',
  recurr_type: 'string',
  recurr_on: 'string',
  recurr_interval: 'integer',
  recurr_weekdays: 'array',
  recurr_day_of_month: 'integer',
  recurr_on_start_date: 'unknown',
  recurring_record_created: 'boolean',
}

export const customFieldValue: Table = {
  cfv_id: 'integer',
  record_id: 'uuid',
  project_id: 'unknown',
  custom_field_id: 'uuid',
  custom_field_info: 'object',
  text_value: 'string?',
  number_value: 'number?',
  datetime_value: 'timestamp?',
  option_id: 'uuid?',
  option_value: 'object?',
  option_multiple_ids: 'array',
  multi_select_option_values: 'array',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

/** Without `missing_dependency`, which is on some entries only. */
export const customFieldInfo: Table = {
  custom_field_id: 'uuid',
  type: 'string',
  data_type: 'string',
  name: 'string',
  last_custom_id: 'unknown',
  config_editable_by: 'string',
  value_editable_by: 'string',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

export const option: Table = {
  option_id: 'uuid',
  custom_field_id: 'uuid',
  name: 'string',
  color_id: 'integer',
  is_enabled: 'boolean',
  order_index: 'number',
  created_at: 'timestamp',
  modified_at: 'timestamp',
}

export const projectSummary: Table = {
  project_id: 'uuid',
  parent_project_id: 'unknown',
  group_id: 'integer',
  name: 'string',
  data_type: 'string',
  access_type: 'string',
  default_view_id: 'uuid',
  inherited: 'boolean',
  start_date: 'unknown',
  due_date: 'unknown',
  icon_url: 'string',
  color_id: 'integer',
  order_index: 'number',
  owner_user_id: 'integer',
  status: 'unknown',
  is_template: 'boolean',
  t_record_dates_from: 'unknown',
  archived: 'boolean',
  is_delete_triggered: 'boolean',
  created_at: 'timestamp',
}

/** Where an object differs from a table, as `field: how`; a field outside the table counts. */
export function mismatches(table: Table, object: Record<string, unknown>): string[] {
  const unknown = Object.keys(object).filter(field => !(field in table))
  const wrong = Object.entries(table).filter(
    ([field, type]) => !(field in object) || !fits(type, object[field]),
  )
  return [
    ...unknown.map(field => `${field}: not in the table`),
    ...wrong.map(([field, type]) => `${field}: ${JSON.stringify(object[field])} is not ${type}`),
  ]
}

function fits(type: string, value: unknown): boolean {
  if (type.endsWith('?')) return value === null || fits(type.slice(0, -1), value)
  if (type === 'unknown') return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'uuid') return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(String(value))
  if (type === 'timestamp') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(String(value))
  return typeof value === type
}
