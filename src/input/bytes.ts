import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { sourceErrors } from '../model/errors.ts'
import { isGzip, standardInput } from './source.ts'

const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error)

/** What reading needs from outside. */
export interface Reading {
  readonly stdin: Readable
  /** Ends the reading at once, wherever it waits. */
  readonly signal: AbortSignal
  /** Hears how many bytes of the sources themselves were taken. */
  readonly onRead: (bytes: number) => void
}

/** What can be known of a source before it is read. */
export interface SourceFile {
  /** Bytes on disk; undefined for a pipe. */
  readonly size: number | undefined
  /** Whether it can be opened a second time and read from its start. */
  readonly rereadable: boolean
}

/** Looks at a source without reading it; throws a SourceError when it is not there or is a folder. */
export async function inspect(path: string): Promise<SourceFile> {
  if (path === standardInput) return { size: undefined, rereadable: false }
  const found = await stat(path).catch(error => {
    throw sourceErrors.unreadable(path, reasonOf(error))
  })
  if (found.isDirectory()) throw sourceErrors.unreadable(path, 'it is a folder')
  return found.isFile() ? { size: found.size, rereadable: true } : { size: undefined, rereadable: false }
}

/**
 * The bytes of a source, unpacked when its name ends in .gz. Throws a SourceError when it cannot be read or the gzip
 * data are damaged or cut short.
 */
export async function* readBytes(path: string, { stdin, signal, onRead }: Reading): AsyncGenerator<Buffer> {
  const raw = addAbortSignal(signal, path === standardInput ? stdin : createReadStream(path))
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      onRead(chunk.length)
      yield chunk
    }
  }
  try {
    if (!isGzip(path)) return yield* counted(raw)
    const { createGunzip } = await import('node:zlib') // few files are packed
    yield* pipeline(raw, counted, createGunzip(), () => {}) as AsyncIterable<Buffer>
  } catch (error) {
    const reason = reasonOf(error)
    throw reason.startsWith('Z_')
      ? sourceErrors.brokenGzip(path, reason)
      : sourceErrors.unreadable(path, reason)
  } finally {
    raw.destroy()
  }
}
