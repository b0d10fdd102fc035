// The texts of rows that no table has, by the worksheets that ask for them.
import { basename, parse } from 'node:path'
import type { Mapping } from '../../mapping/mapping.ts'
import { folded } from '../../model/values.ts'
import { countColumn } from './table.ts'

/** A table that a person fills in. */
export interface Worksheet {
  /** What the mapping reads, as it names it; undefined if it reads none for this. */
  readonly file: string | undefined
  /** Header and delimiter of a new table. The columns of texts and answers come first. */
  readonly header: readonly string[]
  readonly delimiter: string
  /** The lookup whose names are missing, for which a map file has the right ones. */
  readonly lookup: string | undefined
  /** By the texts as lookups compare them; `first` is FILE:LINE. */
  readonly texts: Map<string, { readonly text: string; rows: number; readonly first: string }>
}

/** Nobody fills in more at a time. A text of 1,000 characters is no name. */
export const mostTexts = 5_000

/** Collects what the tables of a mapping lack as rows are mapped, by the names of worksheets. */
export function missingTexts({ lookups, lookupSpecs }: Mapping, delimiter = ',') {
  const sheets = new Map<string, Worksheet>()
  const sheetOf = new Map(Object.entries(lookupSpecs).map(each => [each[0], newSheet(...each)]))
  lookups.onMissing = (lookup, text, { source, line }) => {
    const sheet = sheetOf.get(lookup)
    const known = sheet?.texts.get(folded(text))
    if (known !== undefined) known.rows += 1
    else if (sheet !== undefined && sheet.texts.size < mostTexts && text.length < 1_000)
      sheet.texts.set(folded(text), { text, rows: 1, first: `${basename(source)}:${line}` })
  }
  return sheets

  /** Names that a log or other rows lack get their answers from the map file beside the lookup. */
  function newSheet(lookup: string, spec: Mapping['lookupSpecs'][string]): Worksheet | undefined {
    if ('indent' in spec || lookups.mapFiles.get(lookup) !== undefined) return undefined
    const isTable = 'file' in spec
    const file = isTable ? spec.file : [...lookups.mapFiles].find(([, of]) => of === lookup)?.[0]
    if (isTable && file === undefined) return undefined // a list of the source
    const columns = isTable ? [spec.key, spec.value] : ['name', 'use'] // as map files have them
    const header = [...columns, countColumn, 'first', ...(isTable ? [] : ['nearest'])]
    const name = `${parse(file ?? 'missing').name}.csv`
    const sheet = { file, header, delimiter, lookup: isTable ? undefined : lookup, texts: new Map() }
    const known = sheets.get(name) ?? sheet
    sheets.set(name, known)
    return known.header[0] === header[0] ? known : undefined // the table has another column for these texts
  }
}
