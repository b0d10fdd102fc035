import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { z } from 'zod'
import type { Fields } from './fields.ts'
import { kinds, recordTypes, type StoredRecord } from './records.ts'

const lineSchema = z.object({
  record_id: z.guid(),
  record_type: z.enum(recordTypes),
  organization_id: z.int().positive(),
  received_at: z.iso.datetime(),
  request: z.unknown(),
})

type Restore = (stored: StoredRecord, fields: Fields) => void

export type DataFile = ReturnType<typeof openDataFile>

/** Restores the records, one a line; cuts a torn last line off. Throws, with file and line, if another one is no record: the file is unchanged then. */
export function openDataFile(path: string, restore: Restore) {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  let sizeBytes = 0
  try {
    sizeBytes = restoreAll(path, readFileSync(fd), restore)
    ftruncateSync(fd, sizeBytes)
    if (sizeBytes > 0) writeSync(fd, '\n', sizeBytes - 1)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return {
    /** Synchronous, so that a killed sandbox loses no record. The next write overwrites one that failed half way. */
    append(stored: StoredRecord): void {
      const bytes = Buffer.from(formatLine(stored))
      let written = 0
      while (written < bytes.length) {
        written += writeSync(fd, bytes, written, bytes.length - written, sizeBytes + written)
      }
      sizeBytes += bytes.length
    },
    close: () => closeSync(fd),
  }
}

/** The request is JSON text already. */
const formatLine = ({ requestText, ...head }: StoredRecord) =>
  `${JSON.stringify(head).slice(0, -1)},"request":${requestText}}\n`

/** Returns the bytes of the whole lines with their line ends. */
function restoreAll(path: string, bytes: Buffer, restore: Restore): number {
  let start = 0
  for (let lineNumber = 1; start < bytes.length; lineNumber += 1) {
    const lineEnd = bytes.indexOf('\n', start)
    const end = lineEnd < 0 ? bytes.length : lineEnd
    const line = bytes.toString('utf8', start, end)
    const parsed = parseLine(line)
    if (parsed === undefined) {
      // Perhaps a file that was named by mistake, which must not change.
      const isTorn = end + 1 >= bytes.length && (start > 0 || startsLikeRecord(line))
      if (isTorn) return start
      throw new Error(`${path}:${lineNumber}: this line is not a record of a sandbox; name another data file`)
    }
    restore(parsed.stored, parsed.fields)
    start = end + 1
  }
  return start
}

function startsLikeRecord(line: string): boolean {
  const start = '{"record_id":'
  return line.startsWith(start) || start.startsWith(line)
}

function parseLine(text: string): { stored: StoredRecord; fields: Fields } | undefined {
  try {
    const { request, ...head } = lineSchema.parse(JSON.parse(text))
    const fields = kinds[head.record_type].body.parse(request)
    return { stored: { ...head, requestText: JSON.stringify(request) }, fields }
  } catch {
    return undefined
  }
}
