import { randomUUID } from 'node:crypto'

const user = {
  user_id: 101,
  full_name: 'Imogen Hartwell',
  email: 'imogen@example.com',
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
  capacity: {
    mon_capacity_in_hours: 8,
    tue_capacity_in_hours: 8,
    wed_capacity_in_hours: 8,
    thu_capacity_in_hours: 8,
    fri_capacity_in_hours: 8,
    sat_capacity_in_hours: 0,
    sun_capacity_in_hours: 0,
    weekly_capacity_in_hours: 40,
  },
  avatar_url: 'https://example.com/101.png',
  timezone_in_mins: 0,
  created_at: '2026-01-05T08:00:00Z',
  modified_at: '2026-01-05T08:00:00Z',
}

const idMark = '<id>'
const timeMark = '<time>'

const contact = JSON.stringify({
  record_id: idMark,
  organization_id: 7,
  created_by_user_id: 101,
  record_type: 'contact',
  record_sub_type: 'person',
  access_type: 'default',
  name: 'Ada Lovelace',
  designation: 'Analyst',
  avatar_url: null,
  description: '',
  assigned_user: null,
  assigned_user_id: null,
  followers: [user],
  parent: null,
  address: null,
  address_lat: null,
  address_lng: null,
  emails: [{ email: 'ada@example.com' }],
  phones: [{ phone_number: '+442079460000' }],
  url_details: {
    domain: 'example.com',
    twitter_url: null,
    linkedin_url: null,
    facebook_url: null,
    github_url: null,
    instagram_url: null,
  },
  custom_field_values: [],
  projects: [],
  files: [],
  archived: false,
  modified_at: '2026-01-05T08:00:00Z',
  created_at: timeMark,
})

const [beforeId = '', afterId = ''] = contact.split(idMark)
const [beforeTime = '', afterTime = ''] = afterId.split(timeMark)

/** The answer to a create call: the same contact each time, but for its id and when it was made. */
export const newContact = (nowMs: number): string =>
  `${beforeId}${randomUUID()}${beforeTime}${new Date(nowMs).toISOString()}${afterTime}`
