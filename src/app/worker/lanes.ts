import type { Send } from '../../api/send.ts'
import { DeferredRows } from '../../engine/deferred-rows.ts'
import { importRows } from '../../engine/import-loop.ts'
import { KeyRegistry } from '../../engine/key-registry.ts'
import type { ClaimedChunk } from '../../journal/ledger/claim.ts'
import type { Ledger } from '../../journal/ledger/ledger.ts'
import { isLogged } from '../../journal/lines.ts'
import { sleep } from '../../model/clock.ts'
import type { RunEvent } from '../../model/events.ts'
import { isKnown } from '../../model/outcome.ts'
import type { Row, RowIdentity } from '../../model/row.ts'
import { stopReasonOf } from '../../model/stop.ts'
import type { Keys, Past } from '../../model/store.ts'
import { type OutcomeSink, teeSinks } from '../delivery.ts'
import { mayHoldRejects, stepsOf } from '../import-steps.ts'
import type { PreparedImport } from '../prepare.ts'
import type { EqualRows } from './equal-rows.ts'
import { ChunkLinks, Links } from './links.ts'

/** While the last calls of one chunk are answered, and its rows without a parent wait, the next ones are under way. */
const mostLanes = 3
const pollMs = 250

interface LanePorts {
  readonly ledger: Ledger
  readonly send: Send
  readonly sinks: readonly OutcomeSink[]
  readonly equalRows: EqualRows
}

/** Takes one chunk after the other, in some lanes side by side, until the run has ended or this worker stops. */
export class Lanes {
  readonly #prepared: PreparedImport
  readonly #ports: LanePorts
  readonly #steps: ReturnType<typeof stepsOf>
  /** Undefined where rows cannot name each other. */
  readonly #links: Links | undefined
  #isFinished = false
  #turn: Promise<void> = Promise.resolve()

  constructor(prepared: PreparedImport, ports: LanePorts) {
    this.#prepared = prepared
    this.#ports = ports
    this.#steps = stepsOf(prepared, 'full')
    this.#links = prepared.mapping.refs.length === 0 ? undefined : new Links(prepared, ports.ledger)
  }

  /** Resolves with whether the run has ended: all its rows are accounted for. */
  async run(): Promise<boolean> {
    const lanes = this.#prepared.settings.limit === undefined ? mostLanes : 1
    await Promise.all(Array.from({ length: lanes }, () => this.#runLane()))
    return this.#isFinished
  }

  async #runLane(): Promise<void> {
    try {
      while (!this.#isFinished && !this.#isOver) await this.#takeNext()
    } catch (error) {
      this.#steps.stop.request(stopReasonOf(error))
    }
  }

  /** This worker was stopped, or has sent as much as it may. */
  get #isOver(): boolean {
    const { settings, tally } = this.#prepared
    return this.#steps.stop.reason !== undefined || tally.sent >= (settings.limit ?? Infinity)
  }

  /** One lane reads at a time: a chunk is taken when all rows of the one before are taken up, so that others get their share. */
  async #takeNext(): Promise<void> {
    const before = this.#turn
    let passOn = () => {}
    this.#turn = new Promise(resolve => {
      passOn = resolve
    })
    await before
    await this.#claimNext(passOn).finally(passOn)
  }

  async #claimNext(onRead: () => void): Promise<void> {
    if (this.#isFinished || this.#isOver) return
    const claim = await this.#ports.ledger.claim()
    if (claim === 'finished') this.#isFinished = true
    else if (claim === 'wait')
      await sleep(this.#prepared.ports.clock, pollMs, this.#steps.stop.signal).catch(() => {})
    else await this.#work(claim, onRead)
  }

  async #work(claim: ClaimedChunk, onRead: () => void): Promise<void> {
    const { sources, settings, tally } = this.#prepared
    const { ledger, send, sinks, equalRows } = this.#ports
    const rows = new ChunkRows(claim, this.#prepared, equalRows)
    const references = this.#links && new ChunkLinks(this.#links, claim)
    const registry = new KeyRegistry(mayHoldRejects(sources))
    await importRows({
      ...this.#steps,
      mapping: { ...this.#steps.mapping, identify: rows.identityOf },
      delivery: { send },
      record: teeSinks(outcome => ledger.record(outcome), sinks),
      batches: rows.batches(onRead),
      checkpoint: {
        ...pastOf(claim),
        load: async identities => {
          await claim.load(identities)
          await references?.load(rows.batch)
        },
      },
      keys: keysOf(claim, registry),
      references,
      deferred: new DeferredRows(),
      limit: settings.limit,
      sentBefore: tally.sent,
      emit: event => {
        rows.count(event)
        this.#steps.emit(event)
      },
    })
    if (claim.isLost) await claim.release()
    else if (!this.#isOver) await ledger.end(claim, rows.left, rows.unlogged) // otherwise it is freed when the ledger closes
  }
}

/** The rows of a chunk that are not accounted for yet, and what becomes of them. */
class ChunkRows {
  readonly #claim: ClaimedChunk
  readonly #prepared: PreparedImport
  readonly #equalRows: EqualRows
  readonly #identities = new WeakMap<Row, RowIdentity>()
  batch: readonly Row[] = []
  /** Rows that were read, without those that ended. */
  left = 0
  /** Rows that have no line, by what became of them. */
  readonly unlogged: Record<string, number> = {}

  constructor(claim: ClaimedChunk, prepared: PreparedImport, equalRows: EqualRows) {
    this.#claim = claim
    this.#prepared = prepared
    this.#equalRows = equalRows
  }

  readonly identityOf = (row: Row): RowIdentity => {
    const identity = this.#identities.get(row)
    if (identity === undefined) throw new Error('a row of another chunk')
    return identity
  }

  async *batches(onRead: () => void): AsyncGenerator<Row[]> {
    const { place } = this.#claim
    const { mapping, sources } = this.#prepared
    const identify = mapping.identifier('full')
    for await (const batch of sources[place.source]?.readChunk?.(place) ?? []) {
      if (this.#claim.isLost) return
      for (const row of batch) this.#identities.set(row, this.#equalRows.named(identify(row), place.source))
      const rows = batch.filter(({ row }) => !this.#claim.isAccounted(row))
      this.batch = rows
      this.left += rows.length
      if (rows.length > 0) yield rows
    }
    onRead()
  }

  count(event: RunEvent): void {
    if (event.type === 'row_skipped') {
      this.left -= 1
      this.#add('left_out')
    }
    if (event.type !== 'row_settled') return
    const { outcome } = event
    this.left -= 1
    if (isKnown(outcome)) this.#add('known')
    if (isKnown(outcome) || !isLogged(outcome)) this.#add(outcome.status)
    if (outcome.identity.replaces !== undefined) this.#add('returned')
  }

  #add(what: string): void {
    this.unlogged[what] = (this.unlogged[what] ?? 0) + 1
  }
}

const pastOf = (claim: ClaimedChunk): Past => ({
  get: (key, hash) => claim.past.get(key, hash),
  replacementOf: identity => claim.past.replacementOf(identity),
  takeLoggedDuplicate: (key, hash) => claim.past.takeLoggedDuplicate(key, hash),
  hasRefusal: outcome => claim.past.hasRefusal(outcome),
})

/** Rows of this chunk with one key are told apart here, those of others by the ledger. */
const keysOf = (claim: ClaimedChunk, registry: KeyRegistry): Keys => ({
  ownerOf: identity => registry.ownerOf(identity) ?? claim.ownerOf(identity),
  register: row => registry.register(row),
})
