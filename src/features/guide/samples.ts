// What becomes of the first rows of a source, without a run: nothing is sent, and nothing is written.
import type { Mapping } from '../../mapping/mapping.ts'
import type { Mapped } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { leavesOf, nilUuid, present, textOf } from '../../model/values.ts'
import { recognizableFields, shorten } from '../../result/short-texts.ts'
import { answersIn, openSheet } from '../worksheets/table.ts'
import { describeProblem } from './language.ts'
import type { Mappings } from './mappings.ts'

/** Provides the lookups of a mapping by its tables as they are filled in. What another import makes has some id. */
export async function provideLookups({ lookups, lookupSpecs }: Mapping, mappings: Mappings): Promise<void> {
  for (const [name, spec] of Object.entries(lookupSpecs)) {
    const file = 'file' in spec ? spec.file : undefined
    if (!('file' in spec) || file === undefined)
      lookups.provide(name, () => ({ type: 'found', value: nilUuid }))
    else {
      const path = mappings.inFolder(file)
      const sheet = await openSheet(path, spec.source).catch(() => undefined) // it may have to be made yet
      lookups.provide(name, answersIn(path, spec, (await sheet?.rows()) ?? []).table.find)
    }
  }
}

/** What becomes of rows; undefined for those that `where` leaves out. */
export async function mappedBy(mapping: Mapping, rows: readonly Row[], mappings: Mappings) {
  await provideLookups(mapping, mappings)
  return rows.map(row => (mapping.selects(row) ? mapping.map(row, true) : undefined))
}

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

/** A body as a person reads it. */
export function recordView(body: unknown) {
  const filled = leavesOf(body).filter(({ value }) => (value ?? '') !== '')
  const fields = filled.map(({ path, value }) => {
    return { path, label: labelOf(path), value: shorten(valueText(value), longest) }
  })
  return { name: recognizableFields(body).name ?? '', fields }
}
