import { fileOnDisk, hashFile } from '../../input/bytes.ts'
import { LineCounter } from '../../input/decode.ts'
import type { CheckedSource } from '../../input/open.ts'
import type { Row } from '../../model/row.ts'
import { type Chunk, startOfText } from './chunk-reader.ts'

/** Place at which rows begin. */
type Mark = Omit<Chunk, 'source' | 'rows'>

/**
 * Reads each source once and divides it into chunks of 100 to 1,000 rows, which begin at some of its marks. `onRow` is called with
 * each row and the position of its source. Throws a SourceError.
 */
export async function divide(
  sources: readonly CheckedSource[],
  onRow: (row: Row, source: number) => void = () => {},
  rowsPerMark = 100,
) {
  const read: Awaited<ReturnType<typeof readMarks>>[] = []
  for (const [at, source] of sources.entries())
    read.push(await readMarks(source, rowsPerMark, row => onRow(row, at)))
  const rows = read.reduce((sum, { rows }) => sum + rows, 0)
  const step = Math.min(10, Math.max(1, Math.ceil(rows / 64 / rowsPerMark)))
  const chunks = read.flatMap(({ rows, marks }, source): Chunk[] => {
    const firsts = marks.filter((_, at) => at % step === 0)
    const ends = [...firsts.slice(1).map(({ firstRow }) => firstRow), rows + 1]
    return firsts.map((first, at) => ({ source, ...first, rows: (ends[at] ?? 0) - first.firstRow }))
  })
  return { sources: read.map(({ marks: _, ...source }) => source), chunks }
}

/** Reads the marks of a source, and its rows; size and hash are those of the bytes on disk. */
async function readMarks(source: CheckedSource, rowsPerMark: number, onRow: (row: Row) => void) {
  const { bytes: size, sha256 } = await hashFile(await fileOnDisk(source.path))
  const lines = (await startOfText(source)) === undefined ? undefined : new LineStarts()
  const marks: Mark[] = []
  let rows = 0
  for await (const batch of source.rows(() => {}, lines)) {
    for (const row of batch) {
      if ((row.row - 1) % rowsPerMark === 0)
        marks.push({ at: lines?.startOf(row.line) ?? 0, firstRow: row.row, firstLine: row.line })
      onRow(row)
    }
    rows += batch.length
  }
  return { size, sha256, rows, marks }
}

const lineFeed = 10
const carriageReturn = 13

/** Finds out where lines begin as well, from the last one that was looked for on. */
class LineStarts extends LineCounter {
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
