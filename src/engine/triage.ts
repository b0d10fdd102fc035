import { isContentKey, isUnrepaired, keyColumn, replacedName } from '../model/content-key.ts'
import { firstWord } from '../model/fingerprint.ts'
import type { Mapped, Outcome, RowError } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Before, PlannedCall, Row, RowIdentity } from '../model/row.ts'
import { bodyHash } from '../model/spelling.ts'
import type { Keys, Past, PastState } from '../model/store.ts'
import type { DeferredRow, DeferredRows } from './deferred-rows.ts'
import { changedRow, duplicateOf, type WaitingRow, type WaitingRows } from './waiting-rows.ts'

/** Action on a row before anything is sent. */
export type RowAction =
  /** `where` leaves it out, in some cases for another row with its key. */
  | { readonly type: 'skip'; readonly identity: RowIdentity; readonly duplicate?: Outcome }
  /** It needs no call; `ownsKey`: later rows with its key are duplicates. */
  | { readonly type: 'settle'; readonly outcome: Outcome; readonly ownsKey: boolean }
  | { readonly type: 'send'; readonly call: PlannedCall }
  | ({ readonly type: 'defer' } & Omit<DeferredRow, 'row'>)
  /** It is decided when all rows have come; `ownsKey` as above. */
  | ({ readonly type: 'wait'; readonly ownsKey: boolean } & Omit<WaitingRow, 'row'>)

export interface TriageContext {
  readonly mapping: RowMapping
  readonly checkpoint: Past
  readonly keys: Keys
  /** Undefined if no row can name another. */
  readonly references: RowReferences | undefined
  readonly deferred: DeferredRows
  /** Undefined if one process does not see all rows: then each is decided by what is known. */
  readonly waiting?: WaitingRows | undefined
  /** Rows get the hash of their body: there is a log that has, or will have it. */
  readonly hashesBodies?: boolean
  /** What a row is that is known under another name: `new_contents` if only by its contents; undefined if nobody says it. */
  readonly respelled?: 'same' | 'new' | 'new_contents' | undefined
  /** Rows that are done are mapped too, because expectations of omitted and kept values are about all rows. */
  readonly mapsUnchanged: boolean
  readonly inDoubt: 'hold' | 'resend'
}

/** The mapping, as far as the engine needs it. */
export interface RowMapping {
  readonly identify: (row: Row) => RowIdentity
  /** Rows whose key another row has are left out. */
  readonly isDistinct: boolean
  readonly selects: (row: Row) => boolean
  readonly map: (row: Row) => Mapped
  /** Compares the body of a row, also of one that is not sent but may have its record; returns an error if it may not be sent. */
  readonly compare?: ((row: Row, identity: RowIdentity, mapped?: Mapped) => RowError | undefined) | undefined
}

interface RowReferences {
  /** The number of all rows of a key. */
  numberOf(key: string): number
  takeRow(row: Row, identity: RowIdentity): void
  /** Takes a row that `where` leaves out. */
  passOver(row: Row): void
  settle(outcome: Outcome): void
  /** Notes that the row of this number will not come any more. Without it, rows that still wait at the end are left. */
  readonly giveUp?: ((number: number) => void) | undefined
  complete(): void
}

export function triage(row: Row, identity: RowIdentity, context: TriageContext): RowAction {
  const { mapping, references } = context
  if (row.fault === undefined && !mapping.selects(row)) {
    references?.passOver(row)
    return { type: 'skip', identity }
  }
  references?.takeRow(row, identity)
  return triageIdentified(row, identity, context)
}

/**
 * Decides what to do with a row, and again with a deferred one that is ready; notes the hash of its body, and changes nothing else. A row whose key has its record
 * but which reads differently has to pass the mapping first: it may be another row with the same key, and only rows that pass
 * own one. A rejected row that came back repaired is done as it is, and leaves its key to others.
 */
