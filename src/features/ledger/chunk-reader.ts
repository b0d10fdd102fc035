import { firstOf, startingWith } from '../../input/bytes.ts'
import { decode, findMark } from '../../input/decode.ts'
import type { CheckedSource } from '../../input/open.ts'
import { type Chunk, isPacked } from '../../input/source.ts'
import type { Row } from '../../model/row.ts'

/** Finds the byte at which a text begins; undefined if it cannot be read from its middle on. */
export async function startOfText({ path, file }: CheckedSource): Promise<number | undefined> {
  if (file?.rowsFrom === undefined || isPacked(path)) return undefined
  const mark = findMark(await firstOf(file.bytesFrom(0)))
  return /^utf-?8$/i.test(mark?.encoding ?? file.encoding ?? 'utf-8') ? (mark?.length ?? 0) : undefined
}

/** Reads chunks of a file: from their first byte on if text and format allow it, else by reading forward. */
export function chunkReader(source: CheckedSource) {
  const { path, check, file } = source
  const forward = forwardReader(() => source.rows(() => {})[Symbol.asyncIterator]())
  let starting: ReturnType<typeof startOfText> | undefined
  return {
    /** The rows of one chunk. Throws a SourceError. */
    async *read(chunk: Chunk): AsyncGenerator<Row[]> {
      starting ??= startOfText(source)
      const start = await starting
      const batches =
        file?.rowsFrom === undefined || start === undefined
          ? forward.read(chunk)
          : file.rowsFrom(textFrom(file.bytesFrom(start + chunk.at), path), chunk)
      let left = chunk.rows
      for await (const batch of batches) {
        yield batch.slice(0, left)
        left -= batch.length
        if (left <= 0) return check?.()
      }
      throw new Error(`${path}: ${left} rows less from row ${chunk.firstRow} on than were divided`)
    },
    close: forward.close,
  }
}

export type ChunkReader = ReturnType<typeof chunkReader>

/** The UTF-8 text of bytes that begin in the middle of a file; only the mark that is added here is taken off again. */
const textFrom = (bytes: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> =>
  decode(startingWith(Buffer.from('\ufeff'), bytes), {}, path)

/** `rest` are rows that were read, and belong to later chunks; `next` is the number of the next row. */
const begun = (batches: AsyncIterator<Row[]>) => ({ batches, rest: [] as Row[], next: 1 })
type Forward = ReturnType<typeof begun>

/** Reads chunks of a source that has to be read from its start: goes on where the last one ended, if that is before the chunk. */
export function forwardReader(open: () => AsyncIterator<Row[]>) {
  let idle: Forward | undefined

  function take(firstRow: number): Forward {
    const last = idle
    if (last === undefined || last.next > firstRow) return begun(open())
    idle = undefined
    return last
  }

  /** Keeps a reader in the place of the last one, which is closed. */
  async function keep(reader: Forward | undefined): Promise<void> {
    const last = idle
    idle = reader
    await last?.batches.return?.()
  }

  async function* read({ firstRow, rows }: Pick<Chunk, 'firstRow' | 'rows'>): AsyncGenerator<Row[]> {
    const reader = take(firstRow)
    const end = firstRow + rows
    let hasEnded = false
    try {
      while (reader.next < end) {
        if (reader.rest.length === 0) {
          hasEnded = true // also if it fails
          const { done, value } = await reader.batches.next()
          if (done) return
          hasEnded = false
          reader.rest = value
        }
        const batch = reader.rest.splice(0, end - reader.next)
        const passed = Math.max(0, firstRow - reader.next)
        reader.next += batch.length
        if (batch.length > passed) yield batch.slice(passed)
      }
    } finally {
      if (!hasEnded) await keep(reader)
    }
  }

  return { read, close: () => keep(undefined) }
}
