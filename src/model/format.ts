/** Format of a source. */
export const formats = ['csv', 'ndjson', 'xlsx', 'json', 'vcard', 'icalendar'] as const
export type Format = (typeof formats)[number]

/** Place of the names of a table's columns. */
export type HeaderRule =
  | { readonly type: 'first_line' }
  | { readonly type: 'starts_with'; readonly cell: string }
  | { readonly type: 'columns'; readonly columns: readonly string[] }

export const isFormat = (name: string): name is Format => formats.some(format => format === name)

/** Tables have a header and cells; a row of any other format is an object, like a line of NDJSON. */
export const isTable = (format: Format): boolean => format === 'csv' || format === 'xlsx'
