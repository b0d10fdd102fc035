// What becomes of the first rows of a source, without a run: nothing is sent, and nothing is written.
import { LookupTable } from '../../mapping/lookups/table.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { Mapped } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { isObject, leavesOf, nilUuid } from '../../model/values.ts'
import { describeProblem } from '../../output/words.ts'
import { openSheet, textIn } from '../worksheets/table.ts'
import type { RecordView } from './api.ts'
import type { Mappings } from './mappings.ts'

export const mostSampled = 1_000

/** Provides the lookups of a mapping: its tables as they are filled in, and for records that another import makes some id. */
export async function provideLookups(mapping: Mapping, mappings: Mappings): Promise<void> {
  for (const [name, spec] of Object.entries(mapping.lookupSpecs)) {
    const path = 'file' in spec && spec.file !== undefined ? mappings.inFolder(spec.file) : undefined
    if (path === undefined || !('key' in spec)) {
      mapping.lookups.provide(name, () => ({ type: 'found', value: nilUuid }))
      continue
    }
    const table = new LookupTable(path)
    const rows = await openSheet(path, spec.source)
      .then(sheet => sheet.rows())
      .catch(() => [])
    for (const row of rows) {
      const [text, answer] = [textIn(row, spec.key), textIn(row, spec.value)]
      if (text !== '' && answer !== '') table.add(text, answer, row.line)
    }
    mapping.lookups.provide(name, text => table.find(text))
  }
}

/** What becomes of rows: undefined for those that `where` leaves out. Throws a UsageError. */
export async function bodiesOf(text: string, rows: readonly Row[], mappings: Mappings) {
  const mapping = compileMapping('mapping', text, '')
  await provideLookups(mapping, mappings)
  return rows.map(row => (mapping.selects(row) ? mapping.map(row, true) : undefined))
}

export const faultOf = (mapped: Mapped): string | null =>
  'errors' in mapped ? mapped.errors.map(error => describeProblem(error)).join('; ') : null

export const valueText = (value: unknown): string =>
  value === nilUuid ? '…' : typeof value === 'string' ? value : JSON.stringify(value)

/** A body as a person reads it. */
export function recordView(body: Readonly<Record<string, unknown>>): RecordView {
  const leaves = leavesOf(body).filter(({ value }) => value !== '' && !isObject(value))
  const fields = leaves.map(({ path, value }) => ({
    ...{ path, label: labelOf(path), value: valueText(value) },
  }))
  return { name: valueText(body.name ?? ''), fields }
}

/** The words of a path, such as `Emails: email`. */
export function labelOf(path: string): string {
  const words = path
    .split('.')
    .filter(step => !/^\d+$/.test(step))
    .map(step => step.replaceAll('_', ' '))
  const text = words.length > 1 ? `${words.slice(0, -1).join(' ')}: ${words.at(-1)}` : words.join('')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
