import { longAgo } from './made-record.ts'
import type { UserReference } from './shared-fields.ts'

const capacity = {
  mon_capacity_in_hours: 8,
  tue_capacity_in_hours: 8,
  wed_capacity_in_hours: 8,
  thu_capacity_in_hours: 8,
  fri_capacity_in_hours: 8,
  sat_capacity_in_hours: 0,
  sun_capacity_in_hours: 0,
  weekly_capacity_in_hours: 40,
}

/** The full User object of interface 2.4: what the body says of the user, the rest made up from the id. */
export function user(given: UserReference) {
  const userId = given.user_id
  return {
    user_id: userId,
    full_name: given.full_name ?? `User ${userId}`,
    email: given.email ?? `user${userId}@sandbox.invalid`,
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
    capacity,
    avatar_url: `https://sandbox.invalid/avatars/${userId}.png`,
    timezone_in_mins: null,
    created_at: longAgo,
    modified_at: longAgo,
  }
}

/** The assignee's id, whether the body gave the id alone or an object that carries it; null when neither. */
export function assigneeId(fields: {
  assigned_user?: UserReference | null | undefined
  assigned_user_id?: number | null | undefined
}): number | null {
  return fields.assigned_user_id ?? fields.assigned_user?.user_id ?? null
}

/** The assignee as interface 2.1 and 2.3 give it: a full User object, or null. */
export function assignee(fields: Parameters<typeof assigneeId>[0]) {
  const userId = assigneeId(fields)
  if (userId === null) return null
  return user(fields.assigned_user?.user_id === userId ? fields.assigned_user : { user_id: userId })
}
