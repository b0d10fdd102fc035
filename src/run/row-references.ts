import { type CheckedSource, rowsOfAll } from '../input/open.ts'
import { RowReferences } from '../mapping/lookups/row-references.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { RunEvent } from '../model/events.ts'

/** Undefined if the mapping has no lookups among the rows. */
export function buildReferences({ refs, indents }: Mapping, log: string): RowReferences | undefined {
  if (refs.length + indents.length === 0) return undefined
  const columns = refs.map(({ column }) => column)
  return new RowReferences(columns, log, indents)
}

const canReadAhead = (sources: readonly CheckedSource[]) => sources.every(({ size }) => size !== undefined)

/**
 * Reads files in advance: a row may refer to one below it, and only all rows show whether a name is unique. Where a source
 * can be read only once, rows that refer to others wait until its end.
 */
export async function readAhead(
  references: RowReferences,
  mapping: Mapping,
  sources: readonly CheckedSource[],
  emit: (event: RunEvent) => void,
): Promise<void> {
  if (!canReadAhead(sources)) return
  emit({ type: 'reading_ahead' })
  const identify = mapping.identifier('keys')
  for await (const rows of rowsOfAll(sources, () => {}))
    for (const row of rows) {
      const identity = identify(row)
      if (row.fault !== undefined || mapping.selects(row)) references.addRow(identity)
    }
}

/** Provides the lookups among rows, once the references have the result log and all files that can be read twice. */
export function provideReferences(
  references: RowReferences,
  { lookupSpecs, lookups }: Mapping,
  sources: readonly CheckedSource[],
): RowReferences {
  if (canReadAhead(sources)) references.complete()
  for (const [name, spec] of Object.entries(lookupSpecs)) {
    if ('by' in spec) lookups.provide(name, references.by(spec.by))
    if ('indent' in spec) lookups.provide(name, references.above(spec.indent))
  }
  return references
}
