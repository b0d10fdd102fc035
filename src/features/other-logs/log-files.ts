import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { fileContext, findFile, readBytes } from '../../input/bytes.ts'
import { isPacked } from '../../input/source.ts'
import { type Opening, parseOpening } from '../../store/files/lines.ts'
import { readTexts, streamOf } from '../../store/files/whole-lines.ts'

/** A file that begins as a result log does, or an intent log. */
export interface LogFile {
  /** Its path, links followed. */
  readonly path: string
  readonly isPacked: boolean
  readonly opening: Opening
}

/** A file that may be a log, and that nobody can look into. */
export interface UnseenLog {
  readonly path: string
  readonly why: 'unreadable' | 'dangling' | 'gone' | 'lost'
}

const longestName = /\.ndjson(\.|$)/
const mostBytes = 4_000_000 // the line names all sources, and a command line may have 2 MB
const beginning = '{"run":'

/** Returns a log, or what may be one by its name; undefined for anything else, which is not read past its first bytes. */
export async function logAt(named: string): Promise<LogFile | UnseenLog | undefined> {
  const isNamed = longestName.test(named) && !/\.(lock|new|damaged|finished)$/.test(named)
  try {
    const path = await realpath(named)
    if (!(await stat(path)).isFile()) return undefined // a pipe or a device is not even opened
    for await (const { texts } of linesOf(path, mostBytes)) {
      const opening = openingIn(texts[0])
      return opening && { path, isPacked: isPacked(path), opening }
    }
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isLink = code === 'ENOENT' && (await lstat(named).catch(() => undefined))?.isSymbolicLink()
    if (!isNamed || !(isLink || code === 'EACCES' || code === 'EPERM')) return undefined
    return { path: named, why: isLink ? 'dangling' : 'unreadable' }
  }
}

/** The opening line in a text; undefined for anything that only looks like one: a folder may hold any file. */
export function openingIn(text: Buffer | undefined): Opening | undefined {
  const opening = parseOpening(String(text))
  const { base_url, at, key_columns, columns = [], columns_read = [] } = opening ?? {}
  const areLists = [key_columns, ...[columns, columns_read].flat()].every(Array.isArray)
  return typeof base_url === 'string' && typeof at === 'string' && areLists ? opening : undefined
}

/** The texts between the line ends of a log, packed or not, up to a length; none if it does not begin as one. */
export async function* linesOf(path: string, most = Number.POSITIVE_INFINITY) {
  if (!isPacked(path) && bytesAt(path, 0, beginning.length) !== beginning) return
  yield* readTexts(path, isPacked(path) ? unpacked(path, most) : streamOf(path, 0, most))
}

/** The bytes of a packed log; fewer if it is damaged. */
async function* unpacked(path: string, most: number): AsyncGenerator<Buffer> {
  const context = fileContext(new AbortController().signal)
  let length = 0
  try {
    for await (const chunk of readBytes(path, context, await findFile(path))) {
      if (length === 0 && !chunk.toString('latin1').startsWith(beginning)) return
      yield chunk
      length += chunk.length
      if (length > most) return
    }
  } catch {}
}

/** The bytes of a file from a place on, as far as it has them. */
export function bytesAt(path: string, start: number, length: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, length, start))
  } finally {
    closeSync(file)
  }
}

export const tailLength = 100

/** The size of a file, its last bytes, and the checksum that they end with, if they are those of a log. */
export function endOfFile(path: string) {
  const { size, mtimeMs: changedMs } = statSync(path)
  const start = Math.max(0, size - tailLength)
  const text = bytesAt(path, start, size - start)
  return { size, changedMs, text, checksum: /"crc32":"(\w{8})"\}\s*$/.exec(text)?.[1] }
}
