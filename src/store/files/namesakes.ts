import { isContentKey, rejectedName, replacedName, replacesOf } from '../../model/content-key.ts'
import type { RowIdentity } from '../../model/row.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { Namesake } from '../../model/store.ts'
import type { Checkpoint } from './checkpoint.ts'
import { readResultLines } from './result-log.ts'

/**
 * Finds the rows of a log that did not come, and that rows with other names may be: their key is the same in folded form, or else they were
 * sent with the same body. Reads the log once. Returns them by the keys of those rows.
 */
export async function namesakesIn(
  log: string,
  checkpoint: Checkpoint,
  rows: readonly RowIdentity[],
  hasCome: (key: string) => boolean,
): Promise<Map<string, Namesake>> {
  const byKey = groupBy(rows, ({ key }) => (isContentKey(key) ? undefined : foldedKey(key)))
  const byBody = groupBy(rows, ({ body_hash }) => body_hash)
  const found = new Map<string, Namesake & { readonly isByKey: boolean }>()
  if (rows.length === 0) return found
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { key, hash = '', body_hash = '', source = '', row = 0, at = '', record_id } = line
      if (key === undefined || line.status === 'duplicate') continue
      const alike = isContentKey(key) ? [] : (byKey.get(foldedKey(key)) ?? [])
      const same = byBody.get(body_hash) ?? []
      if ((alike.length === 0 && same.length === 0) || hasCome(key)) continue
      const name = rejectedName({ key, hash })
      for (const [others, isByKey] of [
        [alike, true],
        [same, false],
      ] as const)
        for (const other of others) {
          const before = found.get(other.key)
          if (replacedName(other) === name || (before && before.key !== key && before.isByKey >= isByKey))
            continue
          const status = checkpoint.get(key, hash)?.status ?? 'refused'
          const recordId = record_id ?? before?.recordId
          const place = { source, row, at, key, status, recordId, replaces: replacesOf(name) }
          found.set(other.key, { ...place, isByKey })
        }
    }
  return found
}

function groupBy(rows: readonly RowIdentity[], nameOf: (row: RowIdentity) => string | undefined) {
  const groups = new Map<string, RowIdentity[]>()
  for (const row of rows) {
    const name = nameOf(row)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return groups
}
