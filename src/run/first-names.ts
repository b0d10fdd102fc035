import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { SettledColumns } from '../mapping/column-history.ts'
import { isContentKey } from '../model/content-key.ts'
import { UsageError } from '../model/errors.ts'
import { firstWord } from '../model/fingerprint.ts'
import { bodyIn } from '../model/outcome.ts'
import type { Row, RowIdentity } from '../model/row.ts'
import { bodyHash, foldedKey } from '../model/spelling.ts'
import type { Namesake, NewRow } from '../model/store.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import { namesakesIn } from '../store/files/spellings.ts'
import { fileOf } from './paths.ts'
import type { PreparedImport } from './prepared-import.ts'

// Names and contents of the first rows beside those in the log: the same rows under other names, or other rows under the same names.

export interface NamedRow {
  readonly row: Row
  readonly identity: RowIdentity
}

/** The first rows of an import beside its log. */
export interface FirstLook {
  readonly prepared: PreparedImport
  readonly checkpoint: Checkpoint
  readonly columns: SettledColumns
  readonly named: readonly NamedRow[]
  /** The rows that the log does not know. */
  readonly unknown: readonly NamedRow[]
  /** Finds the columns whose values are all new. */
  readonly newValues: () => string[]
}

/** A row with its body and the hash of it, if it passes the mapping. */
export function withBody({ mapping }: PreparedImport, { row, identity }: NamedRow): NewRow {
  const body = bodyIn(mapping.map(row, true))
  const body_hash = body && bodyHash(JSON.stringify(body))
  return { identity: { ...identity, body_hash }, body }
}

/** Most hashes in a sketch. */
const mostInSketch = 32

/** The smallest hashes of rows, with their bodies: two lists that share most rows share most of these. */
const sketchOf = (rows: readonly NewRow[]): string[] =>
  rows
    .map(({ identity: { key, body_hash } }) => hash('sha256', `${key}\n${body_hash}`).slice(0, 8))
    .sort()
    .slice(0, mostInSketch)

/**
 * Throws a UsageError if nearly all first rows that have their record read differently, as those of another list with the same keys; half of them
 * are enough if the mapping or the sheet has another name than in the last run. If a person accepts them, or has accepted them in an earlier run, returns
 * a sketch of them.
 */
export function checkContents({ prepared, checkpoint, named }: FirstLook): string[] | undefined {
  const { options, settings, mapping, sources } = prepared
  const { opening } = checkpoint
  if (opening === undefined) return undefined
  const isOtherMapping =
    basename(opening.mapping) !== basename(mapping.file) && opening.mapping_sha256 !== mapping.sha256
  const lastSheets = Object.values(opening.sheets ?? {})
  const isOtherSheet = ({ sheet }: (typeof sources)[number]) =>
    sheet !== undefined && lastSheets.length > 0 && !lastSheets.includes(sheet)
  const isOther = isOtherMapping || sources.some(isOtherSheet)
  const known = named.flatMap(each => {
    const { key, hash: cells, alike, replaces } = each.identity
    const state = checkpoint.get(key, cells, alike)
    const isRepair = replaces !== undefined || checkpoint.replacementOf(each.identity) !== undefined
    if (state?.status !== 'settled' || isRepair) return []
    const sent = state.sameHash && !isOtherMapping ? undefined : withBody(prepared, each)
    const body_hash = sent?.identity.body_hash
    const isAlike = sent === undefined || (body_hash !== undefined && state.body === firstWord(body_hash))
    return { key, isSame: state.sameHash, other: isAlike ? undefined : sent }
  })
  const all = new Set(known.map(({ key }) => key)).size
  if (all < 2 || (isOtherMapping && known.every(({ isSame }) => isSame) && !checkpoint.spellings.haveBodies))
    return undefined
  const others = known.flatMap(({ other }) => other ?? [])
  const alike = new Set(known.flatMap(({ key, other }) => (other === undefined ? key : [])))
  const differing = all - alike.size
  if (differing < all * (isOther ? 0.5 : 0.9)) return undefined
  const sketch = sketchOf(others)
  const accepted = sketch.filter(each => opening.accepted_rows?.includes(each))
  if (settings.changedRows || accepted.length * 2 > sketch.length) return sketch
  const isOfOther = ({ identity }: NewRow) => checkpoint.spellings.mayHave({ ...identity, key: '' })
  const isMoved = others.filter(isOfOther).length * 2 >= differing
  const params = { log: options.results ?? '', known: all, differing, isMoved }
  throw new UsageError('another_list', { ...params, mapping: isOtherMapping ? opening.mapping : undefined })
}

