import type { Readable } from 'node:stream'
import { uuidTransform } from '../../mapping/transforms/transform.ts'
import { nearest } from '../../model/did-you-mean.ts'
import { SourceError, UsageError } from '../../model/errors.ts'
import { nilUuid, present } from '../../model/values.ts'
import { showValue } from '../../result/short-texts.ts'
import { required } from '../../run/resolve-options.ts'
import type { OptionValues, Pair } from '../../settings/option-values.ts'
import { sniff } from '../draft/sniff/sniff.ts'
import type { exportReading } from './options.ts'

const longestName = 200

export interface ExportRow {
  /** Id of its record, as it is written; undefined if it has none. */
  readonly id: string | undefined
  readonly line: number
  /** Values of the columns that are matched. */
  readonly values: readonly unknown[]
  /** The text by which a person knows the record; empty if no column has a name. */
  readonly name: () => string
}

/** Reads an export of the service; a list of ids needs no header. Throws a UsageError if a column is missing or a row is broken, or a SourceError. */
export async function* exportRows(
  path: string,
  { match = [], ...options }: Partial<OptionValues<typeof exportReading>>,
  stdin: Readable,
): AsyncGenerator<ExportRow[]> {
  const named = required(options.id, 'id')
  const { signal } = new AbortController()
  const { encoding, open } = await sniff(path, options, { stdin, signal, onRead: () => {} })
  const { name, damagedLine: line } = encoding
  if (line !== undefined) throw new SourceError('bad_bytes', { source: path, line, encoding: name })
  const source = await open()
  const [only = named, ...others] = source.columns ?? []
  const id = match.length + others.length > 0 ? named : only
  const missing = new Set([id, ...match.map(({ column }) => column)])
  let header = source.columns
  try {
    if (header !== undefined) checkColumns(path, missing, header)
    if (id !== named && source.headerLine)
      yield [{ id: idIn(only), line: source.headerLine, values: [], name: () => '' }]
    for await (const batch of source.rows) {
      header ??= batch[0] && [...batch[0].cells()].map(([column]) => column)
      const naming = namingColumns(match, header ?? [])
      yield batch.map(row => {
        const { line, fault: problem } = row
        if (problem !== undefined) throw new UsageError('bad_export_row', { path, line, problem })
        for (const column of missing) if (row.value(column) !== undefined) missing.delete(column) // of an object
        const valuesOf = (columns: readonly string[]) => columns.map(column => row.value(column))
        const name = () => valuesOf(naming).map(nameIn).join(' ').trim()
        return { id: idIn(row.value(id)), line, values: valuesOf(match.map(({ column }) => column)), name }
      })
    }
    checkColumns(path, missing, header ?? [])
  } finally {
    await source.close()
  }
}

/** Returns the column that is matched with the name, or up to two that are called so, such as first and last name. */
function namingColumns(match: readonly Pair[], header: readonly string[]): string[] {
  const matched = match.find(({ path }) => path === 'name')
  return matched ? [matched.column] : header.filter(column => /name/i.test(column)).slice(0, 2)
}

const nameIn = (value: unknown) => showValue(present(value) ?? '', longestName)

/** Notes which of the columns that are matched have a value in some row. */
export function columnValues(path: string, match: readonly Pair[]) {
  const empty = new Map(match.map(({ column }, at) => [at, column]))
  return {
    note({ values }: ExportRow): void {
      for (const at of empty.keys()) if (present(values[at]) !== undefined) empty.delete(at)
    },
    /** Throws a UsageError for a column that is empty throughout. */
    check(): void {
      for (const column of empty.values()) throw new UsageError('empty_export_column', { path, column })
    },
  }
}

function checkColumns(path: string, columns: Set<string>, header: readonly string[]): void {
  for (const column of columns)
    if (header.indexOf(column) !== header.lastIndexOf(column))
      throw new UsageError('export_column_twice', { path, column })
  const column = [...columns].find(each => !header.includes(each))
  const suggestion = column && nearest(column, header)
  if (column !== undefined)
    throw new UsageError('unknown_export_column', { path, column, header, suggestion })
}

function idIn(value: unknown): string | undefined {
  const text = String(present(value) ?? '')
  return uuidTransform(text) === text.toLowerCase() && text !== nilUuid ? text : undefined
}
