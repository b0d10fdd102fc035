// The last step of the loop: rows about which only all rows can decide. Begin at `decideWaiting`.

import { isContentKey } from '../model/content-key.ts'
import { bodyIn } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { PlannedCall, RowIdentity } from '../model/row.ts'
import type { Namesake } from '../model/store.ts'
import { type RowAction, settle, type TriageContext } from './triage.ts'
import { changedRow, duplicateOf, placeName, type WaitingRow, type WaitingRows } from './waiting-rows.ts'

/** Decides about all rows that wait, in their order. A row whose key has its record owns the key if no row came that reads as the log says. */
export async function* decideWaiting(waiting: WaitingRows, context: TriageContext) {
  const { keys, checkpoint } = context
  const isKnown = ({ key, hash, alike }: RowIdentity) =>
    checkpoint.get(key, hash, alike)?.status === 'settled'
  const ownerOf = ({ identity }: WaitingRow, { key = identity.key, isMoved }: Partial<Namesake> = {}) => {
    const owner = isMoved ? undefined : keys.ownerOf({ ...identity, key })
    return owner === undefined || placeName(owner) === placeName(identity) ? undefined : owner
  }
  for await (const rows of waiting.all())
    for (const each of rows)
      if (isKnown(each.identity) && keys.ownerOf(each.identity) === undefined) {
        keys.register(each)
        keys.pass?.(each.identity, true)
      }
  for await (const rows of waiting.all()) {
    const single = rows.filter(each => ownerOf(each) === undefined && !isKnown(each.identity))
    const namesakes = await waiting.namesakesOf(
      single.map(({ identity, mapped }) => ({ identity, body: bodyIn(mapped) })),
    )
    const owners = rows.map(each => ownerOf(each) ?? ownerOf(each, namesakes.get(each.identity.key)))
    const bodies = await waiting.bodiesAt(owners.flatMap(owner => owner ?? []))
    for (const [at, each] of rows.entries()) {
      const owner = owners[at]
      const namesake = namesakes.get(each.identity.key)
      const action =
        owner !== undefined
          ? settle(duplicateOf(each, owner, bodies.get(placeName(owner)), checkpoint))
          : isKnown(each.identity)
            ? settle({ ...ofRow(each), ...changedRow(each.mapped) })
            : actOnNamesake(each, namesake, context)
      yield { row: each.row, action }
    }
  }
  waiting.clear()
}

const ofRow = ({ identity, before }: WaitingRow) => ({ identity, before })

/** A row that is one of an earlier run under another name is held, unless the person says what it is. */
function actOnNamesake(
  each: WaitingRow,
  namesake: Namesake | undefined,
  { respelled }: TriageContext,
): RowAction {
  const { identity, before, mapped } = each
  if ('errors' in mapped) return settle({ ...ofRow(each), status: 'invalid', errors: mapped.errors })
  const call: PlannedCall = { identity, before, ...mapped }
  if (namesake === undefined) return { type: 'send', call }
  const { key, source, row, at, status, recordId, replaces, isMoved } = namesake
  const isSame = !isMoved && (namesake.isSame || respelled === 'same')
  if (isSame && status === 'settled' && recordId !== undefined)
    return settle({
      ...ofRow(each),
      status: 'done',
      changed: false,
      respells: { key, recordId },
    })
  if (isSame && status === 'refused')
    return { type: 'send', call: { ...call, before: status, identity: { ...identity, replaces } } }
  const was = isContentKey(key) ? '' : key
  const code = isMoved ? 'key_moved' : status === 'in_doubt' ? 'respelled_in_doubt' : 'respelled'
  const why = problem(code, { was, source, row, day: at.slice(0, 10) })
  return settle({ ...ofRow(each), status: 'held', errors: [{ path: '', ...why }] })
}
