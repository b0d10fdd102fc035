import type { Chunk, Row } from '../model/row.ts'

interface Reader {
  readonly batches: AsyncIterator<Row[]>
  /** Rows that were read, and are still to be given. */
  rest: Row[]
  /** The number of the next row. */
  next: number
}

/** Reads chunks of a source that has to be read from its start: each goes on where an earlier one ended, if any did before it. */
export class ForwardReaders {
  readonly #open: () => AsyncIterator<Row[]>
  #idle: Reader[] = []

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

  #take(firstRow: number): Reader {
    const [nearest] = this.#idle.filter(({ next }) => next <= firstRow).sort((a, b) => b.next - a.next)
    if (nearest === undefined) return { batches: this.#open(), rest: [], next: 1 }
    this.#idle = this.#idle.filter(reader => reader !== nearest)
    return nearest
  }
}
