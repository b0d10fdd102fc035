import type { RowFacts, SourceFacts } from './facts.ts'
import { field, group, type Part } from './lines.ts'

/** What `source:` has to say of this very file; nothing where an import would read it so by itself. */
export function sourceValues(source: SourceFacts, rows: RowFacts): Record<string, unknown> {
  const { format, delimiter, encoding, usual, header } = source
  return {
    ...(!usual.format && { format }),
    ...(!usual.delimiter && delimiter !== undefined && { delimiter }),
    ...(!usual.encoding && { encoding }),
    ...(header.type === 'starts_with' && { header: { starts_with: header.cell } }),
    ...(header.type === 'columns' && { header: { columns: header.columns } }),
    ...(isPadded(rows) && { ragged: 'pad' }),
  }
}

/** Rows that are longer by nothing are forgiven, but not at the price of rows that lack cells. */
export const isPadded = ({ ragged }: RowFacts): boolean =>
  ragged.padded > ragged.torn * 10 && ragged.shortCount <= ragged.padded / 2

/** `source:` as a part of a draft. */
export function sourceParts(source: SourceFacts, rows: RowFacts): Part[] {
  const values = sourceValues(source, rows)
  if (Object.keys(values).length === 0) return []
  const why: Readonly<Record<string, string>> = {
    header:
      'columns' in Object(values.header)
        ? 'The file names no columns; give them better names here and below.'
        : 'Lines above the header are passed over.',
    ragged: 'Some lines have empty cells past the header, or none where the header ends in empty names.',
  }
  return [
    group(
      'source',
      Object.entries(values).map(([key, value]) =>
        field(key, value as string, ...(why[key] ? [why[key]] : [])),
      ),
    ),
  ]
}
