import { isContentKey, replacedName } from '../../model/content-key.ts'
import type { RowIdentity, RowPlace } from '../../model/row.ts'
import { Checkpoint } from '../../store/files/checkpoint.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import { digestOf, type Query } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

/** A row of the table `entry`, with its last line. */
interface EntryRow {
  readonly name: Buffer
  readonly state: EntryState
  readonly run: number | null
  readonly source: number
  readonly row: number
  readonly seq: number | null
  readonly line: string | null
}

export type EntryState = 'f' | 'o' | 'd' | 'r' | 's'

/** The state of a row's key when its worker asked. */
interface KnownRow {
  readonly name: Buffer
  /** The last line that the worker has seen; a call goes out only while there is no later one. */
  readonly seq: number | null
  /** Another row of this run that owns the key. */
  readonly sameAs: RowPlace | undefined
}

/** A checkpoint of the rows that were asked for: what earlier runs, and other workers of this one, made of them. */
export class LedgerPast extends Checkpoint {
  readonly #query: Query
  readonly #run: JoinedRun
  readonly #source: number
  readonly #known = new WeakMap<RowIdentity, KnownRow>()
  /** Lines that the checkpoint has. */
  readonly #added = new Set<number>()

  /** All rows are of one source, which goes by its position. */
  constructor(query: Query, run: JoinedRun, source: number) {
    super()
    this.#query = query
    this.#run = run
    this.#source = source
  }

  /** Asks for rows before they are looked at. */
  async load(identities: readonly RowIdentity[]): Promise<void> {
    const rows = await this.#query<EntryRow>(
      `SELECT e.name, e.state, e.run, e.source, e.row, e.line AS seq, l.line
         FROM rowlift.entry e LEFT JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.name = ANY($2) ORDER BY e.line`,
      [this.#run.importId, identities.flatMap(namesOf)],
    )
    const byName = new Map(rows.map(row => [row.name.toString('hex'), row]))
    for (const { seq, line } of rows) this.#addLine(seq, line)
    for (const identity of identities) {
      const name = digestOf(identity.key)
      this.#known.set(identity, this.#knownRow(name, byName.get(name.toString('hex')), identity))
    }
  }

  #addLine(seq: number | null, line: string | null): void {
    if (seq === null || line === null || this.#added.has(seq)) return
    this.#added.add(seq)
    this.add(JSON.parse(line) as ResultLine)
  }

  #knownRow(name: Buffer, entry: EntryRow | undefined, { row }: RowIdentity): KnownRow {
    const isOwned = entry !== undefined && entry.run === this.#run.id && entry.state !== 'f'
    const isOwn = entry?.source === this.#source && entry.row === row
    return {
      ...{ name, seq: entry?.seq ?? null },
      sameAs: isOwned && !isOwn ? placeIn(this.#run, entry) : undefined,
    }
  }

  /** Returns what is known of a row that was asked for. */
  knownOf(identity: RowIdentity): KnownRow {
    const known = this.#known.get(identity)
    if (known === undefined) throw new Error('a row that was not asked for')
    return known
  }
}

/** Returns the key, and the name in rejects files: a row that came back from one has its record by that. */
function namesOf(identity: RowIdentity): Buffer[] {
  const { key } = identity
  const replaced = replacedName(identity)
  return replaced === key || isContentKey(key) ? [digestOf(key)] : [digestOf(key), digestOf(replaced)]
}
