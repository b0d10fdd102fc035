import { type ContactFields, defaultContactSubType } from './contact-fields.ts'
import { contactSummary, type KnownContacts } from './contact-summary.ts'
import { fullCustomFieldValue } from './custom-field.ts'
import { callingUserId, type MadeRecord, utcTimestamp } from './made-record.ts'
import { projectSummary } from './project-summary.ts'
import { assignee, assigneeId, user } from './user.ts'

/**
 * The full Contact record of interface 2.1, every field present: what the body gave, else null or a plausible value.
 * `custom_field_values` and `projects` take the shapes that tasks have, their own being unknown (interface 2.8).
 */
export function contactRecord(made: MadeRecord, fields: ContactFields, known: KnownContacts) {
  return {
    record_id: made.recordId,
    organization_id: made.organizationId,
    created_by_user_id: callingUserId,
    record_type: 'contact',
    record_sub_type: fields.record_sub_type ?? defaultContactSubType,
    access_type: fields.access_type ?? 'default',
    name: fields.name ?? '',
    designation: fields.designation ?? null,
    avatar_url: fields.avatar_url ?? null,
    description: fields.description ?? '',
    assigned_user: assignee(fields),
    assigned_user_id: assigneeId(fields),
    followers: (fields.followers ?? []).map(user),
    parent: fields.parent ? contactSummary(fields.parent, 'organization', known) : null,
    address: fields.address ?? null,
    address_lat: fields.address_lat ?? null,
    address_lng: fields.address_lng ?? null,
    emails: fields.emails ?? [],
    phones: fields.phones ?? [],
    url_details: urlDetails(fields.url_details ?? {}),
    custom_field_values: (fields.custom_field_values ?? []).map((value, index) =>
      fullCustomFieldValue(value, index, made),
    ),
    projects: (fields.projects ?? []).map(projectSummary),
    files: fields.files ?? [],
    archived: fields.archived ?? false,
    created_at: utcTimestamp(made.receivedAtMs),
    modified_at: utcTimestamp(made.receivedAtMs),
  }
}

function urlDetails(given: NonNullable<ContactFields['url_details']>) {
  return {
    domain: given.domain ?? null,
    twitter_url: given.twitter_url ?? null,
    linkedin_url: given.linkedin_url ?? null,
    facebook_url: given.facebook_url ?? null,
    github_url: given.github_url ?? null,
    instagram_url: given.instagram_url ?? null,
  }
}
