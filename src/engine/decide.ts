import type { Before, Body, Call, Ending, Origin, Outcome, Row, RowError } from '../model/row.ts'
import type { Ledger } from './ledger.ts'

/** What becomes of a row before anything is sent. */
export type Fate =
  | { readonly is: 'left_out' }
  | ({ readonly is: 'ended' } & Ended)
  | { readonly is: 'to_send'; readonly call: Call }

/** A row that came to its end without a call. */
export interface Ended extends Outcome {
  readonly before?: Before | undefined
}

/** The mapping, as far as the import needs it. */
export interface RowMapping {
  readonly identify: (row: Row) => Origin
  readonly selects: (row: Row) => boolean
  readonly map: (row: Row) => { readonly body: Body } | { readonly errors: readonly RowError[] }
}

/** What earlier runs tell of this import's rows. */
export interface Past {
  of(key: string, hash: string): { readonly is: 'settled' | Before; readonly sameHash: boolean } | undefined
  tellsDuplicate(key: string, hash: string): boolean
}

export interface Deciding {
  readonly mapping: RowMapping
  readonly past: Past
  readonly ledger: Ledger
  /** What to do with rows that an earlier run left in doubt (DESIGN 5). */
  readonly inDoubt: 'hold' | 'resend'
}

/**
 * Decides what becomes of a row: left out, ended without a call, or to be sent (DESIGN 3 and 4). A row whose key has
 * its record but which reads otherwise passes the mapping first: it may be another row with the same key, and only rows
 * that pass claim one.
 */
export function decide(row: Row, { mapping, past, ledger, inDoubt }: Deciding): Fate {
  const origin = mapping.identify(row)
  if (row.fault === undefined && !mapping.selects(row)) return { is: 'left_out' }
  const known = past.of(origin.key, origin.hash)
  const before = known?.is === 'settled' ? undefined : known?.is
  const ended = (end: Ending): Fate => ({ is: 'ended', origin, end })
  const invalid = (errors: readonly RowError[]): Fate => {
    return { is: 'ended', origin, before, end: { status: 'invalid', errors } }
  }
  if (row.fault !== undefined) return invalid([faultOf(row, row.fault.message)])

  const sameAs = ledger.claimant(origin.key)
  if (sameAs !== undefined)
    return ended({ status: 'duplicate', sameAs, told: past.tellsDuplicate(origin.key, origin.hash) })
  const claimed = (end: Ending): Fate => {
    ledger.claim(origin)
    return ended(end)
  }
  if (before === 'in_doubt' && inDoubt === 'hold') return claimed({ status: 'held' })
  if (known?.is === 'settled' && known.sameHash) return claimed({ status: 'done', changed: false })

  const mapped = mapping.map(row)
  if ('errors' in mapped) return invalid(mapped.errors)
  if (known?.is === 'settled') return claimed({ status: 'done', changed: true })
  ledger.claim(origin)
  return { is: 'to_send', call: { origin, body: mapped.body, before } }
}

const longestQuote = 300

/** The start of a line that could not be read stands beside the reason. */
const faultOf = ({ text }: Row, message: string): RowError => ({
  path: '',
  ...(text !== undefined && { value: text.slice(0, longestQuote) }),
  message,
})
