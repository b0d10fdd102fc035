import { z } from 'zod'

/** Messages of zod. */
export const expected = {
  uuid: 'a UUID',
  integer: 'a whole number',
  text: 'text',
  number: 'a number',
  flag: 'true or false',
  list: 'a list',
  timestamp: 'a timestamp',
  object: 'an object',
} as const

/** Conventions of interface 2: ids named record_id, project_id, custom_field_id and option_id are UUIDs. */
export const uuid = () => z.guid(expected.uuid)
/** Notes the values that were observed: full sets are not shown (interface 2.8). */
const seen = <T extends z.ZodType>(schema: T, observed: readonly unknown[]): T =>
  observed.length === 0 ? schema : (schema.meta({ observed }) as T)

/** An id or another count, as an integer. */
export const integer = (...observed: number[]) => seen(z.int(expected.integer), observed)
export const text = (...observed: string[]) => seen(z.string(expected.text), observed)
export const decimal = () => z.number(expected.number)
export const yesOrNo = () => z.boolean(expected.flag)
export const listOf = <T extends z.ZodType>(element: T) => z.array(element, expected.list)
/** An array whose elements the interface does not show (2.8). */
export const anyList = () => z.array(z.unknown(), expected.list)
/** A field that was only ever seen as null (2.8). */
export const unknownType = () => z.unknown().nullable()

/** Gives several fields one type, as the tables of the interface do. */
export const each = <V, N extends string>(type: V, ...names: readonly N[]): Record<N, V> =>
  Object.fromEntries(names.map(name => [name, type])) as Record<N, V>

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** ISO 8601, with or without fractional seconds and zone designator (interface 2); a date alone is read as well. */
export const timestamp = () => z.string(expected.timestamp).regex(iso, expected.timestamp)

export type Shape = z.core.$ZodLooseShape

/** An object as the service returns it: every field is present, unknown ones are passed through. */
export const returned = <S extends Shape>(shape: S) => z.looseObject(shape, expected.object)

/** An object of a create call. No field is shown as required (interface 2.8): only what `.extend` adds is. Unknown ones are refused. */
export const requested = <S extends Shape>(shape: S) => z.strictObject(shape, expected.object).partial()

/** The fields that such an object cannot lack. */
export const requiredFields = (shape: z.ZodObject['shape']): string[] =>
  Object.keys(shape).filter(name => !(shape[name] instanceof z.ZodOptional))

/** `returned` or `requested`. */
export type Build = (shape: Shape) => z.ZodObject

/** Interface 2.2. */
export const contactSummary = (object: Build) =>
  object({
    record_id: uuid(),
    record_sub_type: text('person', 'organization'),
    name: text(),
    ...each(text().nullable(), 'avatar_url', 'parent_name', 'designation'),
    archived: yesOrNo(),
  })

const capacities = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'weekly']
const capacity = (object: Build) =>
  object(Object.fromEntries(capacities.map(of => [`${of}_capacity_in_hours`, decimal()])))

/** Interface 2.4. */
export const user = (object: Build) =>
  object({
    user_id: integer(),
    full_name: text(),
    email: text(),
    email_confirmed: yesOrNo(),
    role: text('core'),
    ...each(text().nullable(), 'job_role', 'department', 'about_me', 'status_icon_url', 'status_message'),
    status_out_of_office: yesOrNo(),
    status_clear_at: timestamp().nullable(),
    ...each(decimal(), 'cost_per_hour', 'billable_rate_per_hour'),
    capacity: capacity(object),
    avatar_url: text(),
    timezone_in_mins: integer().nullable(),
    ...each(timestamp(), 'created_at', 'modified_at'),
  })

/** Interface 2.5. */
export const dateInfo = (object: Build) =>
  object({
    ...each(timestamp(), 'start_date', 'due_date'),
    duration: decimal(),
    recurr_type: text('never_repeat'),
    recurr_on: text('on_completion'),
    recurr_interval: integer(),
    recurr_weekdays: anyList(),
    recurr_day_of_month: integer(),
    recurr_on_start_date: unknownType(),
    recurring_record_created: yesOrNo(),
  })

const customFieldInfo = (object: Build) =>
  object({
    custom_field_id: uuid(),
    type: text('select', 'number'),
    data_type: text('select', 'number'),
    name: text(),
    last_custom_id: unknownType(),
    missing_dependency: yesOrNo().optional(),
    config_editable_by: text('everyone'),
    value_editable_by: text('everyone'),
    ...each(timestamp(), 'created_at', 'modified_at'),
  })

const option = (object: Build) =>
  object({
    option_id: uuid(),
    custom_field_id: uuid(),
    name: text(),
    color_id: integer(),
    is_enabled: yesOrNo(),
    order_index: decimal(),
    ...each(timestamp(), 'created_at', 'modified_at'),
  })

/** Interface 2.6. */
export const customFieldValue = (object: Build) =>
  object({
    cfv_id: integer(),
    record_id: uuid(),
    project_id: unknownType(),
    custom_field_id: uuid(),
    custom_field_info: customFieldInfo(object),
    text_value: text().nullable(),
    number_value: decimal().nullable(),
    datetime_value: timestamp().nullable(),
    option_id: uuid().nullable(),
    option_value: option(object).nullable(),
    option_multiple_ids: anyList(),
    multi_select_option_values: anyList(),
    ...each(timestamp(), 'created_at', 'modified_at'),
  })

/** Interface 2.7. */
export const projectSummary = (object: Build) =>
  object({
    project_id: uuid(),
    parent_project_id: unknownType(),
    group_id: integer(),
    name: text(),
    data_type: text('task'),
    access_type: text('public_to_parent'),
    default_view_id: uuid(),
    inherited: yesOrNo(),
    ...each(unknownType(), 'start_date', 'due_date'),
    icon_url: text(),
    color_id: integer(),
    order_index: decimal(),
    owner_user_id: integer(),
    status: unknownType(),
    is_template: yesOrNo(),
    t_record_dates_from: unknownType(),
    archived: yesOrNo(),
    is_delete_triggered: yesOrNo(),
    created_at: timestamp(),
  })

/** A custom field has one of them, by its kind. */
export const customValues = [
  'text_value',
  'number_value',
  'datetime_value',
  'option_id',
  'option_multiple_ids',
] as const

/** The schema inside optional and nullable ones. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return innerSchema(schema.unwrap())
  return schema
}
