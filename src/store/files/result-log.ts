import { once } from 'node:events'
import { closeSync, fdatasyncSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { cannotWrite, UsageError } from '../../model/errors.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { chainedFile, type SyncPoints } from './chained-file.ts'
import { Chain } from './checksum.ts'
import { countedLines } from './counted-lines.ts'
import { groupCommit, openDurableFile } from './durable-file.ts'
import { type IntentsLeft, readIntents } from './intent-log.ts'
import { type Opening, openingAfter, saysLost } from './lines.ts'
import type { Lock } from './lock.ts'
import { Pairing } from './pairing.ts'
import {
  intentLogPath,
  isThere,
  LineCheck,
  type Log,
  type LogEnd,
  type LogFault,
  noEnd,
  readWholeLines,
  type StoredLog,
  unreadable,
} from './whole-lines.ts'

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

interface LogReading {
  /** What the intent log shows, if that was read already. */
  readonly intents?: IntentsLeft | undefined
  /** A live run writes the log: its end may be anything. */
  readonly isLive?: boolean
  readonly onEnd?: (end: LogEnd) => void
  /** Called where a repair says that lines are missing. */
  readonly onLost?: () => void
}

/** Yields the lines that count in batches. Throws a UsageError for another file, and if anything is damaged or missing that was on disk. */
export async function* readResultLines(path: Log, reading: LogReading = {}) {
  if (typeof path !== 'string') return yield* countedLines(path, storedLog(path))
  if (await isThere(path)) return yield* countedLines(path, wholeLog(path, reading))
  const intents = reading.isLive ? undefined : await intentsOf(path, reading)
  if (intents !== undefined && (intents.chain !== 0 || intents.log !== undefined))
    throw new UsageError('log_gone', { path, inFlight: intentLogPath(path) })
}

const intentsOf = (path: string, reading: LogReading) =>
  'intents' in reading ? reading.intents : readIntents(path)

/** Reads the whole lines of a log, and compares its end with that of its intent log, unless a run writes them meanwhile. */
async function* wholeLog(
  path: string,
  { isLive = false, onEnd = () => {}, onLost = () => {}, ...reading }: LogReading,
) {
  const before = isLive ? [] : stampsOf(path)
  const intents = isLive ? undefined : await intentsOf(path, reading)
  const check = new LineCheck({ path, log: path })
  const pairing = new Pairing(intents)
  let [end, last]: [LogEnd, LogFault | undefined] = [noEnd, undefined]
  const lines = readWholeLines(path, check, (...read) => {
    ;[end, last] = read
  })
  for await (const whole of lines) {
    let from = 0
    for (const [at, { line, crc }] of whole.entries()) {
      pairing.add(line, crc)
      if (!saysLost(line)) continue
      yield whole.slice(from, at)
      onLost()
      from = at + 1
    }
    yield from === 0 ? whole : whole.slice(from)
  }
  const fault = pairing.faultOf(path, check, last)
  if (!isLive && fault !== undefined) {
    const now = await readIntents(path) // the others may have been read long before the log
    if (isDeepStrictEqual(intents?.crcs, now?.crcs) && isDeepStrictEqual(before, stampsOf(path))) throw fault
  }
  onEnd(end)
}

/** Reads the lines of a log that a store has: with each the store committed all before it, so any damage counts. */
const storedLog = (log: StoredLog) =>
  readWholeLines(log, new LineCheck({ path: log.name, log: log.name }), (_, fault) => {
    if (fault !== undefined) throw fault.error
  })

/** What changes if a run writes one of the files. */
const stampsOf = (path: string) =>
  [path, intentLogPath(path)].map(file => {
    try {
      const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {}
      return [ino, size, mtimeMs]
    } catch (error) {
      throw unreadable(file, error)
    }
  })

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
 * Opens a log for its owner alone: each line is on disk before its promise resolves. What was not synced of it is cut off, and the last group synced again.
 * Throws a LogError, or a LockError.
 */
export async function openResultLog(
  path: string,
  { crc, cutTo, hasRest, isOpen, groupAt }: LogEnd,
  lock: Lock,
  points: SyncPoints,
): Promise<LineSink> {
  const failed = (error: unknown) => cannotWrite(path, error)
  try {
    lock.check()
    if (hasRest) truncateSync(path, cutTo) // else a late line of another run may have come since
    if (cutTo > 0) writeAgain(path, groupAt, cutTo)
    const file = await openDurableFile(path, 'a')
    if (isOpen) await file.appendFile('\n').then(() => file.datasync())
    const chain = new Chain(crc)
    const lines = chainedFile(file, 'log', chain, points)
    const appendFile = (group: readonly string[]) => {
      if (chain.lines === 0) lock.check() // outcomes may come late, an opening may not
      return lines.appendFile(group)
    }
    const datasync = async () => {
      await endOfTurn() // calls whose intents came in the same turn go out first, and the service is at work meanwhile
      await lines.datasync()
    }
    return groupCommit({ ...lines, appendFile, datasync }, failed)
  } catch (error) {
    throw failed(error)
  }
}

/** A repaired log has a single group. */
const mostAtOnce = 4_194_304

/** Writes bytes in their own place: after a failed sync a later one may succeed without them. */
function writeAgain(path: string, start: number, end: number): void {
  const file = openSync(path, 'r+')
  try {
    const bytes = Buffer.alloc(Math.min(end - start, mostAtOnce))
    for (let at = start; at < end; at += bytes.length) {
      const length = readSync(file, bytes, 0, Math.min(bytes.length, end - at), at)
      writeSync(file, bytes, 0, length, at)
    }
    fdatasyncSync(file)
  } finally {
    closeSync(file)
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
