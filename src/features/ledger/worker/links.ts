import type { ImportSteps } from '../../../engine/import-loop.ts'
import type { LookupResult } from '../../../mapping/lookups/lookup.ts'
import type { Mapping } from '../../../mapping/mapping.ts'
import type { Outcome } from '../../../model/outcome.ts'
import { problem } from '../../../model/problem.ts'
import type { Row, RowIdentity, RowPlace } from '../../../model/row.ts'
import type { ClaimedChunk } from '../claim.ts'
import { findReferred, type Referred } from '../references.ts'
import type { JoinedRun } from '../run.ts'

type References = NonNullable<ImportSteps['references']>

/** The number of all rows of other chunks; those of a chunk go by their numbers in the source, from 1. */
const inOtherChunk = 0

/** Has all lookups among rows answered by the links of the chunk that a row is in; returns what makes those of a chunk. */
export function openLinks(mapping: Mapping, run: JoinedRun): (claim: ClaimedChunk) => ChunkLinks {
  const links = new WeakMap<Row, ChunkLinks>()
  for (const [name, spec] of Object.entries(mapping.lookupSpecs))
    if ('by' in spec)
      mapping.lookups.provide(
        name,
        (text, row) => links.get(row)?.find(spec.by, text, row) ?? { type: 'waits', on: inOtherChunk },
      )
  return claim => new ChunkLinks({ mapping, run, claim, links })
}

interface LinkPorts {
  readonly mapping: Mapping
  readonly run: JoinedRun
  readonly claim: ClaimedChunk
  /** The links by the rows that they were loaded for. */
  readonly links: WeakMap<Row, ChunkLinks>
}

/** The lookups in the rows of one chunk. Rows whose parent the ledger did not have yet wait for the next wave. */
export class ChunkLinks implements References {
  readonly #ports: LinkPorts
  readonly #answers = new Map<string, Referred>()
  readonly #wanted = new Map<string, Set<string>>()
  readonly #numbers = new Map<string, number>()
  /** Rows of this chunk, by what became of them since. */
  readonly #settled = new Map<number, LookupResult>()
  readonly #givenUp = new Set<number>()
  /** Undefined but in the last wave: rows that still wait then have no hope. */
  readonly giveUp: ((number: number) => void) | undefined

  constructor(ports: LinkPorts) {
    this.#ports = ports
    this.giveUp = ports.claim.chunk.isLastWave ? number => void this.#givenUp.add(number) : undefined
  }

  /** Asks for all that rows look up, before they are looked at. */
  async load(rows: readonly Row[]): Promise<void> {
    const { mapping, run, links } = this.#ports
    for (const row of rows) links.set(row, this)
    const readable = rows.filter(row => row.fault === undefined && mapping.selects(row))
    do {
      for (const [column, texts] of this.#wanted)
        for (const [text, referred] of await findReferred(run, column, [...texts]))
          this.#answers.set(`${column}\0${text}`, referred)
      this.#wanted.clear()
      for (const row of readable) mapping.map(row, true) // notes what it wants
    } while (this.#wanted.size > 0)
  }

  find(column: string, text: string, row: Row): LookupResult {
    const answer = this.#answers.get(`${column}\0${text}`)
    if (answer === undefined) this.#wanted.set(column, (this.#wanted.get(column) ?? new Set()).add(text))
    if (answer !== undefined && answer.type !== 'later') return answer
    const number = this.#numberOfPlace(answer?.place)
    const settled = this.#settled.get(number)
    if (settled !== undefined) return settled
    if (!this.#givenUp.has(number)) return { type: 'waits', on: number }
    const { place = row, before: status } = answer ?? {}
    const reason = status
      ? problem('linked_row_not_created', { row: textOf(place), status })
      : problem('circular_link', { rows: [row, place].map(textOf) })
    return { type: 'unusable', problem: reason }
  }

  #numberOfPlace(place: RowPlace | undefined): number {
    const { run, claim } = this.#ports
    const { source, firstRow, rows } = claim.chunk
    if (place?.source !== run.sources[source]?.name) return inOtherChunk
    const { row = inOtherChunk } = place ?? {}
    return row >= firstRow && row < firstRow + rows ? row : inOtherChunk
  }

  numberOf(key: string): number {
    return this.#numbers.get(key) ?? inOtherChunk
  }

  takeRow({ row }: Row, { key }: RowIdentity): void {
    if (!this.#numbers.has(key)) this.#numbers.set(key, row)
  }

  settle(outcome: Outcome): void {
    const { identity, status } = outcome
    const number = this.numberOf(identity.key)
    if ('recordId' in outcome) this.#settled.set(number, { type: 'found', value: outcome.recordId })
    else if (status !== 'done' && status !== 'duplicate') {
      const params = { row: textOf(identity), status }
      this.#settled.set(number, { type: 'unusable', problem: problem('linked_row_not_created', params) })
    }
  }

  passOver(): void {}

  complete(): void {}
}

const textOf = ({ source, row }: RowPlace) => `${source} row ${row}`
