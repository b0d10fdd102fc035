import { isContentKey, rejectedName, replacedName, replacesOf } from '../../model/content-key.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { Namesake, NewRow } from '../../model/store.ts'
import { leavesOf } from '../../model/values.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { ResultLine } from './lines.ts'
import { readResultLines } from './result-log.ts'
import { isLike } from './spellings.ts'

/** The ways in which a line may be of the same row, the surest last. */
const ways = ['doubt', 'body', 'key', 'cells'] as const

/**
 * Finds the rows of a log that did not come, and that rows with other names may be: they read the same, their folded key or their body is the same,
 * or half of a body in doubt. A row that came in the run that refused one is another. Reads the log once. Returns them by the keys of those rows.
 */
export async function namesakesIn(
  log: string,
  checkpoint: Checkpoint,
  rows: readonly NewRow[],
  hasCome: (key: string) => boolean,
): Promise<Map<string, Namesake>> {
  const groups = {
    key: groupBy(rows, ({ identity: { key } }) => (isContentKey(key) ? undefined : foldedKey(key))),
    body: groupBy(rows, ({ identity }) => identity.body_hash),
    cells: groupBy(rows, ({ identity: { key, hash } }) => (isContentKey(key) ? hash : undefined)),
    keyless: rows.filter(({ identity }) => isContentKey(identity.key)),
  }
  const found = new Map<string, Namesake & { readonly way: number; readonly run: string }>()
  const refusedIn = new Map(
    rows.flatMap(({ identity }) => (identity.replaces ? [[replacedName(identity), '']] : [])),
  )
  if (rows.length === 0) return found
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { key, hash = '', source = '', row = 0, at = '', record_id } = line
      if (key === undefined || line.status === 'duplicate') continue
      const name = rejectedName({ key, hash })
      if (refusedIn.has(name)) refusedIn.set(name, line.run)
      const alike = rowsLike(line, groups)
      if (alike.every(({ rows }) => rows.length === 0) || hasCome(key)) continue
      const status = checkpoint.get(key, hash)?.status ?? 'refused'
      for (const { way, rows } of alike)
        for (const { identity } of rows) {
          const before = found.get(identity.key)
          const isOther = before !== undefined && before.key !== key
          const isItself = identity.replaces !== undefined && replacedName(identity) === name
          if (isItself || (isOther && before.way >= way)) continue
          if (ways[way] === 'doubt' && status !== 'in_doubt') continue
          const recordId = record_id ?? before?.recordId
          const place = { source, row, at, key, status, recordId, replaces: replacesOf(name) }
          found.set(identity.key, { ...place, way, run: line.run, isSame: ways[way] === 'cells' })
        }
    }
  for (const { identity } of rows)
    if (found.get(identity.key)?.run === refusedIn.get(replacedName(identity))) found.delete(identity.key)
  return found
}

type Groups = Readonly<Record<'key' | 'body' | 'cells', ReadonlyMap<string, readonly NewRow[]>>> & {
  readonly keyless: readonly NewRow[]
}

/** The rows that a line may be of, by the way in which they are alike. */
function rowsLike({ key = '', hash = '', body_hash = '', status, body }: ResultLine, groups: Groups) {
  const isKeyless = isContentKey(key)
  const doubted = new Set(isKeyless && status === 'in_doubt' ? leavesOf(body) : [])
  return [
    doubted.size === 0 ? [] : groups.keyless.filter(row => isLike(leavesOf(row.body), doubted)),
    groups.body.get(body_hash) ?? [],
    isKeyless ? [] : (groups.key.get(foldedKey(key)) ?? []),
    groups.cells.get(hash) ?? [],
  ].map((rows, way) => ({ rows, way }))
}

function groupBy(rows: readonly NewRow[], nameOf: (row: NewRow) => string | undefined) {
  const groups = new Map<string, NewRow[]>()
  for (const row of rows) {
    const name = nameOf(row)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return groups
}
