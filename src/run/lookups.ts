import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { fileContext } from '../input/bytes.ts'
import { type CheckedSource, checkSources, rowsOfAll } from '../input/open.ts'
import { formatFor, type SourceSettings } from '../input/source.ts'
import type { Lookup, LookupResult, SearchedTable } from '../mapping/lookups/lookup.ts'
import { LookupTable } from '../mapping/lookups/table.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { LookupSpec, TableSpec } from '../mapping/schema.ts'
import { SourceError, UsageError } from '../model/errors.ts'
import { problem } from '../model/problem.ts'
import type { Row } from '../model/row.ts'
import { nilUuid, present, textOf } from '../model/values.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { readIntents } from '../store/files/intent-log.ts'
import type { Opening, ResultLine } from '../store/files/lines.ts'
import { readResultLines } from '../store/files/result-log.ts'
import { isThere, type Log, logName } from '../store/files/whole-lines.ts'
import { mappingPath, resolveBeside } from './paths.ts'
import { featureTables, type LookingUp, type OfService, type StepLookups } from './prepared-import.ts'
import { addressOf } from './service.ts'

/** Lists the files that the lookups of a mapping read, by paths relative to the mapping. */
export const lookupFiles = ({ lookupSpecs }: Mapping, settings: ImportSettings): string[] =>
  Object.values(lookupSpecs).flatMap(spec => pathOf(spec, settings) ?? [])

/** The path of the file that a lookup names. */
function pathOf(spec: LookupSpec, { mapping = '.' }: ImportSettings): string | undefined {
  const file = 'results' in spec ? spec.results : 'file' in spec ? spec.file : undefined
  return file === undefined ? undefined : resolveBeside(mappingPath(mapping), file)
}

/**
 * Reads result logs and tables once each. Returns the function that reads the records of other steps, once these have ended. Throws a
 * UsageError or a SourceError.
 */
export async function openLookups(prepared: LookingUp, steps?: StepLookups): Promise<() => Promise<void>> {
  const { mapping, options } = prepared
  const inSteps = new Map<string, string>()
  for (const [lookup, spec] of Object.entries(mapping.lookupSpecs)) {
    if ('step' in spec) inSteps.set(lookup, spec.step)
    if ('self' in spec || 'step' in spec) continue
    const tables = new Map<string, SearchedTable>()
    for (const path of pathsOf(lookup, spec, prepared)) {
      const step = 'results' in spec ? await steps?.withLog(path) : undefined
      if (step !== undefined) inSteps.set(lookup, step)
      else if ('results' in spec) tables.set(path, await resultsLookup(path, lookup, prepared))
      else tables.set(path, await (await featureTables.filledIn(tableLookup))(path, lookup, spec, prepared))
    }
    const [table] = tables.values()
    if (table) mapping.lookups.provide(lookup, tables.size > 1 ? findIn(tables) : table.find, table)
  }
  return async () => {
    for (const [lookup, step] of inSteps)
      if (steps !== undefined) mapping.lookups.provide(lookup, await steps.lookup(step, lookup, options))
  }
}

/** Throws a UsageError if a list of the sources is to be read, and none of them can have it. */
function pathsOf(lookup: string, spec: LookupSpec, { sources, options, settings }: LookingUp): string[] {
  const path = pathOf(spec, settings)
  const paths = path === undefined ? documentsIn(sources, options.sourceSettings) : [path]
  if (paths.length === 0) throw new UsageError('lookup_without_document', { lookup })
  return paths
}

export const documentsIn = (sources: readonly CheckedSource[], settings: SourceSettings): string[] =>
  sources.flatMap(({ path, size }) =>
    size !== undefined && formatFor(path, settings) === 'json' ? path : [],
  )

export const readsSources = ({ lookupSpecs }: Mapping): boolean =>
  Object.values(lookupSpecs).some(spec => 'file' in spec && spec.file === undefined)

/** Finds the value in the row's own document; for a rejected row, which is in none, the value that all documents agree on. */
const findIn =
  (tables: ReadonlyMap<string, SearchedTable>): Lookup =>
  (text, row) => {
    const own = tables.get(row.source)
    const answers = [own ?? [...tables.values()]].flat().map(({ find }) => find(text, row))
    const [first = answers[0] as LookupResult, ...others] = answers.filter(({ type }) => type !== 'missing')
    if (others.every(other => isDeepStrictEqual(other, first))) return first
    const [second = '', ...places] = [...tables.keys()].reverse()
    return { type: 'unusable', problem: problem('lookup_ambiguous', { first: places.join(', '), second }) }
  }

