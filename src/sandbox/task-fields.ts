import { z } from 'zod'
import {
  anyList,
  anything,
  commonFields,
  contactReference,
  flag,
  nullableNumber,
  text,
  timestamp,
} from './shared-fields.ts'

const dateInfo = z.object({
  start_date: timestamp.optional(),
  due_date: timestamp.optional(),
  duration: z.number().optional(),
  recurr_type: text,
  recurr_on: text,
  recurr_interval: z.int().optional(),
  recurr_weekdays: anyList,
  recurr_day_of_month: z.int().optional(),
  recurr_on_start_date: anything,
})

/**
 * What a body may say of a task: the fields of interface 2.3 less those that only the service sets.
 * None is required (interface 2.8); fields outside it are passed over, as a service would.
 */
export const taskFields = z.object({
  ...commonFields,
  is_template: flag,
  parents: anyList,
  parent: anything,
  reminders: anyList,
  priority: text,
  date_info: dateInfo.optional(),
  planned_start: anything,
  planned_due: anything,
  status: z.int().optional(),
  completed_at: timestamp.nullable().optional(),
  estimated_time: z.number().optional(),
  actual_time: nullableNumber,
  billable: flag,
  cost: nullableNumber,
  billable_amount: nullableNumber,
  dependencies: anyList,
  contacts: z.array(contactReference).optional(),
  contact_email: anything,
  contact_phone: anything,
})

export type TaskFields = z.infer<typeof taskFields>
export type DateInfo = z.infer<typeof dateInfo>
