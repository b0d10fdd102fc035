import type { CheckedSource } from '../../../input/open.ts'
import { isRepeated } from '../../../model/content-key.ts'
import type { RunEvent } from '../../../model/events.ts'
import { isKnown } from '../../../model/outcome.ts'
import type { Row, RowIdentity } from '../../../model/row.ts'
import type { PreparedImport } from '../../../run/prepare.ts'
import { isLogged } from '../../../store/files/lines.ts'
import { chunksOf } from '../chunk-reader.ts'
import type { ClaimedChunk } from '../claim.ts'
import type { Ledger } from '../ledger.ts'
import type { ChunkLinks } from './links.ts'

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
    /** A source whose rows are counted as they are read: once, in the order of the sources. */
    counting(source: CheckedSource, at: number): CheckedSource {
      async function* rows(...how: Parameters<CheckedSource['rows']>) {
        for await (const batch of source.rows(...how)) {
          for (const row of batch) {
            const { key } = identify(row)
            if (isRepeated(key)) keys.set(`${at} ${row.row}`, key)
          }
          yield batch
        }
      }
      return { ...source, rows }
    },
    /** A row as its chunk names it, with its number among all rows. */
    named(identity: RowIdentity, source: number): RowIdentity {
      const key = keys.get(`${source} ${identity.row}`)
      return key === undefined ? identity : { ...identity, key }
    },
  }
}

interface ChunkPorts {
  readonly ledger: Ledger
  readonly equalRows: EqualRows
  /** Undefined if rows cannot name each other. */
  readonly references: ChunkLinks | undefined
}

/** The rows of a chunk that are not accounted for yet, and what becomes of them. */
export class ChunkRows {
  readonly #claim: ClaimedChunk
  readonly #prepared: PreparedImport
  readonly #ports: ChunkPorts
  readonly #identities = new WeakMap<Row, RowIdentity>()
  /** How many rows were read that have not ended yet. */
  left = 0
  /** Rows that have no line, by what became of them. */
  readonly unlogged: Record<string, number> = {}

  constructor(claim: ClaimedChunk, prepared: PreparedImport, ports: ChunkPorts) {
    this.#claim = claim
    this.#prepared = prepared
    this.#ports = ports
  }

  readonly identityOf = (row: Row): RowIdentity => {
    const identity = this.#identities.get(row)
    if (identity === undefined) throw new Error('a row of another chunk')
    return identity
  }

  /** `onRead` is called when all rows are taken up. */
  async *batches(onRead: () => void): AsyncGenerator<Row[]> {
    const { chunk } = this.#claim
    const { mapping, sources } = this.#prepared
    const { ledger, equalRows, references } = this.#ports
    const identify = mapping.identifier('full')
    for await (const batch of chunksOf(sources[chunk.source])?.read(chunk) ?? []) {
      if (this.#claim.isLost) return
      for (const row of batch) {
        const identity = equalRows.named(identify(row), chunk.source)
        this.#identities.set(row, identity)
        ledger.owners.set(identity, this.#claim)
      }
      const rows = batch.filter(({ row }) => !this.#claim.isAccounted(row))
      this.left += rows.length
      await references?.load(rows)
      if (rows.length > 0) yield rows
    }
    onRead()
  }

  count(event: RunEvent): void {
    if (event.type === 'row_skipped') {
      this.left -= 1
      this.#add('left_out')
    }
    if (event.type !== 'row_settled') return
    const { outcome } = event
    this.left -= 1
    if (isKnown(outcome)) this.#add('known')
    if (isKnown(outcome) || !isLogged(outcome)) this.#add(outcome.status)
    if (outcome.identity.replaces !== undefined) this.#add('returned')
  }

  #add(what: string): void {
    this.unlogged[what] = (this.unlogged[what] ?? 0) + 1
  }
}