/**
 * Throws a UsageError if more than a tenth of the first rows are known under another name, and would wait for the end of the sources; if a person said
 * that they are the same, only for others that would be created while rows of the log are missing. Returns the rows that are known under no name.
 */
export async function checkNames(look: FirstLook): Promise<readonly NamedRow[]> {
  const { prepared, checkpoint, columns: settled, named, unknown, newValues } = look
  const { settings, mapping, options, store } = prepared
  const log = fileOf(options.results)
  const hasLog = log !== undefined && store === undefined && checkpoint.opening !== undefined
  if (!hasLog || settings.respelled === 'new') return unknown
  const isMany = (count: number) => count * 10 > named.length
  const valid = unknown.map(each => withBody(prepared, each)).filter(({ body }) => body !== undefined)
  const areNew = settings.respelled === undefined && mapping.respelled === 'new'
  const rows = valid.filter(({ identity }) => checkpoint.spellings.mayHave(identity, undefined, areNew))
  if (!isMany(rows.length)) return unknown
  const keys = new Set(named.map(({ identity }) => identity.key))
  const namesakes = await namesakesIn(log, checkpoint, rows, { hasCome: key => keys.has(key) })
  const told = new Map([...namesakes].filter(([, each]) => !each.isSame && each.status !== 'in_doubt'))
  const [[now, namesake] = []] = told
  const count = rows.filter(({ identity }) => told.has(identity.key)).length
  if (now === undefined || namesake === undefined || !isMany(count)) return unknown
  const isGone = checkpoint.settled > named.length - unknown.length + namesakes.size
  const isStrange = ({ identity }: NewRow | NamedRow) => !namesakes.has(identity.key)
  const others = isGone ? valid.filter(isStrange).length : 0
  const isSame = settings.respelled === 'same'
  if (isSame && (others === 0 || settings.allNew)) return unknown.filter(isStrange)
  const inKey = settled.added.filter(column => mapping.columns.fieldsOf(column).includes('key'))
  const how = inKey.length > 0 ? 'key_column' : changeOf(namesake, now)
  const isAbsent = (column: string) => named.every(({ row }) => row.value(column) === undefined)
  const before = Object.keys(checkpoint.opening?.first_rows ?? {})
  const gone = settled.added.length > 0 ? before.filter(isAbsent) : []
  const change = how === 'cells' && gone.length > 0 ? 'renamed' : how
  const ofChange = { key_column: () => inKey, renamed: () => gone, cells: newValues }
  const columns = change in ofChange ? ofChange[change as keyof typeof ofChange]() : mapping.keyColumns
  throw new UsageError('rows_respelled', {
    ...{ log, mapping: mapping.file, rows: count, looked: named.length, others, isSame },
    ...{ change, columns, was: namesake.key, now },
  })
}

function changeOf({ key: was }: Namesake, now: string) {
  if (isContentKey(was)) return isContentKey(now) ? 'cells' : 'key_given'
  if (isContentKey(now)) return 'key_gone'
  if (foldedKey(was) !== foldedKey(now)) return 'key'
  if (/^[\d|]+$/.test(foldedKey(now))) return 'number'
  return was.toLowerCase() === now.toLowerCase() ? 'case' : 'signs'
}
