import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { kinds } from '../../../src/records/kinds.ts'
import { recordTypes } from '../../../src/records/record-types.ts'

/** The tables of the interface, field by field. */
const contact =
  'record_id organization_id created_by_user_id record_type record_sub_type access_type name designation avatar_url description assigned_user assigned_user_id followers parent address address_lat address_lng emails phones url_details custom_field_values projects files archived created_at modified_at'
const contactSummary = 'record_id record_sub_type name avatar_url parent_name designation archived'
const task =
  'record_id organization_id created_by_user_id record_type record_sub_type access_type is_template name description parents parent assigned_user followers custom_field_values reminders priority date_info planned_start planned_due status status_modified_at completed_at estimated_time actual_time billable cost billable_amount member_role archived projects files dependencies contacts contact_email contact_phone created_at modified_at'
const user =
  'user_id full_name email email_confirmed role job_role department about_me status_icon_url status_message status_out_of_office status_clear_at cost_per_hour billable_rate_per_hour capacity avatar_url timezone_in_mins created_at modified_at'
const capacity =
  'mon_capacity_in_hours tue_capacity_in_hours wed_capacity_in_hours thu_capacity_in_hours fri_capacity_in_hours sat_capacity_in_hours sun_capacity_in_hours weekly_capacity_in_hours'
const dateInfo =
  'start_date due_date duration recurr_type recurr_on recurr_interval recurr_weekdays recurr_day_of_month recurr_on_start_date recurring_record_created'
const customFieldValue =
  'cfv_id record_id project_id custom_field_id custom_field_info text_value number_value datetime_value option_id option_value option_multiple_ids multi_select_option_values created_at modified_at'
const customFieldInfo =
  'custom_field_id type data_type name last_custom_id missing_dependency config_editable_by value_editable_by created_at modified_at'
const option = 'option_id custom_field_id name color_id is_enabled order_index created_at modified_at'
const project =
  'project_id parent_project_id group_id name data_type access_type default_view_id inherited start_date due_date icon_url color_id order_index owner_user_id status is_template t_record_dates_from archived is_delete_triggered created_at'
const urlDetails = 'domain twitter_url linkedin_url facebook_url github_url instagram_url'

/** Fields that only the service can set. */
const setByService = {
  contact: 'record_id organization_id created_by_user_id record_type created_at modified_at',
  task: 'record_id organization_id created_by_user_id record_type status_modified_at member_role created_at modified_at',
}

const sorted = (words: string | readonly string[]) =>
  (typeof words === 'string' ? words.split(' ') : [...words]).sort()

/** The schema below a path of fields, through lists, optional and nullable ones. */
function below(schema: z.core.$ZodType, ...path: string[]): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return below(schema.unwrap(), ...path)
  if (schema instanceof z.ZodArray) return below(schema.element, ...path)
  const [field, ...rest] = path
  if (field === undefined) return schema
  const shape: Record<string, z.core.$ZodType> = schema instanceof z.ZodObject ? schema.shape : {}
  return below(shape[field] ?? z.never(), ...rest)
}

const fieldsOf = (schema: z.core.$ZodType, ...path: string[]) => {
  const found = below(schema, ...path)
  return found instanceof z.ZodObject ? sorted(Object.keys(found.shape)) : []
}

const nested = {
  contact: [
    [['assigned_user'], user],
    [['assigned_user', 'capacity'], capacity],
    [['followers'], user],
    [['parent'], contactSummary],
    [['emails'], 'email'],
    [['phones'], 'phone_number'],
    [['url_details'], urlDetails],
  ],
  task: [
    [['assigned_user'], user],
    [['followers', 'capacity'], capacity],
    [['custom_field_values'], customFieldValue],
    [['custom_field_values', 'custom_field_info'], customFieldInfo],
    [['custom_field_values', 'option_value'], option],
    [['date_info'], dateInfo],
    [['projects'], project],
    [['contacts'], contactSummary],
  ],
} as const

describe('schemas', () => {
  it('the schemas are of contacts and tasks, of which only contacts know use_created', () => {
    expect(recordTypes).toEqual(['contact', 'task'])
    expect([kinds.contact.findsSimilar, kinds.task.findsSimilar]).toEqual([true, false])
  })

  for (const type of recordTypes) {
    const all = { contact, task }[type]

    it(`the schemas of a ${type} have the fields of its table, and no other`, () => {
      expect(fieldsOf(kinds[type].record())).toEqual(sorted(all))
    })

    it(`the schemas of the body of a ${type} have those that not only the service can set`, () => {
      const only = setByService[type].split(' ')
      expect(fieldsOf(kinds[type].request())).toEqual(
        sorted(all.split(' ').filter(field => !only.includes(field))),
      )
    })

    it(`the schemas have the fields of the tables inside a ${type}`, () => {
      for (const [path, fields] of nested[type])
        for (const schema of [kinds[type].record(), kinds[type].request()])
          expect([path, fieldsOf(schema, ...path)]).toEqual([path, sorted(fields)])
    })
  }
})

