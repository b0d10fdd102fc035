import { derivedInteger, derivedUuid } from './derived.ts'
import { callingUserId, longAgo } from './made-record.ts'
import type { ProjectReference } from './shared-fields.ts'

/** The Project summary of interface 2.7: what the body says of the project, the rest made up from its id. */
export function projectSummary(given: ProjectReference) {
  const id = given.project_id
  return {
    project_id: id,
    parent_project_id: given.parent_project_id ?? null,
    group_id: given.group_id ?? derivedInteger(`group of ${id}`),
    name: given.name ?? `Project ${id.slice(0, 8)}`,
    data_type: given.data_type ?? 'task',
    access_type: given.access_type ?? 'public_to_parent',
    default_view_id: given.default_view_id ?? derivedUuid(`view of ${id}`),
    inherited: given.inherited ?? false,
    start_date: given.start_date ?? null,
    due_date: given.due_date ?? null,
    icon_url: given.icon_url ?? 'https://sandbox.invalid/icons/project.png',
    color_id: given.color_id ?? 1,
    order_index: given.order_index ?? 1024.5,
    owner_user_id: given.owner_user_id ?? callingUserId,
    status: given.status ?? null,
    is_template: given.is_template ?? false,
    t_record_dates_from: given.t_record_dates_from ?? null,
    archived: given.archived ?? false,
    is_delete_triggered: given.is_delete_triggered ?? false,
    created_at: longAgo,
  }
}