async function resultsLookup(path: string, lookup: string, { options, ports }: LookingUp) {
  if (await isThere(path)) {
    const table = new LookupTable(path)
    await readResults(path, lookup, options, table)
    return table
  }
  if (options.service !== undefined) throw new UsageError('lookup_log_not_found', { path, lookup })
  ports.emit({ type: 'lookup_assumed', path })
  return { find: (): LookupResult => ({ type: 'found', value: nilUuid }) }
}

type Table = Pick<LookupTable, 'add' | 'remove'>

/** Adds keys and records of a result log to a table, those of calls in flight included. Throws a UsageError. */
export async function readResults(log: Log, lookup: string, service: OfService, table: Table) {
  let opening: Opening | undefined
  const add = ({ key = '', record_id, status }: ResultLine, line: number) => {
    const name = opening?.key_columns.length === 1 ? unescapedKey(key) : key
    table[status === 'forgotten' ? 'remove' : 'add'](name, record_id, line)
  }
  for await (const lines of readResultLines(log))
    for (const { line, number } of lines) {
      if (line.rowlift !== undefined) opening = line as Opening
      else if (line.key !== undefined && line.status !== 'duplicate') add(line, number)
    }
  if (opening !== undefined) checkService(opening, service, { path: logName(log), lookup })
  for (const call of (await readIntents(log))?.calls.values() ?? []) add(call, 0)
}

/** Ids of another service or organization are not valid for this one. */
function checkService(opening: Opening, service: OfService, log: { path: string; lookup: string }): void {
  for (const [what, before, now] of [
    ['base URL', opening.base_url, service.baseUrl],
    ['organization', opening.organization_id, service.organizationId],
  ] as const)
    if (now !== undefined && addressOf(`${before}`) !== addressOf(`${now}`))
      throw new UsageError('lookup_log_mismatch', { ...log, what, before: `${before}`, now: `${now}` })
}

/** The key as cells of another file have it. */
export const unescapedKey = (key: string) => key.replaceAll(/\\([\\|])/g, '$1')

async function tableLookup(path: string, lookup: string, spec: TableSpec, prepared: LookingUp) {
  const { mapping, options, stop } = prepared
  const reading = spec.file === undefined ? options.sourceSettings : spec.source
  const unreadable = (problem: SourceError['problem']) =>
    new UsageError('lookup_unreadable', { lookup, problem })
  if ((await stat(path).catch(() => undefined))?.isFIFO())
    throw unreadable({ code: 'source_unreadable', params: { source: path, reason: 'not_a_file' } })
  const { trustEncoding } = prepared.settings
  const settings: SourceSettings = { ...reading, rows: spec.source.rows, trustEncoding }
  const sources = await checkSources([path], settings, {
    ...fileContext(stop.signal),
    countKnown: header => [spec.key, spec.value].filter(name => header.includes(name)).length,
  }).catch(error => {
    throw error instanceof SourceError ? unreadable(error.problem) : error
  })
  for (const { columns } of sources)
    if (columns !== undefined) mapping.checkTable(lookup, spec, columns, path)
  const { table, columns } = await readTable(path, spec, sources)
  if (columns.length > 0) mapping.checkTable(lookup, spec, columns, path)
  const placeOf = (key: string) => ({ place: table.lineOf(key) ?? path, column: spec.value })
  return Object.assign(table, { placeOf })
}

/** Reads a table and its columns; none if it has no rows. */
async function readTable(path: string, { key, value }: TableSpec, sources: readonly CheckedSource[]) {
  const table = new LookupTable(path)
  const columns = new Set<string>()
  for await (const rows of rowsOfAll(sources))
    for (const row of rows) {
      const { line, fault } = row
      if (fault !== undefined)
        throw new UsageError('bad_lookup_row', { path, line, column: undefined, problem: fault })
      if (columns.size === 0) for (const [column] of row.cells()) columns.add(column)
      const [keyCell, valueCell] = [row.value(key), row.value(value)]
      if (keyCell !== undefined) columns.add(key)
      if (valueCell !== undefined) columns.add(value)
      const id = present(valueCell)
      if (id !== undefined) for (const text of keysIn(row, key, keyCell)) table.add(text, id, line)
    }
  return { table, columns: [...columns] }
}

/** The keys in a cell, which may be a list. */
function keysIn(row: Row, column: string, cell: unknown): string[] {
  return [present(cell) ?? []].flat().map(each => {
    const text = textOf(each)
    if (typeof text === 'string') return text
    throw new UsageError('bad_lookup_row', { path: row.source, line: row.line, column, problem: text })
  })
}
