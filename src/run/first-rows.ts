import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { rowsOfAll } from '../input/open.ts'
import { type SettledColumns, settleColumns } from '../mapping/column-history.ts'
import { isContentKey } from '../model/content-key.ts'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import type { Row, RowIdentity } from '../model/row.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import { checkContents, checkNames, type FirstLook, type NamedRow, withBody } from './first-names.ts'
import type { CheckedRows, PreparedImport } from './prepared-import.ts'

// All that is checked with the first rows of an import, before its first call.

export const mostFirst = 1_000
const mostCharacters = 2_000_000
const pipeWaitMs = 2_000

/** The first rows of an import, and the columns by which all its rows are named. */
export type FirstRows = Awaited<ReturnType<typeof takeFirstRows>>

/** Takes the first rows of the sources, of a pipe those that come within 2 s, and settles the columns that name rows. */
export async function takeFirstRows(
  prepared: PreparedImport,
  before: Opening | undefined,
  onRead?: () => void,
) {
  const { sources, mapping, options, settings, ports } = prepared
  const batches = rowsOfAll(sources, onRead)
  const taken: (readonly Row[])[] = []
  const isPipe = sources.some(({ size }) => size === undefined)
  const isLate = new Promise<undefined>(resolve => {
    if (isPipe) ports.clock.after(pipeWaitMs, () => resolve(undefined), 'background')
  })
  const takeNext = () => {
    const next = batches.next()
    next.catch(() => {}) // it is awaited later
    return next
  }
  let [count, size, next] = [0, 0, takeNext()]
  const isCompared = before !== undefined || options.baseUrl !== undefined // not so a dry run alone
  const most = isCompared || prepared.inspect !== undefined ? mostFirst : 0
  for (; count < most && size < mostCharacters; next = takeNext()) {
    const batch = await Promise.race([next, ...(count === 0 ? [] : [isLate])]).catch(
      () => undefined, // the import fails with it, after the rows before
    )
    if (batch === undefined || batch.done) break
    taken.push(batch.value)
    count += batch.value.length
    size += JSON.stringify(batch.value.map(row => [...row.cells()])).length
  }
  const renamed = Object.fromEntries((settings.renamed ?? []).map(({ column, path }) => [column, path]))
  const history = before && { ...before, renamed: { ...before.renamed, ...renamed } }
  const rows = taken.flat().slice(0, mostFirst)
  const columns = settleColumns(history, sources, isCompared ? rows : [], mapping.withoutColumns)
  async function* all() {
    yield* taken
    for (let batch = await next; !batch.done; batch = await batches.next()) yield batch.value
  }
  return {
    ...{ rows, columns },
    /** All rows, the first ones included. */
    batches: all(),
    async [Symbol.asyncDispose]() {
      const closed = batches.return(undefined).catch(() => {})
      if (!isPipe) await closed // a pipe may wait for its next byte
    },
  }
}

/** Compares the first rows with the log. Throws a UsageError if it would not recognize its rows, and they would be created again. */
export async function checkFirstRows(
  prepared: PreparedImport,
  checkpoint: Checkpoint,
  { rows, columns }: FirstRows,
): Promise<CheckedRows> {
  const { mapping, sources, ports, options, settings } = prepared
  const selected = rows.filter(row => row.fault === undefined && mapping.selects(row))
  const namedBy = (settled: SettledColumns): NamedRow[] => {
    const identify = mapping.identifier('full', settled) // it counts equal rows
    return selected.map(row => ({ row, identity: identify(row) }))
  }
  const named = namedBy(columns)
  const stateOf = ({ key, hash, alike }: RowIdentity) => checkpoint.get(key, hash, alike)
  const unknown = named.filter(
    ({ identity }) => (stateOf(identity) ?? checkpoint.replacementOf(identity)) === undefined,
  )
  const newValues = () => columnsWithNewValues(checkpoint.opening, selected)
  const look: FirstLook = { prepared, checkpoint, columns, named, unknown, newValues }
  if (named.some(({ identity }) => isContentKey(identity.key))) checkColumns(look)
  if (columns.added.length > 0) ports.emit({ type: 'columns_added', columns: columns.added })
  const accepted = columns.lacking.length === 0 ? checkContents(look) : undefined
  const strange = await checkNames(look)
  const areNew = named.length > 0 && strange.length === named.length
  if (areNew && checkpoint.settled > 0 && mapping.keyColumns.length === 0 && !settings.allNew) {
    const params = { log: options.results ?? '', records: checkpoint.settled, mapping: mapping.file }
    throw new UsageError('no_row_known', { ...params, rows: named.length, columns: newValues() })
  }
  const bodies = new Map<Row, string | undefined>()
  return {
    ...{ count: named.length, unknown: strange.length },
    namedBy: history => {
      if (bodies.size === 0)
        for (const each of strange) bodies.set(each.row, withBody(prepared, each).identity.body_hash)
      return namedBy(settleColumns(history, sources, rows, mapping.withoutColumns)).flatMap(
        ({ row, identity }) => (bodies.has(row) ? { ...identity, body_hash: bodies.get(row) } : []),
      )
    },
    opening: {
      ...columns.history,
      first_rows: samplesOf(selected.slice(0, mostSampled)),
      accepted_rows: accepted ?? checkpoint.opening?.accepted_rows,
    },
  }
}

interface LookAtColumns extends Pick<FirstLook, 'prepared' | 'columns'> {
  readonly checkpoint: Pick<Checkpoint, 'opening' | 'settled'>
}

/** Throws a UsageError if rows without a key have other names than in the log: columns of their names are gone, or left out. */
export function checkColumns({ prepared, checkpoint: { opening, settled }, columns }: LookAtColumns): void {
  const { mapping, options, settings, store } = prepared
  const { history, lacking } = columns
  const log = options.results ?? settings.import ?? ''
  const named = { log, mapping: mapping.file, isShared: store !== undefined }
  if (settled > 0 && !isDeepStrictEqual(opening?.without, history.without))
    throw new UsageError('identity_changed', named)
  const [first] = lacking
  if (first === undefined) return
  const suggestion = nearest(first.columns[0] ?? '', first.others)
  throw new UsageError('named_column_gone', { ...named, ...first, suggestion })
}

/** The columns of which no value was in the first rows of the last run; none if all values are new. */
function columnsWithNewValues(before: Opening | undefined, rows: readonly Row[]): string[] {
  const now = samplesOf(rows)
  const then = Object.entries(before?.first_rows ?? {})
  const areNew = then.filter(([column, values]) => !values.some(value => now[column]?.includes(value)))
  return areNew.length === then.length ? [] : areNew.map(([column]) => column)
}

export const mostSampled = 8

/** Hashes of the values in each column, by which a later run says in which columns all values are new. */
export function samplesOf(rows: readonly Row[]): Record<string, string[]> {
  const samples = new Map<string, Set<string>>()
  for (const [column, value] of rows.flatMap(row => [...row.cells()])) {
    const text = hash('sha256', JSON.stringify(value) ?? '').slice(0, 8)
    samples.set(column, (samples.get(column) ?? new Set()).add(text))
  }
  return Object.fromEntries([...samples].map(([column, values]) => [column, [...values]]))
}
