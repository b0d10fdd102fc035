// Numbers, invisible characters and commands, as they are written for people.
import { masked } from '../model/secrets.ts'
import { isWindowsShell, windowsWord } from '../platform/shell-words.ts'

/** A count as people read it: 1,234,567. */
export const grouped = (count: number): string => count.toLocaleString('en')

/** `1 step`, `3 steps`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`

export const rows = (count: number): string => counted(count, 'row')

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Leaves out what is no text, such as a condition that does not hold. */
export const due = (...texts: readonly unknown[]): string[] => texts.filter(text => typeof text === 'string')

/** Cells in columns, one line for each row. A column of numbers is aligned at the right; its header may be any word. */
export function aligned(cells: readonly (readonly string[])[]): string[] {
  const table = cells.map(row => row.map(visible))
  const columns = (table[0] ?? []).map((_, at) => table.map(cells => cells[at] ?? ''))
  const widths = columns.map(cells => Math.max(...cells.map(cell => cell.length)))
  const areNumbers = columns.map(cells => cells.slice(1).every(cell => /^[\d,-]*$/.test(cell)))
  const pad = (cell: string, at: number) =>
    areNumbers[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
  return table.map(cells => cells.map(pad).join('  ').trimEnd())
}

/** An ISO 8601 time in UTC, to the second. */
export const timeOf = (at: string): string => at.replace('T', ' ').slice(0, 19)

/** Milliseconds as people read them: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min. */
export function spanOf(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Rows per second: 0.4, 12.3, 1,204. */
export function perSecond(count: number, ms: number): string {
  const rate = ms > 0 ? (count * 1000) / ms : 0
  return rate < 100 ? rate.toFixed(1) : grouped(Math.round(rate))
}

/** Control characters, and those without width or that change the direction of text; a joiner only if it joins nothing. */
export const invisible =
  /\r\n|[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u200c\u200d](?<![^\0-\u02ff].)/gu

const pictures: Record<string, string> = { '\r\n': '↵', '\n': '↵', '\r': '↵', '\t': '⇥', '\x7f': '␡' }

/** A text from outside in one line, in which every character can be seen: `a␀b`, `[U+202E]`; without the token. */
export const visible = (text: string): string => masked(text).replaceAll(invisible, pictureOf)

export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

/** A text in one line, cut. */
export const oneLine = (text: string, longest = 120): string =>
  cut(visible(text.replaceAll(/\s+/gu, ' ')), longest)

function pictureOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase().padStart(4, '0')
  return pictures[sign] ?? (code < 0x20 ? String.fromCharCode(0x2400 + code) : `[U+${hex}]`)
}

/** Line breaks, tabs and colours, which a terminal may obey; and the invisible characters. */
const guarded = new RegExp(`([\\n\\t]|\\x1b\\[(?:[12]?2|1|3[1-69]|4[19]|90)m)|${invisible.source}`, 'gu')

/** The last guard before text goes to a person. */
export const guardedText = (text: string): string =>
  masked(text).replaceAll(guarded, (sign, allowed?: string) => allowed ?? pictureOf(sign))

/** JSON that means the same, in which every character can be seen; without the token. */
export const visibleJson = (json: string): string =>
  masked(json).replaceAll(invisible, sign => (sign === '\n' ? sign : sign.replaceAll(/./gs, jsonEscape)))

const jsonEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A command line as a shell reads it back. */
export const commandLine = (args: readonly string[]): string => ['rowlift', ...args].map(shellWord).join(' ')

/** The next steps as text: each sentence and each command on a line of its own. */
export const nextText = (steps: readonly { advice: string; args: readonly string[] }[]): string | undefined =>
  steps.flatMap(({ advice, args }) => [`${advice}:`, `  ${commandLine(args)}`]).join('\n') || undefined

/** A source as an argument that is never read as a flag. */
export const sourceWord = (path: string): string => (/^-./.test(path) ? `./${path}` : path)

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  if (isWindowsShell) return windowsWord(visible(word))
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return word.search(invisible) < 0 ? `'${word.replaceAll("'", `'\\''`)}'` : `$'${escapeWord(word)}'`
}

/** Invisible characters, which a terminal might obey, as a shell escapes them. */
const escapeWord = (word: string) =>
  word.replaceAll(/[\\']/g, '\\$&').replaceAll(invisible, signs => [...signs].map(escaped).join(''))

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  if (code < 0x80) return `\\${code.toString(8).padStart(3, '0')}`
  const hex = code.toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/** An object for programs, in one line: its names are in snake case. */
export const jsonLine = (fields: object): string => visibleJson(`${JSON.stringify(fields, inSnakeCase)}\n`)

const inSnakeCase = (_: string, value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inner]))

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** A text as the search compares it: in lower case and without accents. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
