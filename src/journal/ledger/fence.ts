import { setImmediate as endOfTurn } from 'node:timers/promises'
import { replacedName } from '../../model/content-key.ts'
import type { Call, RowIdentity } from '../../model/row.ts'
import type { Denial, Intents } from '../../model/store.ts'
import { intentLine } from '../lines.ts'
import { Batches } from './batches.ts'
import type { ClaimedChunk } from './claim.ts'
import { columnsOf } from './columns.ts'
import type { Query } from './database.ts'
import { digestOf } from './digest.ts'
import type { JoinedRun } from './registration.ts'
import { otherCopies } from './rejected-rows.ts'

interface Intent {
  readonly name: Buffer
  readonly chunk: number
  readonly epoch: number
  readonly source: number
  readonly row: number
  readonly seq: number | null
  readonly line: string
  readonly replaced: Buffer | null
}

/** A call waits for about one batch then, not for the rest of one and the next. */
const batchesAtOnce = 2

/**
 * The fence: a call goes out only after its intent was inserted by the worker that holds the chunk, for a key that no other row
 * has. The database decides by its own clock and by the epoch of the chunk; a takeover raises that.
 */
export class Fence implements Intents {
  readonly #query: Query
  readonly #run: JoinedRun
  readonly #claimOf: (identity: RowIdentity) => ClaimedChunk
  readonly #now: () => Date
  /** Renews the leases that end soon by this worker's clocks. */
  readonly #renew: () => Promise<void>
  readonly #intents: Batches<Intent, Denial | undefined>
  readonly #withdrawals: Batches<{ open: Intent; state: string }, undefined>
  /** The intents of calls under way, by their keys. */
  readonly #open = new Map<string, Intent & { readonly wasInDoubt: boolean }>()

  constructor(
    query: Query,
    run: JoinedRun,
    ports: { claimOf: (identity: RowIdentity) => ClaimedChunk; now: () => Date; renew: () => Promise<void> },
  ) {
    this.#query = query
    this.#run = run
    this.#claimOf = ports.claimOf
    this.#now = ports.now
    this.#renew = ports.renew
    this.#intents = new Batches(intents => this.#insert(intents), batchesAtOnce)
    this.#withdrawals = new Batches(withdrawn => this.#withdraw(withdrawn))
  }

  /** Resolves once the intent is safe and the call may go out, or with why it may not. */
  async add(call: Call): Promise<Denial | undefined> {
    const claim = this.#claimOf(call.identity)
    if (claim.isLost) return {}
    const { no: chunk, epoch, source } = claim
    const { row, key, replaces } = call.identity
    const { name, seq } = claim.past.of(call.identity)
    const wasRejected = call.before !== undefined || replaces !== undefined
    const intent = {
      name,
      chunk,
      epoch,
      source,
      row,
      seq,
      line: intentLine(this.#run.opening.run, this.#now(), call),
      replaced: wasRejected ? digestOf(`${this.#run.id} ${replacedName(call.identity)}`) : null,
    }
    const denial = await this.#intents.add(intent)
    if (denial === undefined) this.#open.set(key, { ...intent, wasInDoubt: call.before === 'in_doubt' })
    await endOfTurn()
    return denial
  }

  /** Right before the call: whether this worker still holds its chunk, by its own clocks. */
  check({ identity }: Call): Denial | undefined {
    const claim = this.#claimOf(identity)
    return claim.isLost || !claim.lease.isLive ? {} : undefined
  }

  /** Takes back the intent of a call that certainly reached nothing. */
  remove(key: string, state = 'f'): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    // if this is lost, the row is in doubt for nothing
    this.#withdrawals.add({ open, state: open.wasInDoubt ? 'd' : state }).catch(() => {})
  }

  /** The line of a call under way, which has its body. */
  intentOf(key: string): string | undefined {
    return this.#open.get(key)?.line
  }

  /** The outcome of the call is known. */
  forget(key: string): void {
    this.#open.delete(key)
  }

  async drained(): Promise<void> {
    await this.#intents.drained()
    await this.#withdrawals.drained()
  }

