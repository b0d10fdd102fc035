import type { z } from 'zod'
import { contactRecord, contactRequest, taskRecord, taskRequest } from './records.ts'

/** Interface 4. */
export const recordTypes = ['contact', 'task'] as const
export type RecordType = (typeof recordTypes)[number]

interface Kind {
  readonly record: () => z.ZodObject
  readonly request: () => z.ZodObject
  /** The create call has `use_created` (interface 4.1 and 4.2). */
  readonly findsSimilar: boolean
}

export const kinds: Readonly<Record<RecordType, Kind>> = {
  contact: { record: lazily(contactRecord), request: lazily(contactRequest), findsSimilar: true },
  task: { record: lazily(taskRecord), request: lazily(taskRequest), findsSimilar: false },
}

/** Schemas are made on first use: few runs need them all. */
function lazily(make: () => z.ZodObject): () => z.ZodObject {
  let schema: z.ZodObject | undefined
  return () => {
    schema ??= make()
    return schema
  }
}
