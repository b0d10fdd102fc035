/** The key of a rejected row, which it keeps when it comes back repaired. */
export const keyColumn = 'rowlift_key'
/** Why a row was rejected. A source with this column is a file of rejected rows. */
export const reasonColumn = 'rowlift_reason'
/** A line of NDJSON that could not be read. */
export const textColumn = 'rowlift_text'

const all: ReadonlySet<string> = new Set([keyColumn, reasonColumn, textColumn])

/** Whether a column is about the row and no part of its content. */
export const isReservedColumn = (column: string): boolean => all.has(column)

/**
 * Opens the reason of a row whose cells do not fit its header. A row whose reason still begins with it is not sent: a
 * spreadsheet makes all rows equally long, so nothing else shows that cells are under the wrong columns.
 */
export const raggedMark = 'ragged: '
