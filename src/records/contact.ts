import { decimal, flag, integer, list, listOf, requested, returned, text, timestamp, uuid } from './fields.ts'
import { type Build, contactSummary, user } from './shared.ts'

/** The fields of interface 2.1 less those that only the service can set. */
const writable = (object: Build) => ({
  record_sub_type: text(),
  access_type: text(),
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

/** The contact record that the service returns, interface 2.1. */
export const contactRecord = () =>
  returned({
    ...writable(returned),
    record_id: uuid(),
    organization_id: integer(),
    created_by_user_id: integer(),
    record_type: text(),
    created_at: timestamp(),
    modified_at: timestamp(),
  })

/** The body of a contact's create call; its fields are not shown (interface 4.1), so they follow the record. */
export const contactRequest = () => requested(writable(requested))
