import { type CheckedSource, rowsOfAll } from '../input/open.ts'
import { RowReferences } from '../mapping/lookups/row-references.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { PreparedImport } from './prepared-import.ts'

const canReadAhead = (sources: readonly CheckedSource[]) => sources.every(({ size }) => size !== undefined)

/**
 * Makes the references of an import whose rows may name each other. Reads files in advance: a row may refer to one below it, and only all
 * rows show whether a name is unique. If a source can be read only once, rows that refer to others wait until its end.
 */
export async function indexRows(prepared: PreparedImport): Promise<RowReferences | undefined> {
  const { mapping, sources, options, ports } = prepared
  const { refs, indents } = mapping
  if (refs.length + indents.length === 0) return undefined
  const columns = refs.map(({ column }) => column)
  const references = new RowReferences(columns, options.results ?? 'the result log', indents)
  if (!canReadAhead(sources)) return references
  ports.emit({ type: 'reading_ahead' })
  const identify = mapping.identifier('keys')
  for await (const rows of rowsOfAll(sources, () => {}))
    for (const row of rows) {
      const identity = identify(row)
      if (row.fault !== undefined || mapping.selects(row)) references.addRow(identity)
    }
  return references
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
