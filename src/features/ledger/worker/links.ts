import type { ImportSteps } from '../../../engine/import-loop.ts'
import type { LookupResult } from '../../../mapping/lookups/lookup.ts'
import type { Mapping } from '../../../mapping/mapping.ts'
import type { Outcome } from '../../../model/outcome.ts'
import { problem } from '../../../model/problem.ts'
import type { Row, RowIdentity, RowPlace } from '../../../model/row.ts'
import type { ChunkRow } from '../claim.ts'
import { findReferred, type Referred } from '../references.ts'
import type { JoinedRun } from '../run.ts'

type References = NonNullable<ImportSteps['references']>

/** The number of all rows of other chunks; those of a chunk go by their numbers in the source, from 1. */
const inOtherChunk = 0

type Find = (column: string, text: string, row: Row) => LookupResult

/** Has all lookups among rows answered by the links of the chunk that a row is in; returns what makes those of a chunk. */
export function openLinks(mapping: Mapping, run: JoinedRun) {
  const finders = new WeakMap<Row, Find>()
  for (const [name, spec] of Object.entries(mapping.lookupSpecs))
    if ('by' in spec)
      mapping.lookups.provide(
        name,
        (text, row) => finders.get(row)?.(spec.by, text, row) ?? { type: 'waits', on: inOtherChunk },
      )
  /** The lookups in the rows of one chunk. Rows whose parent the ledger did not have yet wait for the next wave. */
  return (chunk: ChunkRow) => {
    const answers = new Map<string, Referred>()
    const wanted = new Map<string, Set<string>>()
    const numbers = new Map<string, number>()
    /** Rows of this chunk, by what became of them since. */
    const settled = new Map<number, LookupResult>()
    const givenUp = new Set<number>()

    function find(column: string, text: string, row: Row): LookupResult {
      const answer = answers.get(`${column}\0${text}`)
      if (answer === undefined) wanted.set(column, (wanted.get(column) ?? new Set()).add(text))
      if (answer !== undefined && answer.type !== 'later') return answer
      const number = numberOfPlace(answer?.place)
      const end = settled.get(number)
      if (end !== undefined) return end
      if (!givenUp.has(number)) return { type: 'waits', on: number }
      const { place = row, before: status } = answer ?? {}
      const reason = status
        ? problem('linked_row_not_created', { row: textOf(place), status })
        : problem('circular_link', { rows: [row, place].map(textOf) })
      return { type: 'unusable', problem: reason }
    }

    function numberOfPlace(place: RowPlace | undefined): number {
      const { source, firstRow, rows } = chunk
      if (place?.source !== run.sources[source]?.name) return inOtherChunk
      const { row = inOtherChunk } = place ?? {}
      return row >= firstRow && row < firstRow + rows ? row : inOtherChunk
    }

    const numberOf = (key: string) => numbers.get(key) ?? inOtherChunk

    return {
      /** Undefined but in the last wave: rows that still wait then have no hope. */
      giveUp: chunk.isLastWave ? (number: number) => void givenUp.add(number) : undefined,
      /** Asks for all that rows look up, before they are looked at. */
      async load(rows: readonly Row[]): Promise<void> {
        for (const row of rows) finders.set(row, find)
        const readable = rows.filter(row => row.fault === undefined && mapping.selects(row))
        do {
          for (const [column, texts] of wanted)
            for (const [text, referred] of await findReferred(run, column, [...texts]))
              answers.set(`${column}\0${text}`, referred)
          wanted.clear()
          for (const row of readable) mapping.map(row, true) // notes what it wants
        } while (wanted.size > 0)
      },
      numberOf,
      takeRow({ row }: Row, { key }: RowIdentity): void {
        if (!numbers.has(key)) numbers.set(key, row)
      },
      settle(outcome: Outcome): void {
        const { identity, status } = outcome
        const number = numberOf(identity.key)
        if ('recordId' in outcome) settled.set(number, { type: 'found', value: outcome.recordId })
        else if (status !== 'done' && status !== 'duplicate') {
          const params = { row: textOf(identity), status }
          settled.set(number, { type: 'unusable', problem: problem('linked_row_not_created', params) })
        }
      },
      passOver() {},
      complete() {},
    } satisfies References & { load: unknown }
  }
}

const textOf = ({ source, row }: RowPlace) => `${source} row ${row}`
