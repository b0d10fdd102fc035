import type { Readable } from 'node:stream'
import { uuidTransform } from '../../mapping/transforms/transform.ts'
import { nearest } from '../../model/did-you-mean.ts'
import { SourceError, UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { nilUuid, present } from '../../model/values.ts'
import { required } from '../../run/resolve-options.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import type { exportReading } from '../../settings/options.ts'
import { sniff } from '../draft/sniff/sniff.ts'

export type ExportReading = OptionValues<typeof exportReading>

export interface ExportRow {
  /** Id of its record, as it is written; undefined if it has none. */
  readonly id: string | undefined
  readonly line: number
  /** Values of the columns that are matched. */
  readonly values: readonly unknown[]
}

/** Reads an export of the service. Throws a UsageError if a column is missing or a row is broken, or a SourceError. */
export async function* exportRows(
  path: string,
  { match = [], ...options }: ExportReading,
  stdin: Readable,
): AsyncGenerator<ExportRow[]> {
  const id = required(options.id, 'id')
  const { signal } = new AbortController()
  const { encoding, open } = await sniff(path, options, { stdin, signal, onRead: () => {} })
  const { name, damagedLine: line } = encoding
  if (line !== undefined) throw new SourceError('bad_bytes', { source: path, line, encoding: name })
  const source = await open()
  const missing = new Set([id, ...match.map(({ column }) => column)])
  let header = source.columns
  try {
    if (header !== undefined) checkColumns(path, missing, header)
    for await (const batch of source.rows) {
      header ??= batch[0] && [...batch[0].cells()].map(([column]) => column)
      for (const row of batch) check(row, missing)
      yield batch.map(row => {
        const values = match.map(({ column }) => row.value(column))
        return { id: idIn(row.value(id)), line: row.line, values }
      })
    }
    checkColumns(path, missing, header ?? [])
  } finally {
    await source.close()
  }
}

/** Checks a row; an object has a column if it has a value there. */
function check(row: Row, missing: Set<string>): void {
  const { source: path, line, fault: problem } = row
  if (problem !== undefined) throw new UsageError('bad_export_row', { path, line, problem })
  for (const column of missing) if (row.value(column) !== undefined) missing.delete(column)
}

function checkColumns(path: string, columns: Set<string>, header: readonly string[]): void {
  for (const each of columns)
    if (header.indexOf(each) !== header.lastIndexOf(each))
      throw new UsageError('export_column_twice', { path, column: each })
  for (const each of header) columns.delete(each)
  const [column] = columns
  if (column === undefined) return
  const suggestion = nearest(column, header)
  throw new UsageError('unknown_export_column', { path, column, header, suggestion })
}

function idIn(value: unknown): string | undefined {
  const text = String(present(value) ?? '')
  return uuidTransform(text) === text.toLowerCase() && text !== nilUuid ? text : undefined
}
