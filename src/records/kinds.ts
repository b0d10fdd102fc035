import type { z } from 'zod'
import { contactRecord, contactRequest } from './contact.ts'
import { taskRecord, taskRequest } from './task.ts'

/** The kinds of record that the service can create (interface 4). */
export const recordTypes = ['contact', 'task'] as const
export type RecordType = (typeof recordTypes)[number]

interface Kind {
  readonly record: z.ZodObject
  readonly request: z.ZodObject
  /** Whether the create call knows `use_created` (interface 4.1 and 4.2). */
  readonly findsSimilar: boolean
}

export const kinds: Readonly<Record<RecordType, Kind>> = {
  contact: { record: contactRecord, request: contactRequest, findsSimilar: true },
  task: { record: taskRecord, request: taskRequest, findsSimilar: false },
}
