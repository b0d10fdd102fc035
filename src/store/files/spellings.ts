import { isContentKey, rejectedName, replacedName, replacesOf } from '../../model/content-key.ts'
import { firstWord } from '../../model/fingerprint.ts'
import { NumberList } from '../../model/key-table.ts'
import type { Body, RowIdentity } from '../../model/row.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { Namesake, NewRow, Past } from '../../model/store.ts'
import { leavesOf } from '../../model/values.ts'
import type { ResultLine } from './lines.ts'
import { readResultLines } from './result-log.ts'

// Rows of a log under other names: `spellingsOf` says fast that a row may be one of them, `namesakesIn` which one it is.

/**
 * How the rows of a log were written. `hasSpelling` checks for a key that is the same in folded form; `allBodies` returns 32 bits of each body, once a row
 * came that is not known.
 */
export function spellingsOf(hasSpelling: (key: string) => boolean, allBodies = () => new NumberList()) {
  let haveBodies = false
  let bodies: NumberList | undefined
  /** Values of the bodies in doubt of rows without a key, each with its path: such a row has another name once it is corrected. */
  const doubtedValues = new Set<string>()
  return {
    note({ key = '', body_hash: body, status, body: sent }: ResultLine): void {
      if (isContentKey(key) && status === 'in_doubt')
        for (const value of valuesIn(sent)) doubtedValues.add(value)
      if (body !== undefined) haveBodies = true
    },
    /** Is set if a log is no older than 0.5. */
    get haveBodies() {
      return haveBodies
    },
    /** Checks whether a row with this body or folded key may be there. A wrong yes is rare, and costs a look into the log. */
    mayHave({ key, body_hash: hash, replaces }: RowIdentity, body?: Body, byKey = false): boolean {
      if (byKey) return !isContentKey(key) && hasSpelling(key)
      if (hash !== undefined && haveBodies) {
        bodies ??= allBodies()
        if (bodies.includes(firstWord(hash))) return true
      }
      // a refused row may be fixed both in its source and, with another key, in a rejects file
      if (!isContentKey(key)) return replaces !== undefined || hasSpelling(key)
      return doubtedValues.size > 0 && isLike(valuesIn(body), doubtedValues)
    },
  }
}

/** The values in a body, each with its path, as texts. */
const valuesIn = (body: unknown): string[] =>
  body === undefined ? [] : leavesOf(body).map(({ path, value }) => `${path} ${JSON.stringify(value)}`)

/** Checks whether at least half of the values of a body are among others. */
const isLike = (values: readonly string[], others: ReadonlySet<string>): boolean =>
  values.length > 0 && values.filter(value => others.has(value)).length * 2 >= values.length

/** What two rows of other names may share, the surest first: their cells, the folded key, the body. */
const sharedBy = ({ key, hash, body_hash }: Pick<RowIdentity, 'key' | 'hash' | 'body_hash'>): string[] => [
  `cells ${hash}`,
  ...(isContentKey(key) ? [] : [`key ${foldedKey(key)}`]),
  ...(body_hash === undefined ? [] : [`body ${body_hash}`]),
]

type FoundRow = Omit<Namesake, 'isSame' | 'isMoved'> & { readonly run: string }

/**
 * Finds the rows of a log that did not come, and that rows with other names may be: they share their cells (without a key), their folded key or
 * their body, or half of a body in doubt, also once a person named its record. A row that came in the run that refused one is another. Finds besides
 * what a rejects file made of a refused row, and the refused row that owns its key now; these may have come. A row that came and reads differently
 * counts by its body, if no other has that. Reads the log once. Returns them by the keys of the new rows.
 */
