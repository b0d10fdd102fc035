import { isContentKey, replacedName } from '../../model/content-key.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RowIdentity, RowPlace } from '../../model/row.ts'
import { Checkpoint } from '../checkpoint.ts'
import type { ResultLine } from '../lines.ts'
import type { Query } from './database.ts'
import { digestOf } from './digest.ts'

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

/** What the ledger knows of a row's key when its worker has asked. */
export interface KnownRow {
  readonly name: Buffer
  /** The last line that the worker has seen; a call goes out only while there is no later one. */
  readonly seq: number | null
  readonly state: EntryState | undefined
  /** Another row of this run that owns the key. */
  readonly sameAs: RowPlace | undefined
}

interface PastOf {
  readonly importId: number
  readonly run: number
  /** The position and the name of the source that all rows are of. */
  readonly source: number
  readonly names: readonly string[]
}

/** What earlier runs, and other workers of this one, made of the rows that were asked for. */
export class LedgerPast {
  readonly #query: Query
  readonly #of: PastOf
  readonly #checkpoint = new Checkpoint()
  readonly #known = new WeakMap<RowIdentity, KnownRow>()
  /** Lines that the checkpoint has. */
  readonly #added = new Set<number>()

  constructor(query: Query, of: PastOf) {
    this.#query = query
    this.#of = of
  }

  /** Asks for rows before they are looked at. */
  async load(identities: readonly RowIdentity[]): Promise<void> {
    const { importId } = this.#of
    const wanted = identities.flatMap(identity => namesOf(identity))
    const rows = await this.#query<EntryRow>(
      `SELECT e.name, e.state, e.run, e.source, e.row, e.line AS seq, l.line
         FROM rowlift.entry e LEFT JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.name = ANY($2) ORDER BY e.line`,
      [importId, wanted],
    )
    const byName = new Map(rows.map(row => [row.name.toString('hex'), row]))
    for (const { seq, line } of rows) this.#add(seq, line)
    for (const identity of identities) {
      const name = digestOf(identity.key)
      this.#known.set(identity, this.#knownRow(name, byName.get(name.toString('hex')), identity))
    }
  }

  #add(seq: number | null, line: string | null): void {
    if (seq === null || line === null || this.#added.has(seq)) return
    this.#added.add(seq)
    this.#checkpoint.add(JSON.parse(line) as ResultLine)
  }

  #knownRow(name: Buffer, entry: EntryRow | undefined, { row }: RowIdentity): KnownRow {
    const { run, source, names } = this.#of
    const isOwned = entry !== undefined && entry.run === run && entry.state !== 'f'
    const isOwn = entry?.source === source && entry.row === row
    const sameAs = isOwned && !isOwn ? { source: names[entry.source] ?? '', row: entry.row } : undefined
    return { name, seq: entry?.seq ?? null, state: entry?.state, sameAs }
  }

  /** Of a row that was asked for. */
  of(identity: RowIdentity): KnownRow {
    const known = this.#known.get(identity)
    if (known === undefined) throw new Error('a row that was not asked for')
    return known
  }

  get(key: string, hash: string) {
    return this.#checkpoint.get(key, hash)
  }

  replacementOf(identity: RowIdentity) {
    return this.#checkpoint.replacementOf(identity)
  }

  takeLoggedDuplicate(key: string, hash: string): boolean {
    return this.#checkpoint.takeLoggedDuplicate(key, hash)
  }

  hasRefusal(outcome: Outcome): boolean {
    return this.#checkpoint.hasRefusal(outcome)
  }
}

/** The key, and the name in rejects files: a row that came back from one has its record by that. */
function namesOf(identity: RowIdentity): Buffer[] {
  const { key } = identity
  const replaced = replacedName(identity)
  return replaced === key || isContentKey(key) ? [digestOf(key)] : [digestOf(key), digestOf(replaced)]
}
