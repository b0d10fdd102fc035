import type { z } from 'zod'
import { differencesFrom, type NoteDifferences } from './differences.ts'
import { contactRecord, contactRequest, taskRecord, taskRequest } from './records.ts'

/** Interface 4. */
export const recordTypes = ['contact', 'task'] as const
export type RecordType = (typeof recordTypes)[number]

interface Kind {
  readonly record: () => z.ZodObject
  /** Of an answer from the record. */
  readonly noteDifferences: () => NoteDifferences
  readonly request: () => z.ZodObject
  /** The create call has `use_created` (interface 4.1 and 4.2). */
  readonly findsSimilar: boolean
}

export const kinds: Readonly<Record<RecordType, Kind>> = {
  contact: { ...recordOf(contactRecord), request: lazily(contactRequest), findsSimilar: true },
  task: { ...recordOf(taskRecord), request: lazily(taskRequest), findsSimilar: false },
}

function recordOf(make: () => z.ZodObject) {
  const record = lazily(make)
  return { record, noteDifferences: lazily(() => differencesFrom(record())) }
}

/** Schemas are made on first use: few runs need them all. */
function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
