import { firstOf, startingWith } from '../../input/bytes.ts'
import { decode, findMark } from '../../input/decode.ts'
import type { CheckedSource } from '../../input/open.ts'
import { isPacked, type Start } from '../../input/source.ts'
import type { Row } from '../../model/row.ts'

/** Rows that follow each other in one source, which is counted from 0. */
export interface Chunk extends Start {
  readonly source: number
  /** Start of the first row, in bytes of the text in UTF-8 without byte-order mark. */
  readonly at: number
  readonly rows: number
}

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

/** Reads chunks of a source that has to be read from its start: goes on where the last one ended, if that is before the chunk. */
export function forwardReader(open: () => AsyncIterator<Row[]>) {
  const begin = () => ({ batches: open(), last: [] as Row[] })
  /** The reader that nobody uses, with its last batch, which may have rows of later chunks. */
  let idle: ReturnType<typeof begin> | undefined

  /** Keeps a reader in the place of the last one, which is closed. */
  async function keep(reader: typeof idle): Promise<void> {
    const last = idle
    idle = reader
    await last?.batches.return?.()
  }

  async function* read({ firstRow, rows }: Pick<Chunk, 'firstRow' | 'rows'>): AsyncGenerator<Row[]> {
    const isBefore = (idle?.last[0]?.row ?? 1) <= firstRow
    const reader = (isBefore && idle) || begin()
    if (reader === idle) idle = undefined
    const end = firstRow + rows
    let hasEnded = false
    try {
      for (let batch = reader.last; ; ) {
        const own = batch.filter(({ row }) => row >= firstRow && row < end)
        if (own.length > 0) yield own
        if ((reader.last.at(-1)?.row ?? 0) >= end - 1) return
        hasEnded = true // also if it fails
        const { done, value } = await reader.batches.next()
        if (done) return
        hasEnded = false
        batch = value
        if (batch.length > 0) reader.last = batch
      }
    } finally {
      if (!hasEnded) await keep(reader)
    }
  }

  return { read, close: () => keep(undefined) }
}
