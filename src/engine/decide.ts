import type { Problem } from '../model/problem.ts'
import type { Before, Call, Ending, Origin, Outcome, Row, RowError } from '../model/row.ts'
import { decideRenamed, keyLeft } from './decide-renamed.ts'
import type { Deciding, Past } from './deciding.ts'
import type { DeferredRow } from './deferred-rows.ts'

/** What becomes of a row before anything is sent. */
export type Fate =
  | { readonly is: 'left_out' }
  | ({ readonly is: 'ended' } & Ended)
  | { readonly is: 'to_send'; readonly row: Row; readonly call: Call }
  | ({ readonly is: 'waits' } & DeferredRow)

/** A row that came to its end without a call. */
export interface Ended extends Outcome {
  readonly row: Row
  readonly before?: Before | undefined
}

/** Names a row and decides what becomes of it. */
export function decide(row: Row, deciding: Deciding): Fate {
  const { mapping, relations } = deciding
  const origin = mapping.identify(row)
  if (row.fault === undefined && !mapping.selects(row)) {
    relations?.passOver(row)
    return { is: 'left_out' }
  }
  relations?.takeRow(row, origin)
  return decideNamed(row, origin, deciding)
}

/**
 * Decides what becomes of a row that has its name: ended without a call, to be sent, or to wait for others (DESIGN 3 and 4). A row
 * whose key has its record but which reads otherwise passes the mapping first: it may be another row with the same
 * key, and only rows that pass claim one. One that was repaired elsewhere is left alone as it stands, and leaves its key to others.
 */
export function decideNamed(row: Row, origin: Origin, deciding: Deciding): Fate {
  const { mapping, past, ledger, inDoubt, relations, waiting } = deciding
  const known = past.of(origin.key, origin.hash)
  const before = known?.is === 'settled' ? undefined : known?.is
  const ended = (end: Ending): Fate => ({ is: 'ended', row, origin, end })
  const invalid = (errors: readonly RowError[]): Fate => ({
    is: 'ended',
    ...refused({ row, origin }, errors, past),
  })
  if (past.isRepaired(origin.key, origin.hash, origin.repaired))
    return ended({ status: 'done', changed: false })
  if (row.fault !== undefined) return invalid([faultOf(row, row.fault)])

  const sameAs = ledger.claimant(origin.key)
  if (sameAs !== undefined)
    return ended({ status: 'duplicate', sameAs, told: past.tellsDuplicate(origin.key, origin.hash) })
  const claimed = (end: Ending): Fate => {
    ledger.claim(origin)
    return ended(end)
  }
  if (before === 'in_doubt' && inDoubt === 'hold') return claimed({ status: 'held' })
  if (known?.is === 'settled' && known.sameHash) return claimed({ status: 'done', changed: false })

  const number = relations?.numberOf(origin.key)
  if (number !== undefined && waiting.has(number))
    return { is: 'waits', row, origin, waits: [{ on: number, path: '' }] }
  const mapped = mapping.map(row)
  if ('waits' in mapped) return { is: 'waits', row, origin, waits: mapped.waits }
  if ('errors' in mapped) return invalid(mapped.errors)
  const renamed = decideRenamed(origin, known, deciding)
  if (renamed?.status === 'invalid') return invalid(renamed.errors)
  if (renamed !== undefined) return renamed.status === 'duplicate' ? ended(renamed) : claimed(renamed)
  if (known?.isRenamed && origin.alias === undefined) return invalid([keyLeft(origin.key)])
  if (known?.is === 'settled') return claimed({ status: 'done', changed: true })
  ledger.claim(origin)
  const isInDoubt = origin.alias !== undefined && past.of(origin.alias, origin.hash)?.is === 'in_doubt'
  return { is: 'to_send', row, call: { origin, body: mapped.body, before: isInDoubt ? 'in_doubt' : before } }
}

/** The end of a row that is invalid. */
export function refused(
  { row, origin }: Pick<DeferredRow, 'row' | 'origin'>,
  errors: readonly RowError[],
  past: Past,
): Ended {
  const known = past.of(origin.key, origin.hash)?.is
  return { row, origin, before: known === 'settled' ? undefined : known, end: { status: 'invalid', errors } }
}

const longestQuote = 300

/** The start of a line that could not be read stands beside the reason. */
const faultOf = ({ text }: Row, problem: Problem): RowError => ({
  path: '',
  ...(text !== undefined && { value: text.slice(0, longestQuote) }),
  ...problem,
})
