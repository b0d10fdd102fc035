import type { Send } from '../../../api/send.ts'
import { DeferredRows } from '../../../engine/deferred-rows.ts'
import { runImportLoop } from '../../../engine/import-loop.ts'
import { KeyRegistry } from '../../../engine/key-registry.ts'
import type { SettledColumns } from '../../../mapping/column-history.ts'
import { sleep } from '../../../model/clock.ts'
import type { RunEvent } from '../../../model/events.ts'
import type { Outcome } from '../../../model/outcome.ts'
import type { Row, RowIdentity } from '../../../model/row.ts'
import { stopReasonOf } from '../../../model/stop.ts'
import { mayHoldRejects, stepsOf, teeSinks } from '../../../run/import-steps.ts'
import type { OutcomeSink, PreparedImport } from '../../../run/prepared-import.ts'
import { isLogged } from '../../../store/files/lines.ts'
import type { ChunkReader } from '../chunk-reader.ts'
import type { ChunkEnd, ClaimedChunk } from '../claim.ts'
import type { Ledger } from '../ledger.ts'
import { openLinks } from './links.ts'

/** Chunks under way at once: the next ones, while one waits for its last answers and for the parents of its rows. */
const mostLanes = 3
const pollMs = 250

interface LanePorts {
  readonly ledger: Ledger
  readonly send: Send
  readonly sinks: readonly OutcomeSink[]
  readonly readers: readonly ChunkReader[]
  /** The columns that name rows without a key. */
  readonly columns: SettledColumns
  /** Returns a row as its chunk names it, with its number among equal rows of all sources. */
  readonly named: (identity: RowIdentity, source: number) => RowIdentity
}

/**
 * Takes one chunk after the other, in some lanes side by side, until the run has ended or this worker stops. Resolves with whether the
 * run has ended: all its rows are accounted for.
 */
export async function runLanes(
  prepared: PreparedImport,
  { ledger, send, sinks, readers, columns, named }: LanePorts,
): Promise<boolean> {
  const { mapping, sources, settings, tally } = prepared
  const steps = stepsOf(prepared, mapping.identifier('full', columns))
  const linksOf = mapping.refs.length === 0 ? undefined : openLinks(mapping, ledger.run)
  let isFinished = false
  let turn = Promise.resolve()

  /** Checks whether this worker was stopped, or has sent as much as it may. */
  const isOver = () => steps.stop.reason !== undefined || tally.sent >= (settings.limit ?? Infinity)

  async function runLane(): Promise<void> {
    try {
      while (!isFinished && !isOver()) await takeNext()
    } catch (error) {
      steps.stop.request(stopReasonOf(error))
    }
  }

  /** One lane reads at a time: a chunk is taken when all rows of the one before are taken up, so that others get their share. */
  async function takeNext(): Promise<void> {
    const before = turn
    let passOn = () => {}
    turn = new Promise(resolve => {
      passOn = resolve
    })
    await before
    try {
      if (isFinished || isOver()) return
      const claim = await ledger.claim()
      if (claim === 'finished') isFinished = true
      else if (claim === 'wait') await sleep(prepared.ports.clock, pollMs, steps.stop.signal).catch(() => {})
      else await work(claim, passOn)
    } finally {
      passOn()
    }
  }

  /** Takes the rows of a chunk; `onRead` is called when all of them are taken up. */
  async function work(claim: ClaimedChunk, onRead: () => void): Promise<void> {
    const references = linksOf?.(claim.chunk)
    const counts: ChunkEnd = { left: 0, unlogged: {} }
    const identify = mapping.identifier('full', columns)
    const registry = new KeyRegistry(mayHoldRejects(sources))

    /** Reads the rows that are not accounted for yet. */
    async function* rowsLeft(): AsyncGenerator<Row[]> {
      for await (const batch of readers[claim.chunk.source]?.read(claim.chunk) ?? []) {
        if (claim.isLost) return
        const rows = batch.filter(({ row }) => !claim.accounted.has(row))
        counts.left += rows.length
        await references?.load(rows)
        if (rows.length > 0) yield rows
      }
      onRead()
    }

    await runImportLoop({
      ...steps,
      mapping: { ...steps.mapping, identify: row => named(identify(row), claim.chunk.source) },
      delivery: { send },
      record: teeSinks(outcome => ledger.record(outcome), sinks),
      batches: rowsLeft(),
      checkpoint: claim,
      keys: {
        // rows of this chunk with one key are told apart here, those of others by the ledger
        ownerOf: identity => registry.ownerOf(identity) ?? ledger.known.of(identity).sameAs,
        register: row => registry.register(row),
      },
      references,
      deferred: new DeferredRows(),
      sentBefore: tally.sent,
      emit: event => {
        countEnd(counts, event)
        steps.emit(event)
      },
    })
    if (claim.isLost) await ledger.free(claim)
    else if (!isOver()) await ledger.free(claim, counts) // otherwise it is freed when the ledger closes
  }

  const lanes = settings.limit === undefined ? mostLanes : 1
  await Promise.all(Array.from({ length: lanes }, runLane))
  return isFinished
}

/** Counts a row that has ended: it is not left, and may have no line. */
function countEnd(counts: ChunkEnd, event: RunEvent): void {
  if (event.type !== 'row_skipped' && event.type !== 'row_settled') return
  counts.left -= 1
  const words = event.type === 'row_skipped' ? ['left_out'] : wordsOf(event.outcome)
  for (const word of words) counts.unlogged[word] = (counts.unlogged[word] ?? 0) + 1
}

const wordsOf = (outcome: Outcome): string[] => [
  ...(outcome.known ? ['known'] : []),
  ...(outcome.known || !isLogged(outcome) ? [outcome.status] : []),
  ...(outcome.identity.replaces === undefined ? [] : ['returned']),
]
