import { differencesFrom } from './checks.ts'
import {
  anyList,
  type Build,
  contactSummary,
  customFieldValue,
  dateInfo,
  decimal,
  each,
  integer,
  listOf,
  projectSummary,
  requested,
  returned,
  type Shape,
  text,
  timestamp,
  unknownType,
  user,
  uuid,
  yesOrNo,
} from './fields.ts'
import { recordTypes } from './record-types.ts'

/** The fields of all records that only the service can set. */
const setByService = () => ({
  record_id: uuid(),
  organization_id: integer(),
  created_by_user_id: integer(),
  record_type: text(),
  ...each(timestamp(), 'created_at', 'modified_at'),
})

const setByServiceInTask = () => ({
  ...setByService(),
  status_modified_at: timestamp(),
  member_role: text(),
})

/** Interface 2.1, less the fields that only the service can set. Those of a request are not shown (4.1), so they follow the record. */
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
  ...each(decimal().nullable(), 'address_lat', 'address_lng'),
  emails: listOf(object({ email: text() })),
  phones: listOf(object({ phone_number: text() })),
  url_details: object({
    ...each(text().nullable(), 'domain', 'twitter_url', 'linkedin_url'),
    ...each(text().nullable(), 'facebook_url', 'github_url', 'instagram_url'),
  }),
  custom_field_values: object === requested ? listOf(customFieldValue(object)) : anyList(), // not shown (2.8): as in tasks
  projects: anyList(),
  files: anyList(),
  archived: yesOrNo(),
})

/** Interface 2.3, less the fields that only the service can set. A request follows the record (2.8). */
const taskFields = (object: Build) => ({
  record_sub_type: text('task'),
  access_type: text('default'),
  is_template: yesOrNo(),
  name: text(),
  description: text(),
  parents: anyList(),
  parent: unknownType(),
  assigned_user: user(object).nullable(),
  followers: listOf(user(object)),
  custom_field_values: listOf(customFieldValue(object)),
  reminders: anyList(),
  priority: text('high'),
  date_info: dateInfo(object),
  ...each(unknownType(), 'planned_start', 'planned_due'),
  status: integer(1),
  completed_at: timestamp().nullable(),
  estimated_time: decimal(),
  actual_time: decimal().nullable(),
  billable: yesOrNo(),
  ...each(decimal().nullable(), 'cost', 'billable_amount'),
  archived: yesOrNo(),
  projects: listOf(projectSummary(object)),
  files: anyList(),
  dependencies: anyList(),
  contacts: listOf(contactSummary(object)),
  ...each(unknownType(), 'contact_email', 'contact_phone'),
})

/** Schemas are made on first use: few runs need them all. */
function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Describes a kind of record. `path` is the part of a create call's address between the version and the organization
 * (interface 4). With `findsSimilar` the call has `use_created` (interface 4.1 and 4.2).
 */
function kindOf(
  settings: { readonly path: string; readonly findsSimilar: boolean },
  fields: (object: Build) => Shape,
  setByService: () => Shape,
) {
  const record = lazily(() => returned({ ...fields(returned), ...setByService() }))
  const request = lazily(() => requested(fields(requested)))
  const noteDifferences = lazily(() => differencesFrom(record()))
  const noteRequestDifferences = lazily(() => differencesFrom(request()))
  return {
    ...settings,
    record,
    noteDifferences,
    request,
    noteRequestDifferences,
    ofService: Object.keys(setByService()),
  }
}

/** The kinds of records. Another one is one more name and one more entry, with its fields above; the sandbox has a list of its own. */
export const kinds = {
  contact: kindOf({ path: 'record/contact/create', findsSimilar: true }, contactFields, setByService),
  task: kindOf({ path: 'record/task/create', findsSimilar: false }, taskFields, setByServiceInTask),
} satisfies Record<(typeof recordTypes)[number], object>
export type RecordType = keyof typeof kinds

/** The kind of an import whose log does not name one. */
export const [usualRecordType] = recordTypes
