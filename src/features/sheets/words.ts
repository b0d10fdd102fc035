import type { Dialect, Words } from '../../output/words/sentence.ts'

const workbookFaults = {
  xml: 'is damaged ({reason})',
  doctype: 'has a document type, which no spreadsheet program writes',
  deep: 'has more than 100 levels',
  long: 'is too long: a row may take 10 MB, a shared text 250 kB, another part 20 MB',
  place: 'has a row or cell at {reason}, where a sheet has none',
  many_strings: 'has texts of more than 1 GB',
}

/** A cell with the name of its column, if that has one, and its place in the sheet. */
type CellPlace = { readonly column: string; readonly cell: string }

const cellAt = ({ column }: CellPlace) =>
  column === '' ? 'the cell {cell}' : 'the cell {cell} (column "{column}")'

const sheetNamed = (lookup: string | undefined) =>
  lookup === undefined
    ? 'sheet: NAME under source: in the mapping, or rowlift init --sheet NAME'
    : 'sheet: NAME under source: of lookups.{$lookup} in the mapping'

/** A command that unpacks a file, or the archive that it is in. */
const unpacking = (name = '') =>
  /\.(gz|zst)$/i.test(name)
    ? `${/gz$/i.test(name) ? 'gunzip' : 'zstd -d'} "${name}"`
    : `unzip "${name.replace(/(\.zip)\/.*$/i, '$1')}"`

export const sheetWords = {
  rows: {
    /** A text has no place in a sheet. */
    error_cell: (p: { readonly column: string; readonly cell?: string; readonly error: string }) =>
      p.cell === undefined
        ? `is the error of a formula
      → correct it where the file was exported, or name it under empty_values in the mapping`
        : `has the error {error} in ${cellAt({ cell: '', ...p })}
      → correct the formula in the sheet, or empty the cell`,
    formula_without_value: (p: CellPlace) => `has a formula without a stored value in ${cellAt(p)}
      → open the file in a spreadsheet program and save it, then it has the values`,
    shared_string_missing: (p: CellPlace) => `has a text in ${cellAt(p)} that the workbook does not hold
      → open the file in a spreadsheet program, look at the cell, and save it`,
  },
  sources: {
    bad_workbook: (p: {
      source: string
      part: string
      fault: keyof typeof workbookFaults
      reason?: string | undefined
    }) => `{source}: {part} in the workbook ${workbookFaults[p.fault]}
      → open the file in a spreadsheet program and save it again`,
    workbook_in_stream: (p: { source: string; isPacked: boolean }) => [
      `{source}: a sheet is read only from a file that is not packed
      → ${p.isPacked ? 'unpack it first: {command}' : 'write it to a file first: cat > FILE.xlsx'}`,
      { command: unpacking(p.source) },
    ],
    empty_sheet: (p: { source: string; sheet: string; others: readonly string[] }, { lookup }: Dialect) =>
      `{source}: the sheet "{sheet}" has no rows
      → ${p.others.length === 0 ? 'fill it' : `name another one, of {...others}: ${sheetNamed(lookup)}`}`,
    sheet_not_found: (
      p: { source: string; sheet: string | number | undefined; sheets: readonly string[] },
      { lookup }: Dialect,
    ) =>
      p.sheets.length === 0
        ? '{source}: the workbook has no sheet with rows'
        : `{source}: there is no sheet "{sheet}" with rows; those with rows are {...sheets}
        → write ${sheetNamed(lookup)}`,
  },
} as const satisfies Record<string, Words>
