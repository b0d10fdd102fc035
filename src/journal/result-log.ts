import { once } from 'node:events'
import { createReadStream, truncateSync } from 'node:fs'
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import { DurableFile, GroupCommit, ownerOnly } from './durable-file.ts'
import { parseOpening, parseResultLine, type ResultLine } from './lines.ts'
import type { Lock } from './lock.ts'

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

/** Whether a log exists and is not empty. Throws a UsageError when it is a folder or cannot be looked at. */
export async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(path, error)
  })
  if (found?.isDirectory()) throw new UsageError('log_is_folder', { path })
  return found !== undefined && found.size > 0
}

/** A line of a result log, and its number from 1. */
export interface NumberedLine {
  readonly line: ResultLine
  readonly number: number
}

/** The number of a line that the log does not have yet. */
export const behindTheLog = 0

/** What the end of a log needs before a line is added: a torn last line is cut off, a whole one gets its line end. */
export type TailRepair = { readonly cutTo: number } | { readonly addLineEnd: true }

/** In batches; `onTail` is called where the end needs a repair. Throws a UsageError for another or a damaged file. */
export async function* readResultLines(
  path: string,
  onTail: (repair: TailRepair) => void = () => {},
): AsyncGenerator<NumberedLine[]> {
  if (!(await isThere(path))) return
  const end = new FileEnd()
  let number = 0
  const numbered = (text: string): NumberedLine => {
    number += 1
    return { line: resultLineIn(text, path, number), number }
  }
  for await (const lines of readLines(path, end)) yield lines.map(numbered)
  if (end.rest === '') return
  const isTorn = parseResultLine(end.rest) === undefined && /^(\{|\0*$)/.test(end.rest)
  onTail(isTorn ? { cutTo: end.wholeBytes } : { addLineEnd: true })
  if (!isTorn) yield [numbered(end.rest)]
}

function resultLineIn(text: string, path: string, number: number): ResultLine {
  if (number === 1 && parseOpening(text) === undefined) throw new UsageError('not_a_log', { path })
  const line = parseResultLine(text)
  const isKnown = line?.status !== undefined || line?.ended !== undefined || (line && 'rowlift' in line)
  if (line === undefined || !isKnown) throw new UsageError('bad_log_line', { path, line: number })
  return line
}

/** Where the whole lines of a file end, and the text behind the last of them. */
export class FileEnd {
  wholeBytes = 0
  rest = ''
}

const chunkBytes = 262_144

/** Reads the whole lines of a file, in batches, and fills in `end`. Throws a UsageError. */
export async function* readLines(path: string, end: FileEnd): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let position = 0
  for await (const chunk of readChunks(path)) {
    const lines = (end.rest + decoder.write(chunk)).split('\n')
    end.rest = lines.pop() ?? ''
    const lastLineEnd = chunk.lastIndexOf(10)
    if (lastLineEnd !== -1) end.wholeBytes = position + lastLineEnd + 1
    position += chunk.length
    yield lines
  }
  end.rest += decoder.end()
}

/** The key of the first row that got each record; a line that could not be read is passed over. Throws a UsageError. */
export async function keysOfRecords(
  path: string,
  recordIds: readonly string[],
): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  const left = new Set(recordIds)
  for await (const lines of readLines(path, new FileEnd()))
    for (const text of lines) {
      const id = [...left].find(id => text.includes(id))
      const line = id === undefined ? undefined : parseResultLine(text)
      if (id === undefined || line?.key === undefined || line.record_id !== id) continue
      keys.set(id, line.key)
      left.delete(id)
      if (left.size === 0) return keys
    }
  return keys
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>
  } catch (error) {
    throw unreadable(path, error)
  }
}

const unreadable = (path: string, error: unknown) =>
  new UsageError('file_unreadable', { what: 'result log', path, reason: reasonOf(error) })

export interface LineSink {
  /** Resolves when the line is safe, undefined when it is already; rejects with a LogError when it cannot be written. */
  append(line: string): Promise<void> | undefined
  close(): Promise<void>
}

/** For its owner alone: each line is on disk before its promise resolves. Throws a LogError, or a LockError. */
export async function openResultLog(
  path: string,
  repair: TailRepair | undefined,
  lock: Lock,
): Promise<LineSink> {
  const failed = (error: unknown) => cannotWrite(path, error)
  try {
    lock.check()
    if (repair !== undefined && 'cutTo' in repair) truncateSync(path, repair.cutTo)
    const file = await DurableFile.open(path, 'a')
    if (repair !== undefined && 'addLineEnd' in repair) await file.appendFile('\n')
    const lines = new GroupCommit(file)
    return {
      append: line => lines.append(line).catch(error => Promise.reject(failed(error))),
      close: () => lines.close().catch(error => Promise.reject(failed(error))),
    }
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
  return { append: lines.append, close: () => lines.close().finally(() => file.close()) }
}
