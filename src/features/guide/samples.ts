// What becomes of the first rows of a source, without a run: nothing is sent, and nothing is written.
import type { Lookup } from '../../mapping/lookups/lookup.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { Mapped } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { leavesOf, nilUuid, present, textOf } from '../../model/values.ts'
import { recognizableFields, showValue } from '../../result/short-texts.ts'
import { openSheet, textIn } from '../worksheets/table.ts'
import { describeProblem } from './language.ts'
import type { Mappings } from './mappings.ts'

/** The tables of a mapping as they are filled in, by the names of lookups. */
export async function openTables({ lookupSpecs }: Mapping, mappings: Mappings): Promise<Map<string, Lookup>> {
  const tables = new Map<string, Lookup>()
  for (const [name, spec] of Object.entries(lookupSpecs)) {
    if (!('file' in spec) || spec.file === undefined) continue
    const path = mappings.inFolder(spec.file)
    const table = new LookupTable(path)
    tables.set(name, text => table.find(text))
    const rows = await openSheet(path, spec.source).then(
      sheet => sheet.rows(),
      () => [],
    ) // it may have to be made yet
    for (const row of rows) {
      const [text, answer] = [textIn(row, spec.key), textIn(row, spec.value)]
      if (text !== '' && answer !== '') table.add(text, answer, row.line)
    }
  }
  return tables
}

/** Provides the lookups of a mapping. What another import makes has some id. */
export function provideTables(mapping: Mapping, tables: ReadonlyMap<string, Lookup>): void {
  for (const name of Object.keys(mapping.lookupSpecs))
    mapping.lookups.provide(name, tables.get(name) ?? (() => ({ type: 'found', value: nilUuid })))
}

/** What becomes of rows; undefined for those that `where` leaves out. */
export async function mappedBy(mapping: Mapping, rows: readonly Row[], mappings: Mappings) {
  provideTables(mapping, await openTables(mapping, mappings))
  return rows.map(row => (mapping.selects(row) ? mapping.map(row, true) : undefined))
}

/** Throws a UsageError. */
export const mappedByText = async (text: string, rows: readonly Row[], mappings: Mappings) =>
  mappedBy(compileMapping('mapping', text, ''), rows, mappings)

/** Why a row is refused; null if it is not, or nothing is left of it. */
export function faultOf(mapped: Mapped): string | null {
  const errors = 'errors' in mapped ? mapped.errors.filter(({ code }) => code !== 'empty_body') : []
  return errors.length > 0 ? errors.map(error => describeProblem(error)).join('; ') : null
}

export const valueText = (value: unknown): string =>
  value === nilUuid ? '…' : typeof value === 'string' ? value : JSON.stringify(value)

export function cellText(row: Row, column: string): string {
  const text = textOf(present(row.value(column)) ?? '')
  return typeof text === 'string' ? text : JSON.stringify(row.value(column))
}

/** The words of a path, such as `Emails: email`. */
export function labelOf(path: string): string {
  const words = path.replaceAll(/\.\d+/g, '').replaceAll('_', ' ').split('.').join(': ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

export type RecordView = ReturnType<typeof recordView>

const longest = 2_000

/** A body as a person reads it. The label of a field is the last word of its path. */
export function recordView(body: unknown) {
  const { name = '' } = recognizableFields(body)
  const fields = leavesOf(body).flatMap(({ path, value }) => {
    if (value === '' || value === null || value === undefined) return []
    const label = (path.split('.').findLast(part => !/^\d+$/.test(part)) ?? path).replaceAll('_', ' ')
    return { path, label, value: value === nilUuid ? '…' : showValue(value, longest) }
  })
  return { name, fields }
}
