import { isRepeated } from '../../../model/content-key.ts'
import type { RunEvent } from '../../../model/events.ts'
import { isKnown } from '../../../model/outcome.ts'
import type { Row, RowIdentity } from '../../../model/row.ts'
import type { PreparedImport } from '../../../run/prepare.ts'
import { isLogged } from '../../../store/files/lines.ts'
import type { ChunkEnd } from '../claim.ts'

export type EqualRows = ReturnType<typeof countEqualRows>

/**
 * Rows without a key are named by their content, and equal ones by their number besides. It is counted over all sources, so that a
 * row has the same name on every machine, whatever its chunk.
 */
export function countEqualRows({ mapping }: PreparedImport) {
  const identify = mapping.identifier('keys')
  /** The keys of rows that are equal to an earlier one, by their places. */
  const keys = new Map<string, string>()
  return {
    /** Takes each row once, in the order of the sources. */
    take(row: Row, source: number): void {
      const { key } = identify(row)
      if (isRepeated(key)) keys.set(`${source} ${row.row}`, key)
    },
    /** Returns a row as its chunk names it, with its number among all rows. */
    named(identity: RowIdentity, source: number): RowIdentity {
      const key = keys.get(`${source} ${identity.row}`)
      return key === undefined ? identity : { ...identity, key }
    },
  }
}

/** What becomes of the rows of a chunk that are not accounted for yet. */
export class ChunkCounts implements ChunkEnd {
  /** How many rows were read that have not ended yet. */
  left = 0
  readonly unlogged: Record<string, number> = {}

  take(event: RunEvent): void {
    if (event.type === 'row_skipped') this.#note('left_out')
    if (event.type !== 'row_settled') return
    const { outcome } = event
    const known = isKnown(outcome) ? ['known'] : []
    const status = isKnown(outcome) || !isLogged(outcome) ? [outcome.status] : []
    this.#note(...known, ...status, ...(outcome.identity.replaces === undefined ? [] : ['returned']))
  }

  /** A row has ended, and counts under these words. */
  #note(...words: readonly string[]): void {
    this.left -= 1
    for (const word of words) this.unlogged[word] = (this.unlogged[word] ?? 0) + 1
  }
}
