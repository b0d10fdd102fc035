// Reserved columns are no part of a row's content.

/** The key of a rejected row. */
export const keyColumn = 'rowlift_key'
/** A source with this column is a file of rejected rows. */
export const reasonColumn = 'rowlift_reason'
/** A line of NDJSON that could not be read. */
export const textColumn = 'rowlift_text'

const all: ReadonlySet<string> = new Set([keyColumn, reasonColumn, textColumn])

export const isReservedColumn = (column: string): boolean => all.has(column)

/** A row whose reason starts so is not sent: a spreadsheet makes rows equally long, and nothing else shows that cells moved. */
export const raggedMark = 'ragged: '
