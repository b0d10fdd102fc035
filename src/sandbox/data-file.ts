import { closeSync, constants, createReadStream, ftruncateSync, openSync, writeSync } from 'node:fs'
import { z } from 'zod'
import { type MadeRecord, utcTimestamp } from './made-record.ts'

const dataLine = z.object({
  record_id: z.guid(),
  record_type: z.enum(['contact', 'task']),
  organization_id: z.int().positive(),
  received_at: z.iso.datetime(),
  request: z.unknown(),
})

/** Takes a record that was read and its parsed request; false says that this cannot be a request of its kind. */
export type Restore = (made: MadeRecord, request: unknown) => boolean

/**
 * The NDJSON file that keeps made records, one a line, so that a sandbox can be stopped and started.
 * Each line is written before its call is answered, and synchronously, so that a killed sandbox forgets nothing that
 * a client was told. It holds personal data and is made with mode 0600.
 */
export class DataFile {
  readonly #fd: number
  #sizeBytes: number

  private constructor(fd: number, sizeBytes: number) {
    this.#fd = fd
    this.#sizeBytes = sizeBytes
  }

  /**
   * Opens or makes the file and hands every record in it to `restore`. A last line that is torn is cut off; a whole
   * one that lacks only its end gets one.
   * @throws Error, with file and line, when any other line is not a record; the file is left as it was
   */
  static async open(path: string, restore: Restore): Promise<DataFile> {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      const sizeBytes = await restoreAll(path, restore)
      ftruncateSync(fd, sizeBytes)
      if (sizeBytes > 0) writeSync(fd, '\n', sizeBytes - 1)
      return new DataFile(fd, sizeBytes)
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** Writes at a known place, so that a write which failed half way is overwritten by the next, not glued to it. */
  append(made: MadeRecord): void {
    const bytes = Buffer.from(lineOf(made))
    let written = 0
    while (written < bytes.length) {
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#sizeBytes + written)
    }
    this.#sizeBytes += bytes.length
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** The request goes in as the JSON text it is held as. */
function lineOf(made: MadeRecord): string {
  const head = {
    record_id: made.recordId,
    record_type: made.recordType,
    organization_id: made.organizationId,
    received_at: utcTimestamp(made.receivedAtMs),
  }
  return `${JSON.stringify(head).slice(0, -1)},"request":${made.requestText}}\n`
}

/** Returns the bytes of the whole lines, each counted with its end. */
async function restoreAll(path: string, restore: Restore): Promise<number> {
  let sizeBytes = 0
  let lineNumber = 0
  let torn: string | undefined
  for await (const bytes of linesOf(path)) {
    if (torn !== undefined) throw notOurs(path, lineNumber)
    lineNumber += 1
    const line = bytes.toString('utf8')
    const read = readLine(line)
    if (read === undefined || !restore(read.made, read.request)) torn = line
    else sizeBytes += bytes.length + 1
  }
  // Without a record before it, a broken line may be someone's file that was named by mistake: it is not cut off.
  if (torn !== undefined && sizeBytes === 0 && !startsLikeOurs(torn)) throw notOurs(path, lineNumber)
  return sizeBytes
}

function notOurs(path: string, lineNumber: number): Error {
  return new Error(
    `${path}:${lineNumber}: this line is not a record that a sandbox made; name another data file`,
  )
}

function startsLikeOurs(line: string): boolean {
  const start = '{"record_id":'
  return line.startsWith(start) || start.startsWith(line)
}

/** Lines without their end. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    let rest: Buffer = chunk
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield Buffer.concat([...pending, rest.subarray(0, end)])
      pending = []
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) pending.push(rest)
  }
  if (pending.length > 0) yield Buffer.concat(pending)
}

function readLine(line: string): { made: MadeRecord; request: unknown } | undefined {
  try {
    const checked = dataLine.parse(JSON.parse(line))
    const made = {
      recordId: checked.record_id,
      recordType: checked.record_type,
      organizationId: checked.organization_id,
      receivedAtMs: Date.parse(checked.received_at),
      requestText: JSON.stringify(checked.request),
    }
    return { made, request: checked.request }
  } catch {
    return undefined
  }
}
