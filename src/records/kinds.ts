import type { z } from 'zod'
import { differencesFrom, type NoteDifferences } from './checks.ts'
import { contactRecord, contactRequest, taskRecord, taskRequest } from './records.ts'

interface Kind {
  readonly record: () => z.ZodObject
  /** Of an answer from the record. */
  readonly noteDifferences: () => NoteDifferences
  readonly request: () => z.ZodObject
  /** The part of a create call's address between the version and the organization (interface 4). */
  readonly path: string
  /** The create call has `use_created` (interface 4.1 and 4.2). */
  readonly findsSimilar: boolean
}

/** The kinds of records. Another one is one more entry, with its schemas in records.ts; the sandbox has a list of its own. */
const all = {
  contact: kindOf('record/contact/create', contactRecord, contactRequest, { findsSimilar: true }),
  task: kindOf('record/task/create', taskRecord, taskRequest, { findsSimilar: false }),
}
export type RecordType = keyof typeof all
export const kinds: Readonly<Record<RecordType, Kind>> = all
export const recordTypes = Object.keys(all) as [RecordType, ...RecordType[]]

/** The kind of an import whose log does not name one. */
export const [usualRecordType] = recordTypes

function kindOf(
  path: string,
  makeRecord: () => z.ZodObject,
  makeRequest: () => z.ZodObject,
  { findsSimilar }: Pick<Kind, 'findsSimilar'>,
): Kind {
  const record = lazily(makeRecord)
  const noteDifferences = lazily(() => differencesFrom(record()))
  return { record, noteDifferences, request: lazily(makeRequest), path, findsSimilar }
}

/** Schemas are made on first use: few runs need them all. */
function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
