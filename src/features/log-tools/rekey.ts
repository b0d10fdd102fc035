import { isDeepStrictEqual } from 'node:util'
import { type CliContext, lockWait, portsOf, printTo } from '../../cli/context.ts'
import { rowsOfAll } from '../../input/open.ts'
import { settleColumns } from '../../mapping/column-history.ts'
import { identifier, keyText, rowDigests } from '../../mapping/identity.ts'
import type { Evaluate } from '../../mapping/scope.ts'
import { distinctMark, hashesOf } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import { fingerprint, KeyTable } from '../../model/key-table.ts'
import type { Row, RowIdentity } from '../../model/row.ts'
import { folded, nilUuid, present } from '../../model/values.ts'
import { counted, rows as rowsText, visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { mostFirst } from '../../run/first-rows.ts'
import { holdingLog } from '../../run/logs.ts'
import { prepare } from '../../run/prepare.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings } from '../../settings/settings.ts'
import { type Checkpoint, replay } from '../../store/files/checkpoint.ts'
import { addLines } from '../../store/files/journal.ts'
import { identityIn, lineWith, type Opening, orphanLine, type ResultLine } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { joinedLines } from '../../store/files/whole-lines.ts'
import { writeRecords } from './ids.ts'
import { rewrite } from './repair.ts'

interface Rekeying {
  readonly mapping: string
  readonly sources: readonly string[]
  readonly leaveUnfound: boolean
  readonly lockTimeout: number
}

/**
 * Gives the rows of a log the names that a mapping gives them now; returns the exit code. The log is replaced in one step; it stays as it is
 * if a row with a record or in doubt is not found, or has the name of another. Throws a UsageError, SourceError, LockError or LogError.
 */
export const rekeyLog = (path: string, rekeying: Rekeying, context: CliContext): Promise<number> =>
  holdingLog(path, lockWait(rekeying, context), context, async (lock, run) => {
    const { orphans, tailRepair } = await replay(path, {})
    await addLines(path, lock, [orphans.map(doubt => orphanLine(doubt, describeProblem))], tailRepair)
    const checkpoint = await replay(path, {})
    const names = await namesOf(path, rekeying, checkpoint, context)
    const tell = (words: string) => printTo(context.stderr, `${visible(`${path}: ${words}`)}\n`)
    if (areSame(checkpoint.opening, names.opening)) {
      tell(`the rows have the names of ${rekeying.mapping} already`)
      return exitCodes.finished
    }
    const { unfound, clashes } = await faultsIn(path, checkpoint, names)
    const bad = [...(rekeying.leaveUnfound ? [] : unfound), ...clashes]
    if (bad.length > 0) {
      await writeRecords(inOne(bad), context)
      const counts = `${rowsText(unfound.length)} not found, ${rowsText(clashes.length)} with the name of another`
      tell(`nothing changed: ${counts}`)
      return exitCodes.someBad
    }
    const opened = { run, at: context.clock.now().toISOString(), rowlift: context.version }
    const held = unfound.length === 0 ? [] : names.rows.filter(({ isFound }) => !isFound)
    await rewrite(path, run, rekeyedLines(path, checkpoint, { ...names, opened, held }), lock)
    const { settled, inDoubt } = checkpoint
    tell(
      `${counted(settled, 'record')} and ${rowsText(inDoubt)} in doubt have the names of ${rekeying.mapping} now`,
    )
    if (unfound.length > 0)
      tell(`${rowsText(unfound.length)} not found; ${rowsText(held.length)} of the sources held in doubt`)
    return exitCodes.finished
  })

const areSame = (before: Opening | undefined, now: Opening) =>
  (['key_columns', 'columns', 'without'] as const).every(field =>
    isDeepStrictEqual(before?.[field], now[field]),
  )

async function* inOne<T>(items: T[]): AsyncGenerator<T[]> {
  yield items
}

/** A row of the sources: its name by the mapping now, and its hashes as the log has them. */
interface NamedRow {
  readonly identity: RowIdentity
  readonly hashes: readonly string[]
  isFound: boolean
}

type Names = Awaited<ReturnType<typeof namesOf>>

/** Names all rows of the sources as the log does, and as the mapping does now. Some 300 bytes a row. */
async function namesOf(
  log: string,
  { mapping: file, sources: paths }: Rekeying,
  { opening }: Checkpoint,
  context: CliContext,
) {
  if (opening === undefined) throw new UsageError('log_not_begun', { path: log })
  const values = Object.entries({ mapping: file, dryRun: true, results: '-' })
  const settings = parseSettings(
    importOptions,
    new Map(values.map(([name, value]) => [name, { value, from: '--rekey' }])),
  )
  const job = { sources: paths.map(path => pathIn(context, path)), settings }
  const { mapping, sources } = await prepare(
    job,
    { ...portsOf(context), streams: undefined, emit() {} },
    withoutSteps,
  )
  const first: Row[] = []
  for await (const batch of rowsOfAll(sources)) if (first.push(...batch) >= mostFirst) break
  const { key_columns, without = [] } = opening
  const before = settleColumns(opening, sources, first, new Set(without))
  const kept =
    before.history.columns?.map(names => names.filter(name => !mapping.withoutColumns.has(name))) ?? []
  const now = settleColumns(
    { ...opening, columns: kept, columns_read: [] },
    sources,
    first,
    mapping.withoutColumns,
  )
  const isInAll = (column: string) =>
    sources.every(({ columns }) => columns?.includes(columnOf(column)) !== false)
  const isByKey = key_columns.length > 0 && key_columns.every(isInAll)
  const digests = rowDigests(before.columnsOf, { ...before.history, without: new Set(without) })
  const nameBefore = identifier(isByKey ? key_columns.map(readerOf) : [], [], 'full', digests)
  const nameNow = mapping.identifier('full', now)
  const rows: NamedRow[] = []
  const [byKey, byHash] = [new KeyTable(), new KeyTable()]
  const add = (table: KeyTable, name: string, at: number) =>
    table.get(fingerprint(name)) === undefined && table.set(fingerprint(name), at)
  for await (const batch of rowsOfAll(sources))
    for (const row of batch) {
      const old = nameBefore(row)
      const at = rows.push({ identity: nameNow(row), hashes: hashesOf(old), isFound: false }) - 1
      add(byKey, old.key, at)
      if (!isByKey) for (const hash of hashesOf(old)) add(byHash, hash, at)
    }
  const { columns, columns_read, ...fields } = opening
  const { file: name, sha256, keyColumns } = mapping
  return {
    rows,
    /** The last opening, as the mapping makes it now. */
    opening: { ...fields, ...now.history, key_columns: keyColumns, mapping: name, mapping_sha256: sha256 },
    /** The row of a line; undefined if the sources lack it. A key without its columns means nothing. */
    of({ key = '', hash = '' }: ResultLine): NamedRow | undefined {
      const at = key_columns.length === 0 || isByKey ? byKey.get(fingerprint(key)) : undefined
      return rows[at ?? byHash.get(fingerprint(hash)) ?? -1]
    },
  }
}

/** Lookups in other steps give no names. */
const withoutSteps = {
  withLog: async () => undefined,
  lookup: async () => () => ({ type: 'found', value: nilUuid }) as const,
}

const columnOf = (keyColumn: string) => keyColumn.replace(distinctMark, '')

const readerOf =
  (keyColumn: string): Evaluate =>
  ({ row }) => {
    const value = row.value(columnOf(keyColumn))
    return keyColumn === columnOf(keyColumn) || present(value) === undefined
      ? value
      : folded(keyText(present(value)))
  }

/** Finds the rows with a record or in doubt that the sources lack, and those whose new name is that of another; notes those that are there. */
async function faultsIn(path: string, checkpoint: Checkpoint, names: Names) {
  const [unfound, clashes]: [ResultLine[], ResultLine[]] = [[], []]
  const [numbers, owners] = [new KeyTable(), new KeyTable()]
  for await (const lines of readResultLines(path))
    for (const { line } of lines) {
      const state = line.key === undefined ? undefined : checkpoint.get(line.key, '')?.status
      if (line.key === undefined || line.status === 'duplicate') continue
      const row = names.of(line)
      if (row !== undefined) row.isFound = true
      const old = fingerprint(line.key)
      if ((state !== 'settled' && state !== 'in_doubt') || numbers.get(old) !== undefined) continue
      numbers.set(old, numbers.size)
      if (row === undefined) unfound.push(line)
      else if (owners.get(fingerprint(row.identity.key)) !== undefined) clashes.push(line)
      else owners.set(fingerprint(row.identity.key), numbers.size)
    }
  return { unfound, clashes }
}

interface Rekeyed extends Names {
  readonly opened: Pick<Opening, 'run' | 'at' | 'rowlift'>
  readonly held: readonly NamedRow[]
}

/** The lines of the log under the new names. Refusals of rows that the sources lack are left out; their records stay, under a name of no row. */
async function* rekeyedLines(path: string, checkpoint: Checkpoint, { opening, of, opened, held }: Rekeyed) {
  const { key_columns, columns } = opening
  const { key_columns: old = [] } = checkpoint.opening ?? {}
  const renamed = (line: ResultLine): object[] => {
    if (line.rowlift !== undefined) return [{ ...line, key_columns, columns, columns_read: undefined }]
    if (line.key === undefined) return [line]
    const row = of(line)
    const { key, hash } = row?.identity ?? { key: `${JSON.stringify(old)} ${line.key}`, hash: line.hash }
    const isKept =
      row !== undefined || ['settled', 'in_doubt'].includes(`${checkpoint.get(line.key, '')?.status}`)
    const isSame = row?.hashes.includes(`${line.hash}`)
    return isKept ? [{ ...line, key, hash: isSame ? hash : line.hash }] : []
  }
  for await (const lines of readResultLines(path))
    yield joinedLines(lines.flatMap(({ line }) => renamed(line)).map(line => Buffer.from(lineWith(line))))
  const { run, at } = opened
  const command = 'rekey' as const
  const doubts = held.map(({ identity }) => {
    const doubt = {
      run,
      at,
      ...identityIn(identity),
      status: 'in_doubt' as const,
      record_type: opening.record,
      body: {},
    }
    return orphanLine({ ...doubt, errors: [] }, describeProblem)
  })
  const end = { run, at, ended: { rows: 0 }, command }
  yield joinedLines(
    [lineWith({ ...opening, ...opened, command }), ...doubts, lineWith(end)].map(line => Buffer.from(line)),
  )
}
