import { isUnrepaired, replacedName } from '../model/content-key.ts'
import { type Problem, problem } from '../model/problem.ts'
import { keyColumn } from '../model/reserved-columns.ts'
import type { Before, Call, Ending, Origin, Outcome, Row, RowError } from '../model/row.ts'
import type { Deciding, Known, Past } from './deciding.ts'
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
 * Decides what becomes of a row that has its name: ended without a call, to be sent, or to wait for others. A row whose key
 * has its record but which reads otherwise passes the mapping first: it may be another row with the same key, and only rows
 * that pass claim one. A row that was repaired elsewhere is left alone as it is, and leaves its key to others.
 */
export function decideNamed(row: Row, origin: Origin, deciding: Deciding): Fate {
  const { mapping, past, ledger, inDoubt, relations, waiting } = deciding
  const known = past.of(origin.key, origin.hash)
  const before = beforeOf(origin, known)
  const replaced = past.replacementOf(origin)
  const ended = (end: Ending): Fate => ({ is: 'ended', row, origin, end })
  const invalid = (errors: readonly RowError[]): Fate => ({
    is: 'ended',
    ...refused({ row, origin }, errors, past),
  })
  const isSame = known?.is === 'settled' && known.sameHash
  if (replaced === 'settled' && isUnrepaired(origin) && !isSame)
    return ended({ status: 'done', changed: false })
  if (row.fault !== undefined) return invalid([faultOf(row, row.fault)])

  const sameAs = ledger.claimant(origin)
  if (sameAs !== undefined)
    return ended({ status: 'duplicate', sameAs, told: past.tellsDuplicate(origin.key, origin.hash) })
  const claimed = (end: Ending): Fate => {
    ledger.claim(origin, before !== undefined)
    return ended(end)
  }
  if (before === 'in_doubt' && inDoubt === 'hold') return claimed({ status: 'held' })
  if (replaced === 'in_doubt' && before !== 'in_doubt' && known?.is !== 'settled')
    return ended({ status: 'held' }) // the row that replaces it may have its record
  if (isSame) return claimed({ status: 'done', changed: false })

  const number = relations?.numberOf(origin.key)
  if (number !== undefined && waiting.has(number))
    return { is: 'waits', row, origin, waits: [{ on: number, path: '' }] }
  const mapped = mapping.map(row)
  if ('waits' in mapped) return { is: 'waits', row, origin, waits: mapped.waits }
  if ('errors' in mapped) return invalid(mapped.errors)
  if (known?.is === 'settled') return claimed({ status: 'done', changed: true })
  if (replaced === 'settled') return invalid([replacedAlready(origin)])
  ledger.claim(origin, before !== undefined)
  return { is: 'to_send', row, call: { origin, body: mapped.body, before } }
}

/** A rejected row came back with one key and has its record, and comes back with another. */
const replacedAlready = (origin: Origin): RowError => ({
  path: '',
  column: keyColumn,
  value: replacedName(origin),
  ...problem('key_taken'),
})

/** The end of a row that is invalid. */
export function refused(
  { row, origin }: Pick<DeferredRow, 'row' | 'origin'>,
  errors: readonly RowError[],
  past: Past,
): Ended {
  const before = beforeOf(origin, past.of(origin.key, origin.hash))
  return { row, origin, before, end: { status: 'invalid', errors } }
}

/** What earlier runs made of a row that is tried again; one that comes back from a file of rejected rows was refused. */
function beforeOf({ replaces }: Origin, known: Known | undefined): Before | undefined {
  if (known !== undefined) return known.is === 'settled' ? undefined : known.is
  return replaces === undefined ? undefined : 'refused'
}

const longestQuote = 300

/** The start of a line that could not be read stands beside the reason. */
const faultOf = ({ text }: Row, problem: Problem): RowError => ({
  path: '',
  ...(text !== undefined && { value: text.slice(0, longestQuote) }),
  ...problem,
})