export function triageIdentified(row: Row, identity: RowIdentity, context: TriageContext): RowAction {
  const { mapping, checkpoint, keys, references, deferred, waiting, respelled } = context
  const known = checkpoint.get(identity.key, identity.hash, identity.alike)
  const isKnown = known?.status === 'settled'
  const isUnchanged = isKnown && known.sameHash
  const replaced = checkpoint.replacementOf(identity)
  const before = beforeOf(identity, known)
  const ofRow = { identity, before }
  if (replaced === 'settled' && isUnrepaired(identity) && !isUnchanged)
    return settle({ ...ofRow, status: 'done', changed: false })
  if (row.fault !== undefined)
    return settle({ ...ofRow, status: 'invalid', errors: [faultOf(row, row.fault)] })

  const mayBeOther = waiting !== undefined && !mapping.isDistinct
  const sameAs = keys.ownerOf(identity)
  if (sameAs !== undefined && !(mayBeOther && !keys.readsAlike?.(identity))) {
    const isLogged = checkpoint.takeLoggedDuplicate(identity.key, identity.hash)
    return actOnDuplicate({ ...ofRow, status: 'duplicate', sameAs, isLogged }, context)
  }
  if (sameAs === undefined) {
    const isHeld = before === 'in_doubt' && context.inDoubt === 'hold'
    if (isHeld || isUnchanged) mapping.compare?.(row, identity)
    if (isHeld) return settleOwner({ ...ofRow, status: 'held' })
    if (replaced === 'in_doubt' && before !== 'in_doubt' && !isKnown)
      return settle({ ...ofRow, status: 'held' }) // the row that replaces it may have its record
    if (isUnchanged) {
      if (context.mapsUnchanged) mapping.map(row)
      return settleOwner({ ...ofRow, status: 'done', changed: false })
    }
  }

  const number = references?.numberOf(identity.key)
  if (number !== undefined && deferred.has(number))
    return { type: 'defer', ...ofRow, waitsOn: [{ on: number, path: '' }] }
  const mapped = mapping.map(row)
  const held = mapping.compare?.(row, identity, mapped)
  if ('waitsOn' in mapped) return { type: 'defer', ...ofRow, waitsOn: mapped.waitsOn }
  const wait = (ownsKey: boolean): RowAction => ({ type: 'wait', ownsKey, ...ofRow, mapped })
  if ('errors' in mapped) {
    if (!isKnown || mapping.isDistinct) return settle({ ...ofRow, status: 'invalid', errors: mapped.errors })
    return mayBeOther ? wait(false) : settle({ ...ofRow, ...changedRow(mapped) })
  }
  const json = context.hashesBodies ? JSON.stringify(mapped.body) : undefined
  if (json !== undefined) identity.body_hash = bodyHash(json)
  if (sameAs !== undefined) {
    const body = waiting?.firstBody(sameAs)
    return body ? settle(duplicateOf({ row, ...ofRow, mapped }, sameAs, body, checkpoint)) : wait(false)
  }
  if (isKnown && identity.body_hash !== undefined && known.body === firstWord(identity.body_hash))
    return settleOwner({ ...ofRow, status: 'done', changed: false })
  if (known !== undefined && identity.replaces !== undefined && checkpoint.hasRefused?.(identity) === false)
    return misnamed(ofRow, 'not_refused_here')
  if (isKnown) return mayBeOther ? wait(false) : settleOwner({ ...ofRow, ...changedRow(mapped) })
  if (replaced === 'settled') return misnamed(ofRow, 'already_replaced')
  if (held && before !== 'in_doubt') return settle({ ...ofRow, status: 'invalid', errors: [held] })
  if (checkpoint.lacksLines && known === undefined && context.inDoubt === 'hold')
    return settleOwner(lostRow(ofRow, json ?? JSON.stringify(mapped.body)))
  const isNew = known === undefined || (identity.replaces !== undefined && isContentKey(identity.key))
  const mayBeKnown = () =>
    isNew
      ? checkpoint.spellings.mayHave(identity, mapped.body, respelled === 'new_contents')
      : respelled !== 'new_contents' && before === 'refused' && !identity.replaces && checkpoint.hasReplaced
  if (replaced === undefined && waiting && respelled !== 'new' && mayBeKnown()) return wait(true)
  const { body, omitted, kept } = mapped
  return { type: 'send', call: { identity, before, body, omitted, kept, json } }
}

/** Decides about a duplicate, which may be a row whose call was denied. */
export const actOnDuplicate = (duplicate: Outcome, { mapping }: TriageContext): RowAction =>
  mapping.isDistinct ? { type: 'skip', identity: duplicate.identity, duplicate } : settle(duplicate)

/** Settles a row that owns no key. */
export const settle = (outcome: Outcome): RowAction => ({ type: 'settle', outcome, ownsKey: false })
const settleOwner = (outcome: Outcome): RowAction => ({ type: 'settle', outcome, ownsKey: true })

/** State of a row that is tried again; one that comes back from a file of rejected rows was refused. */
function beforeOf({ replaces }: RowIdentity, known: PastState | undefined): Before | undefined {
  if (known !== undefined) return known.status === 'settled' ? undefined : known.status
  return replaces === undefined ? undefined : 'refused'
}

/** Refuses a rejected row that came back: it has its record under another key, or the log never refused it. */
function misnamed(row: Pick<Outcome, 'identity' | 'before'>, code: 'already_replaced' | 'not_refused_here') {
  const error = { path: '', column: keyColumn, value: replacedName(row.identity), ...problem(code) }
  return settle({ ...row, status: 'invalid', errors: [error] })
}

/** A row that may have its record, for the log lacks lines. */
const lostRow = (row: Pick<Outcome, 'identity' | 'before'>, body: string): Outcome => ({
  ...row,
  status: 'in_doubt',
  ...{ fault: 'ambiguous', attempts: 0, durationMs: 0, body },
  errors: [{ path: '', ...problem('log_lost') }],
})

const longestQuote = 300

/** The fault of a line that could not be read, with its start. */
const faultOf = ({ text }: Row, fault: Problem): RowError => ({
  path: '',
  ...(text !== undefined && { value: text.slice(0, longestQuote) }),
  ...fault,
})
