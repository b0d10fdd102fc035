import { noRecordId } from '../../model/no-record.ts'
import type { Row } from '../../model/row.ts'
import { compileMapping } from '../file.ts'
import type { Mapping } from '../mapping.ts'
import { adaptedDates } from './adapt-dates.ts'
import { adaptedPreset, type Preset } from './adapt-preset.ts'
import { compose, type Found } from './compose.ts'
import type { RowFacts } from './facts.ts'
import { wrapped } from './lines.ts'
import { openingLines } from './opening.ts'
import { isPadded } from './source-part.ts'
import { unmappedLines } from './unmapped.ts'

/** A mapping that was proposed. */
export interface Draft {
  readonly text: string
  /** The preset that it was made of. */
  readonly preset: string | undefined
  /** How many of the rows it was tried with it refuses, and of how many. */
  readonly tried: { readonly rows: number; readonly refused: number }
}

const fileName = 'draft.yaml'
const mostRounds = 4

/** Proposes a mapping; the preset is one that knows the file's columns. */
export function draftOf(found: Found, preset: Preset | undefined): Draft {
  return (preset && ofPreset(found, preset)) ?? composed(found)
}

const skeleton = [
  '',
  '# Rows with what is expected of them; "rowlift test" runs them.',
  '# tests:',
  '#   - row: { COLUMN: VALUE }',
  '#     body: { name: VALUE }',
]

/** The preset as it stands, if it fits the columns of this file. */
function ofPreset(found: Found, preset: Preset): Draft | undefined {
  const { source, rows, columns, headerLine } = found
  const adapted = adaptedDates(adaptedPreset(preset, source, rows), columns)
  const header = columns.map(({ name }) => name)
  try {
    const mapping = compileMapping(fileName, adapted, '')
    if (source.format === 'csv') mapping.checkColumns(header, source.name)
    const unmapped = new Set(mapping.columnFacts([header]).unused)
    const text = [
      ...openingLines(source, rows, columns.length, headerLine).flatMap(wrapped),
      `# Its columns are those of the preset ${preset.name}, which follows.`,
      '',
      adapted.trimEnd(),
      ...unmappedLines(columns.filter(({ name }) => unmapped.has(name))),
      '',
    ].join('\n')
    return { text, preset: preset.name, tried: tried(ready(text), rows) }
  } catch {
    return undefined
  }
}

/**
 * A draft of its own. What it refuses of the rows that were read it refuses wrongly, save for rows that are broken or
 * empty, so the columns that are to blame are read with less trust, and it is made again.
 */
function composed(found: Found): Draft {
  const distrusted = new Set<string>()
  for (let round = 1; ; round += 1) {
    const { text, mapping } = written(found, distrusted)
    const blamed = round < mostRounds ? blamedIn(mapping, found.rows, distrusted) : []
    if (blamed.length === 0) return { text, preset: undefined, tried: tried(mapping, found.rows) }
    for (const column of blamed) distrusted.add(column)
  }
}

function written(found: Found, distrusted: ReadonlySet<string>): { text: string; mapping: Mapping } {
  const { source, rows, columns, headerLine } = found
  const { lines, asked } = compose(found, distrusted)
  const opening = openingLines(source, rows, columns.length, headerLine)
  const draft = [...opening, '', ...lines].flatMap(wrapped).join('\n')
  const header = columns.map(({ name }) => name)
  const unnamed = new Set(compileMapping(fileName, draft, '').columnFacts([header]).unused)
  const unmapped = columns.filter(({ name }) => unnamed.has(name) && !asked.has(name))
  const text = [draft, ...unmappedLines(unmapped), ...skeleton, ''].join('\n')
  return { text, mapping: ready(text) }
}

/** The columns whose values make rows invalid that could be read. */
function blamedIn(mapping: Mapping, rows: RowFacts, known: ReadonlySet<string>): string[] {
  const columns = new Set<string>()
  for (const row of rows.kept) {
    if (isBroken(row, rows) || rows.headers.includes(row.line)) continue
    const mapped = mapping.map(row)
    if ('errors' in mapped)
      for (const { column } of mapped.errors)
        if (column !== undefined && !known.has(column)) columns.add(column)
  }
  return [...columns]
}

/** Ids that are not known yet are all there, as far as a trial goes. */
function ready(text: string): Mapping {
  const mapping = compileMapping(fileName, text, '')
  for (const name of Object.keys(mapping.lookupSpecs))
    mapping.lookups.provide(name, () => ({ is: 'found', value: noRecordId }))
  return mapping
}

/** They were read strictly; a draft that pads forgives what most of them lack. */
const isBroken = (row: Row, rows: RowFacts) => row.fault !== undefined && !isPadded(rows)

function tried(mapping: Mapping, rows: RowFacts): Draft['tried'] {
  const chosen = rows.kept.filter(row => mapping.selects(row))
  const refused = chosen.filter(row => isBroken(row, rows) || 'errors' in mapping.map(row))
  return { rows: chosen.length, refused: refused.length }
}
