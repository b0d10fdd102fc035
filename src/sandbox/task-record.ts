import { defaultContactSubType } from './contact-fields.ts'
import { contactSummary, type KnownContacts } from './contact-summary.ts'
import { fullCustomFieldValue } from './custom-field.ts'
import { callingUserId, type MadeRecord, utcTimestamp, zonelessTimestamp } from './made-record.ts'
import { projectSummary } from './project-summary.ts'
import type { DateInfo, TaskFields } from './task-fields.ts'
import { assignee, user } from './user.ts'

/** The full Task record of interface 2.3, every field present: what the body gave, else null or a plausible value. */
export function taskRecord(made: MadeRecord, fields: TaskFields, known: KnownContacts) {
  return {
    record_id: made.recordId,
    organization_id: made.organizationId,
    created_by_user_id: callingUserId,
    record_type: 'task',
    record_sub_type: fields.record_sub_type ?? 'task',
    access_type: fields.access_type ?? 'default',
    is_template: fields.is_template ?? false,
    name: fields.name ?? '',
    description: fields.description ?? '',
    parents: fields.parents ?? [],
    parent: fields.parent ?? null,
    assigned_user: assignee(fields),
    followers: (fields.followers ?? []).map(user),
    custom_field_values: (fields.custom_field_values ?? []).map((value, index) =>
      fullCustomFieldValue(value, index, made),
    ),
    reminders: fields.reminders ?? [],
    priority: fields.priority ?? 'high',
    date_info: fullDateInfo(fields.date_info ?? {}, made),
    planned_start: fields.planned_start ?? null,
    planned_due: fields.planned_due ?? null,
    status: fields.status ?? 1,
    status_modified_at: utcTimestamp(made.receivedAtMs),
    completed_at: fields.completed_at ?? null,
    estimated_time: fields.estimated_time ?? 0,
    actual_time: fields.actual_time ?? null,
    billable: fields.billable ?? false,
    cost: fields.cost ?? null,
    billable_amount: fields.billable_amount ?? null,
    member_role: 'edit',
    archived: fields.archived ?? false,
    projects: (fields.projects ?? []).map(projectSummary),
    files: fields.files ?? [],
    dependencies: fields.dependencies ?? [],
    contacts: (fields.contacts ?? []).map(contact => contactSummary(contact, defaultContactSubType, known)),
    contact_email: fields.contact_email ?? null,
    contact_phone: fields.contact_phone ?? null,
    created_at: utcTimestamp(made.receivedAtMs),
    modified_at: utcTimestamp(made.receivedAtMs),
  }
}

/** Interface 2.5: neither date may be null, so each stands in for the other, and the day of making for both. */
function fullDateInfo(given: DateInfo, made: MadeRecord) {
  const today = `${zonelessTimestamp(made.receivedAtMs).slice(0, 10)}T00:00:00`
  return {
    start_date: given.start_date ?? given.due_date ?? today,
    due_date: given.due_date ?? given.start_date ?? today,
    duration: given.duration ?? 0,
    recurr_type: given.recurr_type ?? 'never_repeat',
    recurr_on: given.recurr_on ?? 'on_completion',
    recurr_interval: given.recurr_interval ?? 1,
    recurr_weekdays: given.recurr_weekdays ?? [],
    recurr_day_of_month: given.recurr_day_of_month ?? 1,
    recurr_on_start_date: given.recurr_on_start_date ?? null,
    recurring_record_created: false,
  }
}
