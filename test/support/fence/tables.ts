import { digestOf } from '../../../src/features/ledger/query.ts'
import type { TestDatabase } from '../postgres.ts'
import { type Key, nth, type State } from './state.ts'
import type { Scene } from './statements.ts'

/** Longer than the lease of a worker by its own clocks, and less than half a lease too short for two. */
export const tickS = 25

/** What the tables have of an import, as far as the model has it too. */
export interface Tables {
  readonly chunks: readonly {
    readonly epoch: number
    readonly isDone: boolean
    readonly left: number | null
  }[]
  readonly entries: readonly Entry[]
  /** Rows of the last run that are duplicates. */
  readonly duplicates: readonly number[]
  /** Rows of the last run that have two lines of one record. */
  readonly twice: readonly number[]
}

interface Entry {
  readonly name: string
  readonly state: string
  readonly run: number
  readonly row: number
  readonly epoch: number
  readonly line: number | null
  readonly status: string | null
  readonly heldS: number | null
}

export async function readTables(
  { query }: TestDatabase,
  { importId, run }: { readonly importId: number; readonly run: number },
): Promise<Tables> {
  const [{ tables }] = await query(
    `SELECT json_build_object(
       'chunks', (SELECT coalesce(json_agg(json_build_object('epoch', epoch, 'isDone', is_done,
           'left', ceil(extract(epoch FROM lease - hands.clock_timestamp()) / ${tickS})) ORDER BY no), '[]')
         FROM rowlift.chunk WHERE run = $2),
       'entries', (SELECT coalesce(json_agg(json_build_object('name', '\\x' || encode(e.name, 'hex'), 'state', e.state,
           'run', e.run, 'row', e.row, 'epoch', e.epoch, 'line', e.line, 'status', l.status,
           'heldS', extract(epoch FROM e.held_until - hands.clock_timestamp()))), '[]')
         FROM rowlift.entry e LEFT JOIN rowlift.line l ON l.seq = e.line WHERE e.import = $1),
       'duplicates', (SELECT coalesce(json_agg(DISTINCT row), '[]') FROM rowlift.line
         WHERE run = $2 AND status = 'duplicate'),
       'twice', (SELECT coalesce(json_agg(row), '[]') FROM (SELECT row FROM rowlift.line
         WHERE run = $2 AND status = 'created' GROUP BY row HAVING count(*) > 1) AS twice)) AS tables`,
    [importId, run],
  )
  return tables
}

export const keyText = (key: number): string => `k${key}`

export const entryOf = (tables: Tables, key: number): Entry | undefined => {
  const name = digestOf(keyText(key))
  return tables.entries.find(entry => entry.name === name)
}

const statuses = { none: null, refused: 'failed', 'in doubt': 'in_doubt', created: 'created' }

/** In what the tables are not as the model has them; `runs` are the numbers of its runs in the ledger. */
export function differences(
  tables: Tables,
  state: State,
  { scene, runs }: { readonly scene: Scene; readonly runs: readonly number[] },
): string[] {
  return [
    ...state.chunks.flatMap((chunk, no) => {
      const real = nth(tables.chunks, no)
      const isSame = chunk.isDone
        ? real.isDone
        : !real.isDone && real.epoch === chunk.epoch && Math.max(0, real.left ?? 0) === chunk.leaseLeft
      return isSame ? [] : [differ(`chunk ${no}`, chunk, real)]
    }),
    ...state.keys.flatMap((key, at) => {
      const real = entryOf(tables, at)
      return isSameKey(key, real, runs) ? [] : [differ(`key ${at}`, key, real)]
    }),
    ...scene.rows.flatMap((_, row) => {
      const account = nth(state.accounts, row)
      const isDuplicate = tables.duplicates.includes(row + 1)
      return isDuplicate === (account === 'duplicate') ? [] : [differ(`row ${row}`, account, isDuplicate)]
    }),
    ...tables.twice.map(row => `row ${row - 1} has two lines of one record`),
  ]
}

const differ = (what: string, model: unknown, real: unknown) =>
  `${what}: the model has ${JSON.stringify(model)}, the tables have ${JSON.stringify(real)}`

function isSameKey(key: Key, real: Entry | undefined, runs: readonly number[]): boolean {
  const { line, isOpen } = key
  const isDoubt = line === 'in doubt' && !isOpen
  const isAsked = isOpen || isDoubt
  return (
    (real?.status ?? null) === statuses[line] &&
    (real?.state === 'o') === isOpen &&
    (real?.state === 'd') === isDoubt &&
    (real?.state === 's') === key.isKnown &&
    (!isAsked || isSameSender(key, real, runs)) &&
    // the tables may hold a doubt for longer: they do not know how old its call is
    (!isDoubt || key.heldLeft === 0 || (real?.heldS ?? 0) > 0)
  )
}

const isSameSender = ({ run, row, epoch }: Key, real: Entry | undefined, runs: readonly number[]): boolean =>
  real?.run === runs[run - 1] && real?.row === row + 1 && real?.epoch === epoch
