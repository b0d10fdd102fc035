import { fileBehind, hashFile } from '../../input/bytes.ts'
import type { CheckedSource } from '../../input/open.ts'
import type { Chunk } from '../../model/row.ts'
import { chunksOf, LineStarts } from './chunk-reader.ts'

interface Division {
  /** Size and hash are those of the bytes on disk. */
  readonly size: number
  readonly sha256: string
  readonly rows: number
}

/** Place at which rows begin. */
type Mark = Omit<Chunk, 'source' | 'rows'>

/** Reads each source once and divides it into chunks of 100 to 1,000 rows, which begin at some of its marks. Throws a SourceError. */
export async function divide(
  sources: readonly CheckedSource[],
  rowsPerMark = 100,
): Promise<{ sources: Division[]; chunks: Chunk[] }> {
  const marks: Mark[][] = sources.map(() => [])
  const divisions: Division[] = []
  for (const [at, source] of sources.entries())
    divisions.push(await readMarks(source, rowsPerMark, marks[at] ?? []))
  const rows = divisions.reduce((sum, each) => sum + each.rows, 0)
  const step = Math.min(10, Math.max(1, Math.ceil(rows / 64 / rowsPerMark)))
  const chunks = divisions.flatMap(({ rows }, source) => {
    const firsts = (marks[source] ?? []).filter((_, at) => at % step === 0)
    const ends = [...firsts.slice(1).map(({ firstRow }) => firstRow), rows + 1]
    return firsts.map((first, at) => ({ source, ...first, rows: (ends[at] ?? 0) - first.firstRow }))
  })
  return { sources: divisions, chunks }
}

async function readMarks(source: CheckedSource, rowsPerMark: number, marks: Mark[]): Promise<Division> {
  const { bytes: size, sha256 } = await hashFile(await fileBehind(source.path))
  let count = 0
  const isSeekable = (await chunksOf(source)?.startOfText()) !== undefined
  const lines = isSeekable ? new LineStarts() : undefined
  for await (const rows of source.rows(() => {}, lines)) {
    for (const { row, line } of rows)
      if ((row - 1) % rowsPerMark === 0)
        marks.push({ at: lines?.startOf(line) ?? 0, firstRow: row, firstLine: line })
    count += rows.length
  }
  return { size, sha256, rows: count }
}
