import type { z } from 'zod'
import { contactRecord, contactRequest, taskRecord, taskRequest } from './records.ts'

/** Interface 4. */
export const recordTypes = ['contact', 'task'] as const
export type RecordType = (typeof recordTypes)[number]

interface Kind {
  readonly record: z.ZodObject
  readonly request: z.ZodObject
  /** The create call has `use_created` (interface 4.1 and 4.2). */
  readonly findsSimilar: boolean
}

export const kinds: Readonly<Record<RecordType, Kind>> = {
  contact: kindOf(contactRecord, contactRequest, { findsSimilar: true }),
  task: kindOf(taskRecord, taskRequest, { findsSimilar: false }),
}

/** Schemas are made on first use: few runs need them all. */
function kindOf(
  makeRecord: () => z.ZodObject,
  makeRequest: () => z.ZodObject,
  about: Pick<Kind, 'findsSimilar'>,
): Kind {
  let record: z.ZodObject | undefined
  let request: z.ZodObject | undefined
  return {
    ...about,
    get record() {
      record ??= makeRecord()
      return record
    },
    get request() {
      request ??= makeRequest()
      return request
    },
  }
}