  /** An entry that is open and this row's own is that of an earlier attempt, or of a statement whose answer was lost. */
  async #insert(intents: readonly Intent[]): Promise<(Denial | undefined)[]> {
    await this.#withdrawals.drained() // of an earlier attempt of the same call
    await this.#renew()
    const copies = await otherCopies(this.#query, this.#run, intents)
    const asking = intents.filter(intent => !copies.has(intent))
    const firstOfName = new Map([...asking].reverse().map(intent => [intent.name.toString('hex'), intent]))
    const firsts = [...firstOfName.values()]
    const granted = await this.#query<{ name: Buffer }>(
      `WITH held AS (
         SELECT c.no, c.epoch FROM rowlift.chunk c
          WHERE c.run = $2 AND NOT c.is_done AND c.lease > clock_timestamp()
            AND (c.no, c.epoch) IN (SELECT * FROM unnest($4::int[], $5::int[])) ORDER BY c.no FOR SHARE)
       INSERT INTO rowlift.entry AS e (import, name, run, chunk, epoch, source, row, line, intent, state)
       SELECT $1::int, u.name, $2::int, u.chunk, u.epoch, u.source, u.row, u.seq, u.intent, 'o'
         FROM unnest($3::bytea[], $4::int[], $5::int[], $6::int[], $7::int[], $8::bigint[], $9::text[])
                AS u(name, chunk, epoch, source, row, seq, intent)
         JOIN held ON held.no = u.chunk AND held.epoch = u.epoch ORDER BY u.name
       ON CONFLICT (import, name) DO UPDATE SET state = 'o', run = excluded.run, chunk = excluded.chunk,
         epoch = excluded.epoch, source = excluded.source, row = excluded.row, intent = excluded.intent
       WHERE (e.run, e.source, e.row, e.epoch) = (excluded.run, excluded.source, excluded.row, excluded.epoch) AND e.state = 'o'
          OR e.state IN ('f', 'r', 'd') AND e.line IS NOT DISTINCT FROM excluded.line
             AND (e.run IS DISTINCT FROM excluded.run OR e.state = 'f' OR (e.source, e.row) = (excluded.source, excluded.row))
       RETURNING e.name`,
      [
        this.#run.importId,
        this.#run.id,
        ...columnsOf(firsts, ['name', 'chunk', 'epoch', 'source', 'row', 'seq', 'line']),
      ],
    )
    const sendable = new Set(granted.map(({ name }) => firstOfName.get(name.toString('hex'))))
    const denied = asking.filter(intent => !sendable.has(intent))
    const denials = denied.length === 0 ? undefined : await this.#denialsOf(denied)
    return intents.map(intent => copies.get(intent) ?? denials?.get(intent))
  }

  /** Why intents were not inserted: another row of this run has the key, or the chunk or what is known of the key has changed. */
  async #denialsOf(denied: readonly Intent[]): Promise<Map<Intent, Denial>> {
    const owners = await this.#query<{ name: Buffer; source: number; row: number }>(
      `SELECT name, source, row FROM rowlift.entry
        WHERE import = $1 AND run = $2 AND state <> 'f' AND name = ANY($3)`,
      [this.#run.importId, this.#run.id, denied.map(({ name }) => name)],
    )
    const byName = new Map(owners.map(owner => [owner.name.toString('hex'), owner]))
    return new Map(
      denied.map(intent => {
        const owner = byName.get(intent.name.toString('hex'))
        const isOther = owner !== undefined && (owner.source !== intent.source || owner.row !== intent.row)
        const sameAs = isOther && { source: this.#run.sources[owner.source]?.name ?? '', row: owner.row }
        return [intent, sameAs ? { sameAs } : {}]
      }),
    )
  }

  /** Only this very intent: after a takeover the row is in doubt, although nothing was sent, and a later attempt has its own. */
  async #withdraw(withdrawn: readonly { open: Intent; state: string }[]): Promise<undefined[]> {
    await this.#query(
      `UPDATE rowlift.entry e SET state = u.state::"char", intent = NULL
         FROM unnest($3::bytea[], $4::int[], $5::text[], $6::text[]) AS u(name, epoch, line, state)
        WHERE e.import = $1 AND e.run = $2 AND e.name = u.name AND e.epoch = u.epoch AND e.intent = u.line AND e.state = 'o'`,
      [
        this.#run.importId,
        this.#run.id,
        ...columnsOf(
          withdrawn.map(({ open, state }) => ({ ...open, state })),
          ['name', 'epoch', 'line', 'state'],
        ),
      ],
    )
    return withdrawn.map(() => undefined)
  }
}
