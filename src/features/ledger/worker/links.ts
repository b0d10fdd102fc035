import type { ImportSteps } from '../../../engine/import-loop.ts'
import type { Found } from '../../../mapping/lookups/lookup.ts'
import type { Outcome } from '../../../model/outcome.ts'
import { problem } from '../../../model/problem.ts'
import type { Row, RowIdentity, RowPlace } from '../../../model/row.ts'
import type { PreparedImport } from '../../../run/prepare.ts'
import type { ClaimedChunk } from '../claim.ts'
import type { Ledger } from '../ledger.ts'
import { type ReferenceRow, type Referred, referenceRows } from '../references.ts'

type References = NonNullable<ImportSteps['references']>

/** Stands for all rows of other chunks; those of a chunk go by their numbers in the source, from 1. */
const elsewhere = 0

/** Reads the names of all rows that `where` selects, as others may refer to them. */
export async function* namesIn({ mapping, sources }: PreparedImport): AsyncGenerator<ReferenceRow[]> {
  const columns = mapping.refs.map(({ column }) => column)
  const identify = mapping.identifier('keys')
  for (const [at, source] of sources.entries())
    for await (const rows of source.rows(() => {}))
      yield rows.flatMap(row => {
        const identity = identify(row)
        const isParent = row.fault !== undefined || mapping.selects(row)
        return isParent ? referenceRows(identity, columns, at) : []
      })
}

export type Links = Readonly<ReturnType<typeof openLinks>>

/** Has all lookups among rows answered by the links of the chunk that a row is in. */
export function openLinks({ mapping }: PreparedImport, ledger: Ledger) {
  const chunks = new WeakMap<Row, ChunkLinks>()
  for (const [name, spec] of Object.entries(mapping.lookupSpecs))
    if ('by' in spec)
      mapping.lookups.provide(
        name,
        (text, row) => chunks.get(row)?.find(spec.by, text, row) ?? { type: 'waits', on: elsewhere },
      )
  return { mapping, ledger, chunks }
}

/** The lookups in the rows of one chunk. Rows whose parent was not there when the ledger was asked wait for the next wave. */
export class ChunkLinks implements References {
  readonly #links: Links
  readonly #claim: ClaimedChunk
  readonly #source: string
  readonly #answers = new Map<string, Referred>()
  readonly #wanted = new Map<string, Set<string>>()
  readonly #numbers = new Map<string, number>()
  /** Rows of this chunk, by what became of them since. */
  readonly #settled = new Map<number, Found>()
  readonly #givenUp = new Set<number>()
  /** Undefined but in the last wave: rows that still wait then have no hope. */
  readonly giveUp: ((number: number) => void) | undefined

  constructor(links: Links, claim: ClaimedChunk) {
    this.#links = links
    this.#claim = claim
    this.#source = links.ledger.run.sources[claim.chunk.source]?.name ?? ''
    this.giveUp = claim.chunk.isLastWave ? number => void this.#givenUp.add(number) : undefined
  }

  /** Asks for all that rows look up, before they are looked at. */
  async load(rows: readonly Row[]): Promise<void> {
    const { mapping, ledger, chunks } = this.#links
    for (const row of rows) chunks.set(row, this)
    const readable = rows.filter(row => row.fault === undefined && mapping.selects(row))
    do {
      for (const [column, texts] of this.#wanted)
        for (const [text, referred] of await ledger.findReferred(column, [...texts]))
          this.#answers.set(`${column}\0${text}`, referred)
      this.#wanted.clear()
      for (const row of readable) mapping.map(row, true) // notes what it wants
    } while (this.#wanted.size > 0)
  }

  find(column: string, text: string, row: Row): Found {
    const answer = this.#answers.get(`${column}\0${text}`)
    if (answer === undefined) this.#wanted.set(column, (this.#wanted.get(column) ?? new Set()).add(text))
    if (answer !== undefined && answer.type !== 'later') return answer
    const number = answer?.place.source === this.#source ? answer.place.row : elsewhere
    const settled = this.#settled.get(number)
    if (settled !== undefined) return settled
    const { firstRow, rows: count } = this.#claim.chunk
    const on = number >= firstRow && number < firstRow + count ? number : elsewhere
    if (!this.#givenUp.has(on)) return { type: 'waits', on }
    const rows = [row, answer?.place ?? row].map(textOf)
    return { type: 'unusable', problem: problem('circular_link', { rows }) }
  }

  numberOf(key: string): number {
    return this.#numbers.get(key) ?? elsewhere
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
