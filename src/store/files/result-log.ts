import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { cannotWrite, UsageError } from '../../model/errors.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { groupCommit, openDurableFile } from './durable-file.ts'
import { type Opening, openingAfter } from './lines.ts'
import type { Lock } from './lock.ts'
import { countedLines, intentLogPath, type TailRepair, unreadable } from './whole-lines.ts'

/** Resolves a link to a file, whether the file exists yet or not, so that two names of one log have one lock. */
export async function resolveLink(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink()
  if (!isLink) return path
  return realpath(path).catch(async error =>
    error.code === 'ENOENT'
      ? resolveLink(resolve(await realpath(dirname(path)), await readlink(path)))
      : path,
  )
}

/** Checks whether a log exists and is not empty. Throws a UsageError if it is a folder or pipe, or cannot be read. */
export async function isThere(path: string): Promise<boolean> {
  const file = await stat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(path, error)
  })
  if (file?.isDirectory() || file?.isFIFO()) throw new UsageError('log_not_a_file', { path })
  return file !== undefined && file.size > 0
}

/** Yields the lines that count in batches; `onTail` is called if the end needs a repair. Throws a UsageError for another or a damaged file. */
export async function* readResultLines(path: string, onTail?: (repair: TailRepair) => void) {
  if (await isThere(path)) yield* countedLines({ path, log: path }, onTail)
}

/** The opening that counts after the last line. Throws a UsageError. */
export async function lastOpening(path: string): Promise<Opening | undefined> {
  let last: Opening | undefined
  for await (const lines of readResultLines(path))
    for (const { line } of lines) if (line.rowlift !== undefined) last = openingAfter(last, line as Opening)
  return last
}

/** The key of the first row that got each record. Throws a UsageError. */
export async function keysOfRecords(path: string, recordIds: readonly string[]) {
  const keys = new Map<string, string>()
  const left = new Set(recordIds)
  for await (const lines of readResultLines(path)) {
    for (const { line } of lines) {
      const { key, record_id: id = '' } = line
      if (key !== undefined && left.delete(id)) keys.set(id, key)
    }
    if (left.size === 0) break
  }
  return keys
}

export interface LineSink {
  /** Resolves when the line is safe, undefined when it is already; rejects with a LogError when it cannot be written. */
  append(line: string): Promise<void> | undefined
  close(): Promise<void>
}

/**
 * Opens a log for its owner alone: each line is on disk before its promise resolves. An intent log, empty if need be, is there before
 * anything is written; whoever closes the log removes it. Throws a LogError, or a LockError.
 */
export async function openResultLog(
  path: string,
  repair: TailRepair | undefined,
  lock: Lock,
): Promise<LineSink> {
  const failed = (error: unknown) => cannotWrite(path, error)
  try {
    lock.check()
    await openDurableFile(intentLogPath(path), 'a').then(file => file.close())
    lock.check()
    if (repair !== undefined) truncateSync(path, repair.cutTo)
    const file = await openDurableFile(path, 'a')
    if (repair !== undefined) await file.appendFile(repair.add).then(() => file.datasync())
    return groupCommit(file, failed)
  } catch (error) {
    throw failed(error)
  }
}

/** Writes lines to a stream, as fast as its reader takes them. `close` waits until it has them, and leaves it open. */
export function streamSink(stream: Writable, name: string): LineSink {
  let failure: unknown
  let draining: Promise<void> | undefined
  stream.on('error', error => {
    failure = error
  })
  const check = () => {
    if (failure !== undefined) throw cannotWrite(name, failure)
  }
  return {
    append(line) {
      check()
      if (stream.write(`${line}\n`)) return undefined
      draining ??= once(stream, 'drain')
        .then(check, check)
        .finally(() => {
          draining = undefined
        })
      return draining
    },
    async close() {
      failure ??= (await new Promise<unknown>(resolve => stream.write('', resolve))) ?? undefined
      check()
    },
  }
}

/** Writes a new file, for its owner alone. Throws a LogError. */
export async function openPreview(path: string): Promise<LineSink> {
  const file = await open(path, 'w', ownerOnly).catch(error => {
    throw cannotWrite(path, error)
  })
  if ((await file.stat()).isFile()) await file.chmod(ownerOnly) // an existing file would keep its mode
  const lines = streamSink(file.createWriteStream({ autoClose: false }), path)
  const closeFile = () => file.close().catch(error => Promise.reject(cannotWrite(path, error)))
  return { ...lines, close: () => lines.close().finally(closeFile) }
}
