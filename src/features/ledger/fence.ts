import { setImmediate as endOfTurn } from 'node:timers/promises'
import { replacedName } from '../../model/content-key.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Call } from '../../model/row.ts'
import type { Denial, Intents } from '../../model/store.ts'
import { intentLine } from '../../store/files/lines.ts'
import type { KnownRows } from './claim.ts'
import { claimRecords, type EntryState, type RecordOwner } from './entries.ts'
import type { IntentRow } from './group.ts'
import type { outcomeWriter, PendingOutcome } from './outcomes.ts'
import { batchesOf, digestOf, firstOfEach } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

interface Intent extends IntentRow {
  /** The id that all copies of a rejected row have in this run; null if it never was rejected. */
  readonly rejected: string | null
  readonly wasInDoubt: boolean
}

/** The intent is taken back, and its entry is in this state then. */
type Withdrawal = Intent & { readonly state: EntryState }

type Owner = Pick<RecordOwner, 'id' | 'source' | 'row'>

/** A call waits for about one batch then, not for the rest of one and the next. */
const batchesAtOnce = 2

/**
 * The fence: a call goes out only after its intent was inserted by the worker that holds the chunk, for a key that no other row
 * has. The database decides by its own clock and by the epoch of the chunk; a takeover raises that. `renew` renews the leases that end
 * soon by this worker's clocks.
 */
export function openFence(
  run: JoinedRun,
  known: KnownRows,
  now: () => Date,
  { writeGroup, renew }: Pick<ReturnType<typeof outcomeWriter>, 'writeGroup'> & { renew(): Promise<void> },
) {
  const { database, importId, id } = run
  const group = batchesOf(write, batchesAtOnce)
  const withdrawals = batchesOf(withdraw)
  /** The intents of calls under way, by their keys. */
  const open = new Map<string, Intent>()

  /** Outcomes ride with the next intents, in one commit. */
  async function write(
    items: readonly (Intent | PendingOutcome)[],
  ): Promise<{ denial?: Denial; outcome?: Outcome }[]> {
    const intents = items.flatMap(item => ('outcome' in item ? [] : item))
    const calls = items.flatMap(item => ('outcome' in item ? item : []))
    if (intents.length > 0) {
      await withdrawals.drained() // of an earlier attempt of the same call
      await renew()
    }
    const denials = await denialsOfCopies(intents)
    const left = intents.filter(intent => !denials.has(intent))
    const firsts = firstOfEach(left, ({ name }) => name)
    const { outcomes, granted } = await writeGroup(calls, firsts)
    const sendable = new Set(firsts.filter(({ name }) => granted.has(name)))
    const denied = left.filter(intent => !sendable.has(intent))
    for (const [intent, denial] of await denialsOfKeys(denied)) denials.set(intent, denial)
    return items.map(item => {
      if ('outcome' in item) return { outcome: outcomes.shift() ?? item.outcome }
      // without another row the chunk, or what is known of the key, has changed
      return sendable.has(item) ? {} : { denial: denials.get(item) ?? {} }
    })
  }

  /** Denies rows whose key another row of this run has. */
  async function denialsOfKeys(denied: readonly Intent[]): Promise<Map<Intent, Denial>> {
    if (denied.length === 0) return new Map()
    const owners = await database.query<Owner>(
      `SELECT name AS id, source, row FROM rowlift.entry
        WHERE import = $1 AND run = $2 AND state <> 'f' AND name = ANY($3)`,
      [importId, id, denied.map(({ name }) => name)],
    )
    return denialsBy('name', denied, owners)
  }

  /**
   * A rejected row and its repaired copy may have different keys, and only the first of them that asks is sent in a run. Owners are
   * kept among those of records, under an id that is of this run alone.
   */
  async function denialsOfCopies(intents: readonly Intent[]): Promise<Map<Intent, Denial>> {
    const copies = intents.filter(({ rejected }) => rejected !== null)
    if (copies.length === 0) return new Map()
    const claims = copies.map(({ rejected, name, source, row }) => {
      return { id: rejected, name, source, row, run: id }
    })
    return denialsBy('rejected', copies, await claimRecords(database.query, importId, claims))
  }

  /** Denies the rows that are not the owners of their ids. */
  function denialsBy(idName: 'name' | 'rejected', intents: readonly Intent[], owners: readonly Owner[]) {
    const byId = new Map(owners.map(owner => [owner.id, owner]))
    const denials = new Map<Intent, Denial>()
    for (const intent of intents) {
      const owner = byId.get(intent[idName])
      if (owner !== undefined && (owner.source !== intent.source || owner.row !== intent.row))
        denials.set(intent, { sameAs: placeIn(run, owner) })
    }
    return denials
  }

  /** Takes back these very intents only: after a takeover the row is in doubt, although nothing was sent, and a later attempt has its own. */
  async function withdraw(withdrawn: readonly Withdrawal[]): Promise<[]> {
    await database.query(
      `UPDATE rowlift.entry e SET state = u.state::"char", intent = NULL
         FROM json_to_recordset($3) AS u(name bytea, epoch int, line text, state text)
        WHERE e.import = $1 AND e.run = $2 AND e.name = u.name AND e.epoch = u.epoch AND e.intent = u.line AND e.state = 'o'`,
      [importId, id, JSON.stringify(withdrawn)],
    )
    return []
  }

  return {
    /** Resolves when the database has all intents and outcomes, and has taken back intents that were withdrawn. */
    async drained(): Promise<void> {
      for (const each of [group, withdrawals]) await each.drained()
    },
    /** Resolves once the intent is safe and the call may go out, or with why it may not. */
    async add(call: Call): Promise<Denial | undefined> {
      const { identity, before } = call
      const { claim, name, seq } = known.of(identity)
      if (claim.isLost) return {}
      const { no: chunk, epoch, source } = claim.chunk
      const wasRejected = before !== undefined || identity.replaces !== undefined
      const intent = {
        ...{ name, chunk, epoch, source, row: identity.row, seq },
        line: intentLine(run.opening.run, now(), call),
        rejected: wasRejected ? digestOf(`${id} ${replacedName(identity)}`) : null,
        wasInDoubt: before === 'in_doubt',
      }
      const { denial } = await group.add(intent)
      if (denial === undefined) open.set(identity.key, intent)
      await endOfTurn()
      return denial
    },
    /** Resolves with the outcome of a call as it was recorded. */
    settle: async (call: PendingOutcome): Promise<Outcome> => (await group.add(call)).outcome ?? call.outcome,
    /** Denies a call, right before it goes out, if this worker does not hold its chunk any more by its own clocks. */
    check({ identity }: Call): Denial | undefined {
      const { claim } = known.of(identity)
      return claim.isLost || !claim.lease.isLive() ? {} : undefined
    },
    /** Takes back the intent of a call that certainly reached nothing. */
    remove(key: string, state: EntryState = 'f'): void {
      const intent = open.get(key)
      if (intent === undefined) return
      open.delete(key)
      // if this is lost, the row is in doubt for nothing
      withdrawals.add({ ...intent, state: intent.wasInDoubt ? 'd' : state }).catch(() => {})
    },
    /** The line of a call under way, which has its body. */
    intentOf: (key: string) => open.get(key)?.line,
    forget: (key: string) => void open.delete(key),
  } satisfies Intents & Record<string, unknown>
}
