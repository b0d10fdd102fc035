import type { z } from 'zod'
import { type Refusal, refusal } from './answer.ts'
import { type ContactFields, contactFields } from './contact-fields.ts'
import type { RecordType } from './create-path.ts'
import { type TaskFields, taskFields } from './task-fields.ts'

/** The checked fields of a body, by the kind of record they are for. */
export type CheckedFields =
  | { kind: 'fields'; recordType: 'contact'; fields: ContactFields }
  | { kind: 'fields'; recordType: 'task'; fields: TaskFields }

/** A body that is JSON; `requestText` is it again without white space, on one line. */
export interface JsonBody {
  kind: 'json'
  value: unknown
  requestText: string
}

/**
 * Reads the bytes of a body as JSON in UTF-8.
 * @returns 415 when the content type is not JSON, 400 when the bytes are not
 */
export function jsonBody(contentType: string | undefined, bytes: Buffer): JsonBody | Refusal {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    return refusal(415, `the body is sent as ${contentType ?? 'nothing'}, not as application/json`)
  }
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    )
    return { kind: 'json', value, requestText: JSON.stringify(value) }
  } catch (error) {
    return refusal(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Checks the types of the fields that the interface knows; others are passed over.
 * @returns 422 when the value is not an object or a field is of the wrong type, with each field's dotted path
 */
export function checkedFields(recordType: RecordType, value: unknown): CheckedFields | Refusal {
  switch (recordType) {
    case 'contact': {
      const checked = contactFields.safeParse(value)
      return checked.success
        ? { kind: 'fields', recordType, fields: checked.data }
        : typeFaults(checked.error)
    }
    case 'task': {
      const checked = taskFields.safeParse(value)
      return checked.success
        ? { kind: 'fields', recordType, fields: checked.data }
        : typeFaults(checked.error)
    }
  }
}

function typeFaults(error: z.ZodError): Refusal {
  const faults = error.issues.map(issue => `${issue.path.join('.') || 'the body'}: ${issue.message}`)
  return refusal(422, faults.join('; '))
}
