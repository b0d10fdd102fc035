import { problem } from '../model/problem.ts'
import { keyColumn } from '../model/reserved-columns.ts'
import type { Ending, Origin, RowError } from '../model/row.ts'
import type { Deciding, Known } from './deciding.ts'

/**
 * What becomes of a repaired row that passes the mapping, by the key that its columns give now: that row may have its record, or
 * be in doubt, for its source may have been mended as well. Undefined where that changes nothing.
 */
export function decideRenamed(
  { alias, hash, key }: Origin,
  known: Known | undefined,
  { past, ledger, inDoubt }: Deciding,
): Ending | undefined {
  if (alias === undefined) return undefined
  const found = past.of(alias, hash)
  const renamed = found?.isRenamed ? undefined : found
  if (known?.is === 'settled' && renamed?.is !== 'settled')
    return { status: 'invalid', errors: [keyTaken(key)] }
  if (known?.is === 'settled') return undefined
  const sameAs = ledger.claimant(alias)
  if (sameAs !== undefined) return { status: 'duplicate', sameAs, told: past.tellsDuplicate(key, hash) }
  if (renamed?.is === 'settled') return { status: 'done', changed: !renamed.sameHash }
  return renamed?.is === 'in_doubt' && inDoubt === 'hold' ? { status: 'held' } : undefined
}

/** Nobody can tell whether a row is the one that was repaired, edited in its source, or another with the key that it had. */
export const keyLeft = (key: string): RowError => ({
  path: '',
  value: key,
  ...problem('key_left'),
})

const keyTaken = (key: string): RowError => ({
  path: '',
  column: keyColumn,
  value: key,
  ...problem('key_taken'),
})
