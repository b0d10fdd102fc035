import { firstOf, startingWith } from '../../input/bytes.ts'
import { decode, findMark, LineCounter } from '../../input/decode.ts'
import type { CheckedSource, SeekableSource } from '../../input/open.ts'
import { isPacked } from '../../input/source.ts'
import type { Chunk, Row } from '../../model/row.ts'

const lineFeed = 10
const carriageReturn = 13

const readers = new WeakMap<CheckedSource, ChunkReader>()

/** Returns the reader of a source's chunks, one for each source; undefined for what can be read only once. */
export function chunksOf(source: CheckedSource | undefined): ChunkReader | undefined {
  if (source?.file === undefined) return undefined
  const reader = readers.get(source) ?? new ChunkReader(source, source.file)
  readers.set(source, reader)
  return reader
}

/** Reads chunks of a file: from their first byte on if text and format allow it, else by reading forward. */
export class ChunkReader {
  readonly #source: CheckedSource
  readonly #file: SeekableSource
  readonly #forward: ForwardReaders
  #start: Promise<number | undefined> | undefined

  constructor(source: CheckedSource, file: SeekableSource) {
    this.#source = source
    this.#file = file
    this.#forward = new ForwardReaders(() => source.rows(() => {})[Symbol.asyncIterator]())
  }

  /** The byte at which the text begins; undefined if it cannot be read from its middle on. */
  startOfText(): Promise<number | undefined> {
    this.#start ??= this.#findStart()
    return this.#start
  }

  async #findStart(): Promise<number | undefined> {
    const { encoding = 'utf-8', bytesFrom, rowsFrom } = this.#file
    if (rowsFrom === undefined || isPacked(this.#source.path)) return undefined
    const mark = findMark(await firstOf(bytesFrom(0)))
    return /^utf-?8$/i.test(mark?.encoding ?? encoding) ? (mark?.length ?? 0) : undefined
  }

  /** The rows of one chunk. Throws a SourceError. */
  async *read(chunk: Chunk): AsyncGenerator<Row[]> {
    const { path, check } = this.#source
    const { bytesFrom, rowsFrom } = this.#file
    const start = await this.startOfText()
    const batches =
      rowsFrom === undefined || start === undefined
        ? this.#forward.read(chunk)
        : rowsFrom(textFrom(bytesFrom(start + chunk.at), path), chunk)
    let left = chunk.rows
    for await (const batch of batches) {
      yield batch.slice(0, left)
      left -= batch.length
      if (left <= 0) return check?.()
    }
    throw new Error(`${path}: ${left} rows less from row ${chunk.firstRow} on than were divided`)
  }

  close(): Promise<void> {
    return this.#forward.close()
  }
}

/** The UTF-8 text of bytes that begin in the middle of a file; a mark of ours is taken off again, and not what looks like one in it. */
const textFrom = (bytes: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> =>
  decode(startingWith(Buffer.from('\ufeff'), bytes), {}, path)

interface Forward {
  readonly batches: AsyncIterator<Row[]>
  /** Rows that were read, and are still to be given. */
  rest: Row[]
  /** The number of the next row. */
  next: number
}

/** Reads chunks of a source that has to be read from its start: each goes on where an earlier one ended, if any did before it. */
export class ForwardReaders {
  readonly #open: () => AsyncIterator<Row[]>
  #idle: Forward[] = []

  constructor(open: () => AsyncIterator<Row[]>) {
    this.#open = open
  }

  async *read({ firstRow, rows }: Pick<Chunk, 'firstRow' | 'rows'>): AsyncGenerator<Row[]> {
    const reader = this.#take(firstRow)
    const end = firstRow + rows
    let hasEnded = false
    try {
      while (reader.next < end) {
        if (reader.rest.length === 0) {
          hasEnded = true // also where it fails
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
      if (!hasEnded) this.#idle.push(reader)
    }
  }

  async close(): Promise<void> {
    const idle = this.#idle
    this.#idle = []
    for (const { batches } of idle) await batches.return?.()
  }

  #take(firstRow: number): Forward {
    const [nearest] = this.#idle.filter(({ next }) => next <= firstRow).sort((a, b) => b.next - a.next)
    if (nearest === undefined) return { batches: this.#open(), rest: [], next: 1 }
    this.#idle = this.#idle.filter(reader => reader !== nearest)
    return nearest
  }
}

/** Finds out where lines begin as well, from the last one that was looked for on. */
export class LineStarts extends LineCounter {
  readonly #starts = [0]
  #length = 0
  #before = 0

  override add(text: Uint8Array): void {
    super.add(text)
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at] as number
      if (byte === lineFeed && this.#before === carriageReturn) this.#starts.pop()
      if (byte === lineFeed || byte === carriageReturn) this.#starts.push(this.#length + at + 1)
      this.#before = byte
    }
    this.#length += text.length
  }

  startOf(line: number): number {
    this.#starts.splice(0, this.#starts.length - 1 - (this.line - line))
    return this.#starts[0] ?? Number.NaN
  }
}
