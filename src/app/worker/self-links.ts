import { rowsOfAll } from '../../input/open.ts'
import type { ClaimedChunk } from '../../journal/ledger/claim.ts'
import type { Ledger } from '../../journal/ledger/ledger.ts'
import { type ReferenceRow, type Referred, referenceRows } from '../../journal/ledger/references.ts'
import type { Found } from '../../mapping/lookups/lookup.ts'
import { problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import type { PreparedImport } from '../prepare.ts'

/** The names by which rows refer to each other, in batches; undefined where the mapping has no such lookup. */
export function referencesOf({ mapping, sources }: PreparedImport) {
  const columns = mapping.refs.map(({ column }) => column)
  if (columns.length === 0) return undefined
  return async function* (): AsyncGenerator<ReferenceRow[]> {
    const identify = mapping.identifier('keys')
    for (const [at, source] of sources.entries())
      for await (const rows of rowsOfAll([source], () => {})) {
        const named = rows.filter(row => row.fault !== undefined || mapping.selects(row)).map(identify)
        yield named.flatMap(identity => referenceRows(identity, columns, at))
      }
  }
}

/** No row has this number: a row that waits for it is left for the next pass. */
const never = -2

/** The rows of one chunk that refer to others. The ledger is asked for a batch at a time, so each row is tried first. */
export class SelfLinks {
  readonly #ledger: Ledger
  readonly #claim: ClaimedChunk
  readonly #prepared: PreparedImport
  /** By column. */
  readonly #answers = new Map<string, Map<string, Referred>>()
  readonly #unasked = new Map<string, Set<string>>()
  readonly #waiting = new Set<Row>()
  readonly #numbers = new Map<string, number>()
  #isTrial = false

  constructor(ledger: Ledger, claim: ClaimedChunk, prepared: PreparedImport) {
    this.#ledger = ledger
    this.#claim = claim
    this.#prepared = prepared
  }

  /** Finds the names of other rows in a batch, and asks the ledger for them. */
  async load(rows: readonly Row[]): Promise<void> {
    const { mapping } = this.#prepared
    for (const [name, spec] of Object.entries(mapping.lookupSpecs))
      if ('by' in spec) mapping.lookups.provide(name, (text, row) => linksOf(row).find(spec.by, text, row))
    for (const row of rows) linksByRow.set(row, this)
    this.#isTrial = true
    for (const row of rows) if (row.fault === undefined) mapping.map(row, true)
    this.#isTrial = false
    for (const [column, texts] of this.#unasked)
      this.#answers.set(column, await this.#ledger.findReferred(column, [...texts]))
  }

  find(column: string, text: string, row: Row): Found {
    const answer = this.#isTrial ? undefined : this.#answers.get(column)?.get(text)
    if (answer !== undefined && answer.type !== 'later') return answer
    if (answer !== undefined && this.#claim.isLastWave) {
      const rows = [row, answer.place].map(place => `${place.source} row ${place.row}`)
      return { type: 'unusable', problem: problem('circular_link', { rows }) }
    }
    this.#unasked.set(column, (this.#unasked.get(column) ?? new Set()).add(text))
    if (!this.#isTrial) this.#waiting.add(row)
    return { type: 'waits', on: never }
  }

  /** The rows whose parent was not there yet. */
  takeWaiting(): Row[] {
    const rows = [...this.#waiting]
    this.#waiting.clear()
    return rows
  }

  /** What the loop asks of references: rows that still wait at its end are left. */
  readonly port = {
    numberOf: (key: string) => {
      const number = this.#numbers.get(key) ?? this.#numbers.size
      this.#numbers.set(key, number)
      return number
    },
    takeRow() {},
    passOver() {},
    settle() {},
    complete() {},
  }
}

/** A lookup is one for all chunks; the row tells whose it is. */
const linksByRow = new WeakMap<Row, SelfLinks>()

function linksOf(row: Row): SelfLinks {
  const links = linksByRow.get(row)
  if (links === undefined) throw new Error('a row of no chunk')
  return links
}
