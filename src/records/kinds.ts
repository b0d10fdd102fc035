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
  contact: kindOf(contactRecord, contactRequest, { findsSimilar: true }),
  task: kindOf(taskRecord, taskRequest, { findsSimilar: false }),
}

/** Makes a schema when it is first asked for: few runs need both kinds, or both schemas of one. */
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
