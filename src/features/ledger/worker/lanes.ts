import type { Send } from '../../../api/send.ts'
import { DeferredRows } from '../../../engine/deferred-rows.ts'
import { runImportLoop } from '../../../engine/import-loop.ts'
import { KeyRegistry } from '../../../engine/key-registry.ts'
import { sleep } from '../../../model/clock.ts'
import type { RunEvent } from '../../../model/events.ts'
import type { Row, RowIdentity } from '../../../model/row.ts'
import { stopReasonOf } from '../../../model/stop.ts'
import { mayHoldRejects, stepsOf, teeSinks } from '../../../run/import-steps.ts'
import type { OutcomeSink, PreparedImport } from '../../../run/prepared-import.ts'
import { isLogged } from '../../../store/files/lines.ts'
import type { ChunkReader } from '../chunk-reader.ts'
import type { ChunkEnd, ClaimedChunk } from '../claim.ts'
import type { Ledger } from '../ledger.ts'
import { type ChunkLinks, openLinks } from './links.ts'

/** Chunks under way at once: the next ones, while one waits for its last answers and for the parents of its rows. */
const mostLanes = 3
const pollMs = 250

interface LanePorts {
  readonly ledger: Ledger
  readonly send: Send
  readonly sinks: readonly OutcomeSink[]
  readonly readers: readonly ChunkReader[]
  /** Returns a row as its chunk names it, with its number among equal rows of all sources. */
  readonly named: (identity: RowIdentity, source: number) => RowIdentity
}

/** Takes one chunk after the other, in some lanes side by side, until the run has ended or this worker stops. */
export class Lanes {
  readonly #prepared: PreparedImport
  readonly #ports: LanePorts
  readonly #steps: ReturnType<typeof stepsOf>
  /** Undefined if rows cannot name each other. */
  readonly #linksOf: ReturnType<typeof openLinks> | undefined
  #isFinished = false
  #turn: Promise<void> = Promise.resolve()

  constructor(prepared: PreparedImport, ports: LanePorts) {
    const { mapping } = prepared
    this.#prepared = prepared
    this.#ports = ports
    this.#steps = stepsOf(prepared, mapping.identifier('full'))
    this.#linksOf = mapping.refs.length === 0 ? undefined : openLinks(mapping, ports.ledger.run)
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

  /** Checks whether this worker was stopped, or has sent as much as it may. */
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
    const { mapping, sources, settings, tally } = this.#prepared
    const { ledger, send, sinks, named } = this.#ports
    const references = this.#linksOf?.(claim)
    const counts = new ChunkCounts()
    const identify = mapping.identifier('full')
    const registry = new KeyRegistry(mayHoldRejects(sources))
    await runImportLoop({
      ...this.#steps,
      mapping: {
        ...this.#steps.mapping,
        identify: row => named(identify(row), claim.chunk.source),
      },
      delivery: { send },
      record: teeSinks(outcome => ledger.record(outcome), sinks),
      batches: this.#rowsOf(claim, counts, references, onRead),
      checkpoint: claim,
      keys: {
        // rows of this chunk with one key are told apart here, those of others by the ledger
        ownerOf: identity => registry.ownerOf(identity) ?? ledger.known.of(identity).sameAs,
        register: row => registry.register(row),
      },
      references,
      deferred: new DeferredRows(),
      limit: settings.limit,
      sentBefore: tally.sent,
      emit: event => {
        counts.take(event)
        this.#steps.emit(event)
      },
    })
    if (claim.isLost) await ledger.free(claim)
    else if (!this.#isOver) await ledger.free(claim, counts) // otherwise it is freed when the ledger closes
  }

  /** Reads the rows of a chunk that are not accounted for yet; `onRead` is called when all of them are taken up. */
  async *#rowsOf(
    claim: ClaimedChunk,
    counts: ChunkCounts,
    references: ChunkLinks | undefined,
    onRead: () => void,
  ): AsyncGenerator<Row[]> {
    const { chunk, accounted } = claim
    for await (const batch of this.#ports.readers[chunk.source]?.read(chunk) ?? []) {
      if (claim.isLost) return
      const rows = batch.filter(({ row }) => !accounted.has(row))
      counts.left += rows.length
      await references?.load(rows)
      if (rows.length > 0) yield rows
    }
    onRead()
  }
}

/** The rows of a chunk that are not accounted for yet. */
class ChunkCounts implements ChunkEnd {
  /** The number of rows that were read and have not ended yet. */
  left = 0
  readonly unlogged: Record<string, number> = {}

  take(event: RunEvent): void {
    if (event.type === 'row_skipped') this.#note('left_out')
    if (event.type !== 'row_settled') return
    const { outcome } = event
    const known = outcome.known ? ['known'] : []
    const status = outcome.known || !isLogged(outcome) ? [outcome.status] : []
    this.#note(...known, ...status, ...(outcome.identity.replaces === undefined ? [] : ['returned']))
  }

  /** A row has ended, and counts under these words. */
  #note(...words: readonly string[]): void {
    this.left -= 1
    for (const word of words) this.unlogged[word] = (this.unlogged[word] ?? 0) + 1
  }
}
