import { type CheckedSource, rowsOfAll } from '../input/open.ts'
import { SelfRows } from '../mapping/lookups/self-rows.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { RunEvent } from '../model/events.ts'

/** The rows of this import that may name each other, if the mapping has a lookup of that kind; it is provided with them. */
export function rowReferences(mapping: Mapping, log: string): SelfRows | undefined {
  const { lookupSpecs, lookups, refs, indents } = mapping
  if (refs.length + indents.length === 0) return undefined
  const rows = new SelfRows(refs, indents, log)
  for (const [name, spec] of Object.entries(lookupSpecs)) {
    if ('by' in spec) lookups.provide(name, rows.by(spec.by))
    if ('indent' in spec) lookups.provide(name, rows.above(spec.indent))
  }
  return rows
}

/**
 * Reads files once in advance, for a row may name one that stands behind it, and only the whole tells whether a name is
 * unique. What cannot be read twice is not: rows that name others then wait until its end.
 */
export async function readAhead(
  relations: SelfRows,
  mapping: Mapping,
  sources: readonly CheckedSource[],
  tell: (event: RunEvent) => void,
): Promise<void> {
  if (!sources.every(source => source.rereadable)) return
  tell({ type: 'reading_ahead' })
  const identify = mapping.identifier('keys')
  for await (const rows of rowsOfAll(sources, () => {}))
    for (const row of rows) {
      const identity = identify(row)
      if (row.fault !== undefined || mapping.selects(row)) relations.takeRow(row, identity)
    }
  relations.complete()
}
