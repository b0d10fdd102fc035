import { isDeepStrictEqual } from 'node:util'
import { type CliContext, lockWait, portsOf } from '../../cli/context.ts'
import { settleColumns } from '../../mapping/column-history.ts'
import { identifier, keyText, rowDigests } from '../../mapping/identity.ts'
import type { Evaluate } from '../../mapping/scope.ts'
import { distinctMark, hashesOf } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { problem } from '../../model/problem.ts'
import type { RowIdentity } from '../../model/row.ts'
import { folded, nilUuid, present } from '../../model/values.ts'
import { counted, rows as rowsText } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { takeFirstRows } from '../../run/first-rows.ts'
import { holdingLog } from '../../run/logs.ts'
import { type Checkpoint, replay } from '../../store/files/checkpoint.ts'
import { removeIntentLog } from '../../store/files/intent-log.ts'
import { type Opening, orphanDoubt, orphanLine, type ResultLine } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { intentLogPath } from '../../store/files/whole-lines.ts'
import { prepareAgain } from '../reconcile/import-again.ts'
import { tellOf } from './command-run.ts'
import { writeRecords } from './ids.ts'
import type { LogOptions } from './options.ts'
import { rewrite } from './repair.ts'
import { sealing } from './sealing.ts'

/**
 * Gives the rows of a log the names that a mapping gives them now; returns the exit code. The log is replaced in one step; it stays as it is
 * if a row with a record or in doubt is not found, or has the name of another. Throws a UsageError, SourceError, LockError or LogError.
 */
export const rekeyLog = (
  path: string,
  options: LogOptions,
  context: CliContext,
  sources: readonly string[],
): Promise<number> =>
  holdingLog(path, lockWait(options, context), context, async (lock, run) => {
    const { rekey: mapping = '', leaveUnfound } = options
    const tell = tellOf(path, context)
    const checkpoint = await replay(path, {})
    const { opening: before, settled, inDoubt } = checkpoint
    if (before === undefined) throw new UsageError('log_not_begun', { path })
    const names = await namesOf(before, sources, mapping, context)
    const naming = ['key_columns', 'columns', 'without'] as const
    if (naming.every(field => isDeepStrictEqual(before[field], names.opening[field]))) {
      tell(`the rows have the names of ${mapping} already`)
      return exitCodes.finished
    }
    const { unfound, clashes } = await faultsIn(path, checkpoint, names)
    const bad = leaveUnfound ? clashes : [...unfound, ...clashes]
    if (bad.length > 0) {
      await writeRecords([bad], context)
      const counts = `${rowsText(unfound.length)} not found, ${rowsText(clashes.length)} with the name of another`
      tell(`nothing changed: ${counts}`)
      return exitCodes.someBad
    }
    const held = unfound.length === 0 ? [] : names.rows.filter(({ isFound }) => !isFound)
    const own = { run, at: context.clock.now().toISOString() }
    const command = 'rekey'
    const texts = async function* () {
      const seal = sealing()
      const renamed = (line: ResultLine) => renamedLine(line, checkpoint, names).map(seal).join('')
      for await (const lines of readResultLines(path)) yield lines.map(({ line }) => renamed(line)).join('')
      yield seal({ ...names.opening, ...own, rowlift: context.version, command })
      const doubts = held.map(({ identity }) => orphanDoubt({ ...own, ...identity, body: {} }, before.record))
      const errors = [{ code: 'not_rekeyed', message: describeProblem(problem('not_rekeyed')) }]
      for (const doubt of checkpoint.orphans)
        yield renamed(JSON.parse(orphanLine(doubt, describeProblem, run)) as ResultLine)
      for (const doubt of doubts) yield seal({ ...doubt, errors })
      yield seal({ ...own, ended: { rows: 0 }, command, lines: 0 })
    }
    await rewrite(path, run, texts(), lock)
    await removeIntentLog(intentLogPath(path), lock)
    tell(`${counted(settled, 'record')} and ${rowsText(inDoubt)} in doubt have the names of ${mapping} now`)
    if (unfound.length > 0)
      tell(`${rowsText(unfound.length)} not found; ${rowsText(held.length)} of the sources held in doubt`)
    return exitCodes.finished
  })

/** A row of the sources: its name by the mapping now, and its hashes as the log has them. */
interface NamedRow {
  readonly identity: RowIdentity
  readonly hashes: readonly string[]
  isFound: boolean
}

