import { keyColumn, reasonColumn } from '../model/own-columns.ts'

/** Whether the first bytes of a source, in whatever encoding has the letters of ASCII, are those of a file of rejected rows. */
export const startsRejects = (start: Buffer): boolean =>
  start.includes(keyColumn) && start.includes(reasonColumn)

const between = new RegExp(`${keyColumn}"?([,;|\\t])"?${reasonColumn}`)

/**
 * The delimiter of a CSV file of rejected rows, which its first line tells: spreadsheets save a file with that of the country,
 * whatever it had before. Undefined where it does not tell.
 */
export const delimiterOfRejects = (start: Buffer): string | undefined =>
  between.exec(start.toString('latin1').split(/\r\n|\n|\r/, 1)[0] ?? '')?.[1]