const bodyFaults = (type: 'contact' | 'task', body: unknown) =>
  (kinds[type].request().safeParse(body).error?.issues ?? []).map(
    issue => `${issue.path.join('.')}: ${issue.message}`,
  )

describe('body', () => {
  it('a body may hold any of its fields and need not hold any, at every depth', () => {
    expect(bodyFaults('contact', {})).toEqual([])
    expect(
      bodyFaults('contact', {
        assigned_user: { email: 'a@b.example' },
        parent: { name: 'x' },
        url_details: {},
      }),
    ).toEqual([])
    expect(
      bodyFaults('task', {
        date_info: { due_date: '2026-10-05T00:00:00' },
        custom_field_values: [{ text_value: 'x' }],
      }),
    ).toEqual([])
  })

  it('a body may hold null if the table says nullable, and nowhere else', () => {
    for (const field of [
      'designation',
      'avatar_url',
      'assigned_user',
      'assigned_user_id',
      'parent',
      'address',
      'address_lat',
      'address_lng',
    ])
      expect(bodyFaults('contact', { [field]: null })).toEqual([])
    expect(
      bodyFaults('contact', {
        url_details: Object.fromEntries(urlDetails.split(' ').map(field => [field, null])),
      }),
    ).toEqual([])
    for (const field of [
      'name',
      'description',
      'emails',
      'phones',
      'followers',
      'url_details',
      'archived',
      'projects',
      'files',
    ])
      expect(bodyFaults('contact', { [field]: null })).toHaveLength(1)
    for (const field of [
      'parent',
      'assigned_user',
      'planned_start',
      'planned_due',
      'completed_at',
      'actual_time',
      'cost',
      'billable_amount',
      'contact_email',
      'contact_phone',
    ])
      expect(bodyFaults('task', { [field]: null })).toEqual([])
    for (const field of [
      'name',
      'description',
      'priority',
      'status',
      'estimated_time',
      'billable',
      'date_info',
      'parents',
      'contacts',
    ])
      expect(bodyFaults('task', { [field]: null })).toHaveLength(1)
  })

  it('a body says in words what a field must be', () => {
    expect(
      bodyFaults('contact', {
        name: 1,
        assigned_user_id: 1.5,
        address_lat: 'x',
        archived: 0,
        emails: {},
        url_details: [],
        parent: { record_id: 'x' },
      }).sort(),
    ).toEqual([
      'address_lat: a number',
      'archived: true or false',
      'assigned_user_id: a whole number',
      'emails: a list',
      'name: text',
      'parent.record_id: a UUID',
      'url_details: an object',
    ])
    expect(bodyFaults('task', { completed_at: 'soon' })).toEqual(['completed_at: a timestamp'])
  })

  it('a body takes timestamps with and without fractions and zone, and dates alone', () => {
    for (const completed_at of [
      '2026-10-05T08:00:00Z',
      '2026-10-05T08:00:00.123Z',
      '2026-10-05T08:00:00',
      '0001-01-01T00:00:00',
      '2026-10-05T08:00:00+02:00',
      '2026-10-05',
    ])
      expect([completed_at, bodyFaults('task', { completed_at })]).toEqual([completed_at, []])
    for (const completed_at of ['2026-10-05 08:00:00', '05.10.2026', '1791158400', ''])
      expect([completed_at, bodyFaults('task', { completed_at })]).toEqual([
        completed_at,
        ['completed_at: a timestamp'],
      ])
  })

  it('a body takes anything in the lists whose items the interface does not show', () => {
    expect(bodyFaults('contact', { projects: [{ name: 'x' }], files: ['y', 1] })).toEqual([])
    expect(bodyFaults('task', { parents: [{}], reminders: [1], dependencies: ['x'], files: [null] })).toEqual(
      [],
    )
  })

  it('a body has custom fields of contacts that are closed as those of tasks', () => {
    const values = (item: object) => ({ custom_field_values: [item] })
    for (const record of ['contact', 'task'] as const) {
      expect(bodyFaults(record, values({ datetime_value: '2026-12-24' }))).toEqual([])
      expect(bodyFaults(record, values({ date_value: '2026-12-24' }))).toHaveLength(1)
    }
  })
})