export async function namesakesIn(
  log: string,
  past: Pick<Past, 'get'>,
  rows: readonly NewRow[],
  { hasCome, owns }: { hasCome(key: string): boolean | 'changed'; owns?(key: string): boolean },
): Promise<Map<string, Namesake>> {
  const namesakes = new Map<string, Namesake>()
  if (rows.length === 0) return namesakes
  const wanted = new Set(rows.flatMap(({ identity }) => sharedBy(identity)))
  const newKeys = new Set(rows.map(({ identity }) => identity.key))
  /** The keys of new rows by their names in rejects files, and the runs that refused them. */
  const refused = new Map(
    rows.flatMap(({ identity }) => (identity.replaces ? [[replacedName(identity), identity.key]] : [])),
  )
  const refusedIn = new Map<string, string>()
  const found = new Map<string, FoundRow>()
  /** What rows have that came as the log says. */
  const came = new Set<string>()
  const moved = new Map<string, FoundRow>()
  const doubts = new Map<string, { readonly values: ReadonlySet<string>; row: FoundRow }>()
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { key, hash = '', body_hash, source = '', row = 0, at = '', run, body, replaces } = line
      if (key === undefined || line.status === 'duplicate') continue
      if (line.respells !== undefined) doubts.delete(line.respells)
      const doubt = doubts.get(key)
      if (doubt && line.by_hand) doubt.row = { ...doubt.row, recordId: line.record_id }
      const name = rejectedName({ key, hash })
      if (newKeys.has(key) && !hasCome(name)) refused.set(name, key)
      const newKey = refused.get(replacedName({ key, hash, replaces }))
      const isRefusal = newKey !== undefined && replaces === undefined
      if (isRefusal) refusedIn.set(newKey, run)
      const isUsed = () => (isRefusal ? owns?.(key) : past.get(key, hash)?.status !== 'refused')
      const isFixed = newKey !== undefined && newKey !== key && isUsed()
      const come = hasCome(key)
      const isOther = isRefusal || come === true
      const common = sharedBy({ key, hash, body_hash }).filter(each => wanted.has(each))
      if (come === true) for (const each of common) came.add(each)
      const shared = isFixed ? [`fixed ${newKey} ${body_hash}`, `fixed ${newKey}`] : isOther ? [] : common
      const isDoubt = line.status === 'in_doubt' && isContentKey(key) && !isOther
      if (shared.length === 0 && !isDoubt) continue
      const status = past.get(key, hash)?.status ?? 'refused'
      const foundRow = { source, row, at, run, key, status, replaces: replacesOf(name) }
      const rowsBy = come === 'changed' && !isFixed ? moved : found
      for (const each of shared) {
        const before = rowsBy.get(each)
        if (before !== undefined && before.key !== key) continue
        rowsBy.set(each, { ...foundRow, recordId: line.record_id ?? before?.recordId })
      }
      if (isDoubt && status !== 'refused') doubts.set(key, { values: new Set(valuesIn(body)), row: foundRow })
    }
  for (const { identity, body } of rows) {
    const ofKeyless = isContentKey(identity.key)
    const fixed = [`fixed ${identity.key} ${identity.body_hash}`, `fixed ${identity.key}`]
    const ways = [...fixed, ...sharedBy(identity).slice(ofKeyless ? 0 : 1)]
    const way = ways.find(each => found.has(each)) ?? ''
    const values = ofKeyless && !found.has(way) ? valuesIn(body) : []
    const isOpen = ({ row }: { row: FoundRow }) => row.status === 'in_doubt' || row.recordId !== undefined
    const doubt = [...doubts.values()].find(each => isLike(values, each.values) && isOpen(each))
    const sent = `body ${identity.body_hash}`
    const same = found.get(way) ?? doubt?.row
    const row = same ?? (came.has(sent) ? undefined : moved.get(sent))
    const isSame = way === fixed[0] || way.startsWith('cells')
    if (row !== undefined && (fixed.includes(way) || row.run !== refusedIn.get(identity.key)))
      namesakes.set(identity.key, { ...row, isSame, isMoved: row !== same })
  }
  return namesakes
}
