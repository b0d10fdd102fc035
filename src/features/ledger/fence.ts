import { setImmediate as endOfTurn } from 'node:timers/promises'
import { replacedName } from '../../model/content-key.ts'
import type { Call, RowIdentity } from '../../model/row.ts'
import type { Denial, Intents } from '../../model/store.ts'
import { intentLine } from '../../store/files/lines.ts'
import type { ClaimedChunk } from './claim.ts'
import { Batches, columnsOf, digestOf, type Query } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

interface Intent {
  readonly name: Buffer
  readonly chunk: number
  readonly epoch: number
  readonly source: number
  readonly row: number
  readonly seq: number | null
  readonly line: string
  /** The name that the row was rejected by; null if it never was. */
  readonly replaced: Buffer | null
  readonly wasInDoubt: boolean
}

/** The intent is taken back, and its entry is in this state then. */
type Withdrawal = Intent & { readonly state: string }

interface FencePorts {
  readonly claimOf: (identity: RowIdentity) => ClaimedChunk
  readonly now: () => Date
  /** Renews the leases that end soon by this worker's clocks. */
  readonly renew: () => Promise<void>
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
  readonly #ports: FencePorts
  readonly #intents: Batches<Intent, Denial | undefined>
  readonly #withdrawals: Batches<Withdrawal, undefined>
  /** The intents of calls under way, by their keys. */
  readonly #open = new Map<string, Intent>()

  constructor(query: Query, run: JoinedRun, ports: FencePorts) {
    this.#query = query
    this.#run = run
    this.#ports = ports
    this.#intents = new Batches(intents => this.#insert(intents), batchesAtOnce)
    this.#withdrawals = new Batches(withdrawn => this.#withdraw(withdrawn))
  }

  /** Resolves once the intent is safe and the call may go out, or with why it may not. */
  async add(call: Call): Promise<Denial | undefined> {
    const claim = this.#ports.claimOf(call.identity)
    if (claim.isLost) return {}
    const { no: chunk, epoch, source } = claim.chunk
    const { row, key, replaces } = call.identity
    const { name, seq } = claim.past.knownOf(call.identity)
    const wasRejected = call.before !== undefined || replaces !== undefined
    const intent = {
      ...{ name, chunk, epoch, source, row, seq },
      line: intentLine(this.#run.opening.run, this.#ports.now(), call),
      replaced: wasRejected ? digestOf(`${this.#run.id} ${replacedName(call.identity)}`) : null,
      wasInDoubt: call.before === 'in_doubt',
    }
    const denial = await this.#intents.add(intent)
    if (denial === undefined) this.#open.set(key, intent)
    await endOfTurn()
    return denial
  }

  /** Right before the call: whether this worker still holds its chunk, by its own clocks. */
  check({ identity }: Call): Denial | undefined {
    const claim = this.#ports.claimOf(identity)
    return claim.isLost || !claim.lease.isLive ? {} : undefined
  }

  /** Takes back the intent of a call that certainly reached nothing. */
  remove(key: string, state = 'f'): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    // if this is lost, the row is in doubt for nothing
    this.#withdrawals.add({ ...open, state: open.wasInDoubt ? 'd' : state }).catch(() => {})
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
    await this.#ports.renew()
    const { importId, id } = this.#run
    const denials = await this.#denialsOfCopies(intents)
    const asking = intents.filter(intent => !denials.has(intent))
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
      [importId, id, ...columnsOf(firsts, ['name', 'chunk', 'epoch', 'source', 'row', 'seq', 'line'])],
    )
    const sendable = new Set(granted.map(({ name }) => firstOfName.get(name.toString('hex'))))
    const denied = asking.filter(intent => !sendable.has(intent))
    for (const [intent, denial] of await this.#denialsOf(denied)) denials.set(intent, denial)
    return intents.map(intent => denials.get(intent))
  }

  /** Why intents were not inserted: another row of this run has the key, or the chunk or what is known of the key has changed. */
  async #denialsOf(denied: readonly Intent[]): Promise<[Intent, Denial][]> {
    if (denied.length === 0) return []
    const owners = await this.#query<RowOf & { name: Buffer }>(
      `SELECT name, source, row FROM rowlift.entry
        WHERE import = $1 AND run = $2 AND state <> 'f' AND name = ANY($3)`,
      [this.#run.importId, this.#run.id, denied.map(({ name }) => name)],
    )
    const byName = new Map(owners.map(owner => [owner.name.toString('hex'), owner]))
    return denied.map(intent => [
      intent,
      this.#denialBy(byName.get(intent.name.toString('hex')), intent) ?? {},
    ])
  }

  /**
   * A rejected row and its repaired copy may have different keys, and only the first of them that asks is sent in a run. Owners stand
   * among those of records, under a name that is of this run alone.
   */
  async #denialsOfCopies(intents: readonly Intent[]): Promise<Map<Intent, Denial>> {
    const copies = intents.filter(({ replaced }) => replaced !== null)
    if (copies.length === 0) return new Map()
    const owners = await this.#query<RowOf & { id: Buffer }>(
      `INSERT INTO rowlift.record AS r (import, id, name, source, row, run)
       SELECT DISTINCT ON (u.id) $1::int, u.id, u.name, u.source, u.row, $2::int
         FROM unnest($3::bytea[], $4::bytea[], $5::int[], $6::int[]) AS u(id, name, source, row) ORDER BY u.id
       ON CONFLICT (import, id) DO UPDATE SET name = r.name RETURNING r.id, r.source, r.row`,
      [this.#run.importId, this.#run.id, ...columnsOf(copies, ['replaced', 'name', 'source', 'row'])],
    )
    return new Map(
      copies.flatMap(copy => {
        const denial = this.#denialBy(
          owners.find(({ id }) => copy.replaced?.equals(id)),
          copy,
        )
        return denial ? [[copy, denial] as const] : []
      }),
    )
  }

  /** Denies an intent if its owner is another row. */
  #denialBy(owner: RowOf | undefined, { source, row }: Intent): Denial | undefined {
    const isOther = owner !== undefined && (owner.source !== source || owner.row !== row)
    return isOther ? { sameAs: placeIn(this.#run, owner) } : undefined
  }

  /** Takes back these very intents only: after a takeover the row is in doubt, although nothing was sent, and a later attempt has its own. */
  async #withdraw(withdrawn: readonly Withdrawal[]): Promise<undefined[]> {
    await this.#query(
      `UPDATE rowlift.entry e SET state = u.state::"char", intent = NULL
         FROM unnest($3::bytea[], $4::int[], $5::text[], $6::text[]) AS u(name, epoch, line, state)
        WHERE e.import = $1 AND e.run = $2 AND e.name = u.name AND e.epoch = u.epoch AND e.intent = u.line AND e.state = 'o'`,
      [this.#run.importId, this.#run.id, ...columnsOf(withdrawn, ['name', 'epoch', 'line', 'state'])],
    )
    return withdrawn.map(() => undefined)
  }
}

/** A row whose source goes by its position. */
type RowOf = Readonly<Record<'source' | 'row', number>>
