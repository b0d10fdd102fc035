import type { Clock } from '../../model/clock.ts'
import { isContentKey, replacedName } from '../../model/content-key.ts'
import type { Chunk, RowIdentity, RowPlace } from '../../model/row.ts'
import { Checkpoint } from '../../store/files/checkpoint.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import type { Entry } from './entries.ts'
import { digestOf } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

/** A chunk under the epoch of a worker. */
export interface ChunkRow extends Chunk {
  readonly no: number
  readonly epoch: number
  readonly wave: number
  /** Rows that still wait for another one have no hope. */
  readonly isLastWave: boolean
}

/** What the ledger knew of a row when its worker asked. */
export interface KnownRow {
  /** The chunk in which it was read. */
  readonly claim: ClaimedChunk
  /** The digest of its key. */
  readonly name: string
  /** The last line that the worker has seen; a call goes out only while there is no later one. */
  readonly seq: number | null
  /** Another row of this run that owns the key. */
  readonly sameAs: RowPlace | undefined
}

/** The rows of all chunks of a worker that were asked about. */
export class KnownRows extends WeakMap<RowIdentity, KnownRow> {
  of(identity: RowIdentity): KnownRow {
    const known = this.get(identity)
    if (known === undefined) throw new Error('a row that the ledger was not asked about')
    return known
  }
}

/**
 * A chunk that this worker holds until its lease ends, and the checkpoint of its rows: what earlier runs, and other workers of this
 * one, made of them.
 */
export class ClaimedChunk extends Checkpoint {
  readonly chunk: ChunkRow
  readonly lease: Lease
  /** Rows that have their line, and are not looked at again. */
  readonly accounted = new Set<number>()
  /** Another worker has taken the chunk. */
  isLost = false
  readonly #run: JoinedRun
  readonly #known: KnownRows
  readonly #addedLines = new Set<number>()

  constructor(run: JoinedRun, chunk: ChunkRow, lease: Lease, known: KnownRows) {
    super()
    this.chunk = chunk
    this.lease = lease
    this.#run = run
    this.#known = known
  }

  /** Asks about rows before they are looked at. */
  async load(identities: readonly RowIdentity[]): Promise<void> {
    const { database, importId } = this.#run
    const entries = await database.query<Entry>(
      `SELECT e.name, e.state, e.run, e.source, e.row, e.line AS seq, l.line
         FROM rowlift.entry e LEFT JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.name = ANY($2) ORDER BY e.line`,
      [importId, identities.flatMap(namesOf)],
    )
    for (const { seq, line } of entries)
      if (seq !== null && line !== null && !this.#addedLines.has(seq)) {
        this.#addedLines.add(seq)
        this.add(JSON.parse(line) as ResultLine)
      }
    const byName = new Map(entries.map(entry => [entry.name, entry]))
    for (const identity of identities) {
      const name = digestOf(identity.key)
      const entry = byName.get(name)
      const sameAs = this.#otherOwner(entry, identity)
      this.#known.set(identity, { claim: this, name, seq: entry?.seq ?? null, sameAs })
    }
  }

  #otherOwner(entry: Entry | undefined, { row }: RowIdentity): RowPlace | undefined {
    if (entry === undefined || entry.run !== this.#run.id || entry.state === 'f') return undefined
    const isOwn = entry.source === this.chunk.source && entry.row === row
    return isOwn ? undefined : placeIn(this.#run, entry)
  }
}

/** Returns the key, and the name in rejects files: a row that came back from one has its record by that. */
function namesOf(identity: RowIdentity): string[] {
  const { key } = identity
  const replaced = replacedName(identity)
  return replaced === key || isContentKey(key) ? [digestOf(key)] : [digestOf(key), digestOf(replaced)]
}

/** A worker stops using a lease this share of its time before it ends. */
const marginShare = 0.2

export type Lease = ReturnType<typeof leaseFromNow>

/**
 * The lease of a chunk as the worker's own clocks see it, counted from before the database is asked. One clock may stand still while
 * the machine sleeps, the other may be set.
 */
export function leaseFromNow({ clock, leaseS }: { readonly clock: Clock; readonly leaseS: number }) {
  const usableMs = leaseS * 1000 * (1 - marginShare)
  let since = instantOf(clock)
  return {
    /** Whether a call may start now. */
    isLive(): boolean {
      const { elapsedMs, wallMs } = instantOf(clock)
      return Math.max(elapsedMs - since.elapsedMs, wallMs - since.wallMs) < usableMs
    },
    renewed(instant: ReturnType<typeof instantOf>): void {
      since = instant
    },
  }
}

/** Returns the time on both clocks of this machine. */
export const instantOf = (clock: Clock) => ({ elapsedMs: clock.elapsedMs(), wallMs: clock.now().getTime() })
