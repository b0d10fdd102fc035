/** A row's identity as it stands, where it is not empty: rows that come back repaired keep theirs (DESIGN 3). */
export const keyColumn = 'rowlift_key'
/** Why a row was rejected. A source that has it is a file of rejected rows, which somebody may have repaired. */
export const reasonColumn = 'rowlift_reason'
/** A line of NDJSON that could not be read. */
export const textColumn = 'rowlift_text'

const all: ReadonlySet<string> = new Set([keyColumn, reasonColumn, textColumn])

/** Whether a column is about the row, and not a part of what it holds. */
export const isOwnColumn = (column: string): boolean => all.has(column)

/**
 * Opens the reason of a row whose cells do not fit its header. A row whose reason still begins with it is not sent: a
 * spreadsheet makes all rows equally long, and nothing else would tell that its cells stand under wrong columns.
 */
export const raggedMark = 'ragged: '
