import { createHash } from 'node:crypto'
import type { Row } from '../model/row.ts'
import { LineStarts } from './decode.ts'
import type { CheckedSource } from './open.ts'
import type { Chunk } from './source.ts'

export type { Chunk }

interface Division {
  /** Of the bytes on disk, as is the hash. */
  readonly size: number
  readonly sha256: string
  readonly rows: number
  /** Every hundredth row, from the first on. */
  readonly marks: readonly Omit<Chunk, 'source' | 'rows'>[]
}

type OnRows = (rows: readonly Row[]) => Promise<void> | void

/** Reads each source once and divides it into chunks of 100 to 1,000 rows; `onRows` gets all rows. Throws a SourceError. */
export async function divide(
  sources: readonly CheckedSource[],
  onRows: OnRows = () => {},
  rowsPerMark = 100,
): Promise<{ sources: Omit<Division, 'marks'>[]; chunks: Chunk[] }> {
  const divisions: Division[] = []
  for (const source of sources) divisions.push(await readMarks(source, onRows, rowsPerMark))
  const rows = divisions.reduce((sum, each) => sum + each.rows, 0)
  const step = Math.min(10, Math.max(1, Math.ceil(rows / 64 / rowsPerMark)))
  return {
    sources: divisions.map(({ marks: _, ...division }) => division),
    chunks: divisions.flatMap((division, source) => chunksOf(division, source, step)),
  }
}

function chunksOf({ rows, marks }: Division, source: number, step: number): Chunk[] {
  const firsts = marks.filter((_, at) => at % step === 0)
  return firsts.map((first, at) => {
    const next = firsts[at + 1]?.firstRow ?? rows + 1
    return { source, ...first, rows: next - first.firstRow }
  })
}

async function readMarks(source: CheckedSource, onRows: OnRows, rowsPerMark: number): Promise<Division> {
  const hash = createHash('sha256')
  const lines = new LineStarts()
  const marks: Division['marks'][number][] = []
  let [size, count] = [0, 0]
  const onRead = (bytes: Buffer) => {
    hash.update(bytes)
    size += bytes.length
  }
  for await (const rows of source.rows(onRead, lines)) {
    for (const { row, line } of rows)
      if ((row - 1) % rowsPerMark === 0)
        marks.push({ at: lines.startOf(line), firstRow: row, firstLine: line })
    count += rows.length
    await onRows(rows)
  }
  return { size, sha256: hash.digest('hex'), rows: count, marks }
}
