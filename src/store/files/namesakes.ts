import { isContentKey, rejectedName, replacedName, replacesOf } from '../../model/content-key.ts'
import type { RowIdentity } from '../../model/row.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { Namesake, NewRow } from '../../model/store.ts'
import type { Checkpoint } from './checkpoint.ts'
import { readResultLines } from './result-log.ts'
import { isLike, valuesIn } from './spellings.ts'

/** What two rows of other names may share, the surest first: their cells, the folded key, the body. */
const sharedBy = ({ key, hash, body_hash }: Pick<RowIdentity, 'key' | 'hash' | 'body_hash'>): string[] => [
  `cells ${hash}`,
  ...(isContentKey(key) ? [] : [`key ${foldedKey(key)}`]),
  ...(body_hash === undefined ? [] : [`body ${body_hash}`]),
]

type FoundRow = Omit<Namesake, 'isSame'> & { readonly run: string }

/**
 * Finds the rows of a log that did not come, and that rows with other names may be: they share their cells (without a key), their folded key or
 * their body, or half of a body in doubt. A row that came in the run that refused one is another. Reads the log once. Returns them by the keys of
 * the new rows.
 */
export async function namesakesIn(
  log: string,
  checkpoint: Checkpoint,
  rows: readonly NewRow[],
  hasCome: (key: string) => boolean,
): Promise<Map<string, Namesake>> {
  const namesakes = new Map<string, Namesake>()
  if (rows.length === 0) return namesakes
  const wanted = new Set(rows.flatMap(({ identity }) => sharedBy(identity)))
  /** The runs that refused the rows which these replace. */
  const refusedIn = new Map(
    rows.flatMap(({ identity }) => (identity.replaces ? [[replacedName(identity), '']] : [])),
  )
  const found = new Map<string, FoundRow>()
  const doubts = new Map<string, { readonly values: ReadonlySet<string>; readonly row: FoundRow }>()
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { key, hash = '', body_hash, source = '', row = 0, at = '', run, body } = line
      if (key === undefined || line.status === 'duplicate') continue
      const name = rejectedName({ key, hash })
      if (refusedIn.has(name)) refusedIn.set(name, run)
      const shared = sharedBy({ key, hash, body_hash }).filter(each => wanted.has(each))
      const isDoubt = line.status === 'in_doubt' && isContentKey(key)
      if (refusedIn.has(name) || (shared.length === 0 && !isDoubt) || hasCome(key)) continue
      const status = checkpoint.get(key, hash)?.status ?? 'refused'
      for (const each of shared) {
        const before = found.get(each)
        if (before !== undefined && before.key !== key) continue
        const recordId = line.record_id ?? before?.recordId
        found.set(each, { source, row, at, run, key, status, recordId, replaces: replacesOf(name) })
      }
      if (isDoubt && status === 'in_doubt')
        doubts.set(key, {
          values: new Set(valuesIn(body)),
          row: { source, row, at, run, key, status, replaces: replacesOf(name) },
        })
    }
  for (const { identity, body } of rows) {
    const ofKeyless = isContentKey(identity.key)
    const ways = sharedBy(identity).slice(ofKeyless ? 0 : 1)
    const way = ways.find(each => found.has(each)) ?? ''
    const values = ofKeyless && !found.has(way) ? valuesIn(body) : []
    const row = found.get(way) ?? [...doubts.values()].find(doubt => isLike(values, doubt.values))?.row
    if (row !== undefined && row.run !== refusedIn.get(replacedName(identity)))
      namesakes.set(identity.key, { ...row, isSame: way.startsWith('cells') })
  }
  return namesakes
}