type Names = Awaited<ReturnType<typeof namesOf>>

/** Names all rows of the sources as the log does, and as the mapping does now. Some 300 bytes a row. */
async function namesOf(opening: Opening, paths: readonly string[], file: string, context: CliContext) {
  const ports = { ...portsOf(context), emit() {} }
  const prepared = await prepareAgain({ sources: paths, mapping: file, results: '-' }, ports, withoutSteps)
  await using first = await takeFirstRows(prepared, opening)
  const { mapping, sources } = prepared
  const { withoutColumns } = mapping
  const { key_columns, without: withoutBefore = [] } = opening
  const without = new Set(withoutBefore)
  const before = settleColumns(opening, sources, first.rows, without)
  const columns = before.history.columns?.map(names => names.filter(name => !withoutColumns.has(name))) ?? []
  const now = settleColumns({ ...opening, columns, columns_read: [] }, sources, first.rows, withoutColumns)
  const isByKey =
    key_columns.length > 0 &&
    key_columns.every(key => sources.every(source => source.columns?.includes(columnOf(key)) ?? true))
  const nameBefore = identifier(isByKey ? key_columns.map(readerOf) : [], [], 'full', rowDigests(before))
  const nameNow = mapping.identifier('full', now)
  const rows: NamedRow[] = []
  const [byKey, byHash] = [new KeyTable(), new KeyTable()]
  const add = (table: KeyTable, name: string, at: number) =>
    table.get(fingerprint(name)) === undefined && table.set(fingerprint(name), at)
  for await (const batch of first.batches)
    for (const row of batch) {
      const old = nameBefore(row)
      const at = rows.push({ identity: nameNow(row), hashes: hashesOf(old), isFound: false }) - 1
      add(byKey, old.key, at)
      if (!isByKey) for (const hash of hashesOf(old)) add(byHash, hash, at)
    }
  const { file: name, sha256, keyColumns } = mapping
  const named = { key_columns: keyColumns, mapping: name, mapping_sha256: sha256 }
  return {
    rows,
    /** The last opening, as the mapping makes it now. */
    opening: { ...opening, columns_read: undefined, without: undefined, ...now.history, ...named },
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
    const value = present(row.value(columnOf(keyColumn)))
    return keyColumn.endsWith(distinctMark) ? folded(keyText(value)) : value
  }

const isKept = (checkpoint: Checkpoint, key: string) =>
  ['settled', 'in_doubt'].includes(`${checkpoint.get(key, '')?.status}`)

/** Finds the rows with a record or in doubt that the sources lack, and those whose new name is that of another; notes those that are there. */
async function faultsIn(path: string, checkpoint: Checkpoint, names: Names) {
  const [unfound, clashes]: [ResultLine[], ResultLine[]] = [[], []]
  const [seen, owners] = [new KeyTable(), new KeyTable()]
  for await (const lines of readResultLines(path))
    for (const { line } of lines) {
      if (line.key === undefined || line.status === 'duplicate') continue
      const row = names.of(line)
      if (row !== undefined) row.isFound = true
      const old = fingerprint(line.key)
      if (!isKept(checkpoint, line.key) || seen.get(old) !== undefined) continue
      seen.set(old, 0)
      if (row === undefined) unfound.push(line)
      else if (owners.get(fingerprint(row.identity.key)) !== undefined) clashes.push(line)
      else owners.set(fingerprint(row.identity.key), 0)
    }
  return { unfound, clashes }
}

/** A line under the new name of its row. A refusal of a row that the sources lack is left out; a record stays, under a name of no row. */
function renamedLine(line: ResultLine, checkpoint: Checkpoint, names: Names): ResultLine[] {
  const { key_columns, columns } = names.opening
  if (line.rowlift !== undefined)
    return [{ ...line, key_columns, columns, columns_read: undefined } as unknown as ResultLine]
  if (line.key === undefined) return [line]
  const row = names.of(line)
  if (row === undefined) {
    const key = `${JSON.stringify(checkpoint.opening?.key_columns ?? [])} ${line.key}`
    return isKept(checkpoint, line.key) ? [{ ...line, key }] : []
  }
  const { key, hash } = row.identity
  return [{ ...line, key, hash: row.hashes.includes(`${line.hash}`) ? hash : line.hash } as ResultLine]
}
