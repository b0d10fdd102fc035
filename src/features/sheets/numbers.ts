import { readWhole, type WorkbookPart } from './xml.ts'

/** Meaning that a cell's style gives its number. The hours of `elapsed` go past 24; `fraction` is that of seconds. */
export type NumberStyle = Readonly<NonNullable<ReturnType<typeof styleOf>>>

/** Formats that files name by number only; those of 27 to 58 are East Asian, those from 71 on Thai. */
const builtIn = {
  d: '14 15 16 17 27 28 29 30 31 34 35 36 50 51 52 53 54 55 56 57 58 71 72 73 74 81',
  h: '18 19 20 21 32 33 45 75 76 78',
  'd h': '22 77',
  '[h]': '46 79',
  's.0': '47 80',
}

/** The styles of cells by their number; undefined if a number is only a number. Throws a SourceError. */
export async function readStyles(part: WorkbookPart | undefined) {
  const formats = new Map(
    Object.entries(builtIn).flatMap(([code, ids]) => ids.split(' ').map(id => [id, styleOf(code)] as const)),
  )
  const styles: (NumberStyle | undefined)[] = []
  let isOfCells = false
  if (part === undefined) return styles
  await readWhole(part, {
    open(name, { numFmtId: id = '0', formatCode = '' }) {
      if (name === 'numFmt') formats.set(id, styleOf(formatCode))
      if (name === 'cellXfs') isOfCells = true
      if (name === 'xf' && isOfCells) styles.push(formats.get(id))
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

/** Reads the first section of a format, without texts, colours and currencies. */
function styleOf(code: string) {
  const [section = ''] = code
    .replaceAll(/"[^"]*"|\\.|[_*]./gs, '')
    .toLowerCase()
    .split(';')
  const elapsed = /\[(h+|m+|s+)\]/.test(section)
  const signs = section.replaceAll(/\[[^\]]*\]|general|am\/pm|a\/p|e[+-]|(?<=s\]?)\.0+/g, '')
  if (/[#?0]/.test(signs)) return undefined // `0.00 EUR` is no year
  const time = elapsed || /[hs]/.test(signs)
  const day = /[ydgeb]|mmm|aaa/.test(signs) || (!time && signs.includes('m'))
  return time || day ? { day, time, elapsed, fraction: /s\]?\.0/.test(section) } : undefined
}

const dayMs = 86_400_000
const mostDays = 2_958_465.999 // up to the year 9999, also when rounded

/** A number as its style means it: a date or time, or its full decimal form. Other texts stay as they are. Days count from 1900 or 1904. */
export function numberText(stored: string, style: NumberStyle | undefined, is1904: boolean): string {
  const number = isNumber.test(stored) ? Number(stored) : Number.NaN
  if (!Number.isFinite(number)) return stored
  if (style === undefined || !isMoment(number, style, is1904)) return decimalText(stored, number)
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, number < 60 ? 31 : 30)
  return momentText(start + Math.round(number * dayMs), style, start)
}

/** Spreadsheets have a day 0 of January 1900, and a 29 February as day 60, which never were. */
const isMoment = (number: number, { day }: NumberStyle, is1904: boolean) =>
  number >= 0 &&
  number < (is1904 ? mostDays - 1462 : mostDays) &&
  (!day || is1904 || (number >= 1 && Math.floor(number) !== 60))

const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** The fewest digits that make this number, without an exponent. Whole numbers keep those that are stored. */
function decimalText(stored: string, number: number): string {
  if (/^-?[1-9]\d*$/.test(stored)) return stored
  if (/^-?\d+$/.test(stored)) return String(BigInt(stored))
  const shown = String(number)
  const [, sign = '', first, rest = '', power] = /^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(shown) ?? []
  if (first === undefined) return shown
  const digits = first + rest
  return Number(power) < 0
    ? `${sign}0.${'0'.repeat(-Number(power) - 1)}${digits}`
    : sign + digits.padEnd(Number(power) + 1, '0')
}

/** Seconds are rounded if the style does not show fractions. A style that has only a date leaves out the time. */
function momentText(exactly: number, { day, time, elapsed, fraction }: NumberStyle, start = 0): string {
  const ms = time && !fraction ? Math.round(exactly / 1000) * 1000 : exactly
  const written = new Date(ms).toISOString().slice(0, fraction ? 23 : 19)
  const [date = '', clock = ''] = written.split('T')
  if (elapsed) return `${Math.floor((ms - start) / 3_600_000)}`.padStart(2, '0') + clock.slice(2)
  if (!day) return clock
  return time ? written : date
}

/** Reads ISO 8601, which strict workbooks may hold. */
export function isoText(stored: string, style: NumberStyle | undefined): string {
  const [, date, clock = date ? '00:00' : ''] =
    /^(\d{4}-\d\d-\d\d)?T?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?Z?$/.exec(stored) ?? []
  const written = `${date ?? '2000-01-01'}T${clock}`
  const ms = Date.parse(`${written}Z`)
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(written.slice(0, 16))) return stored
  const usual = { fraction: false, day: true, time: /[1-9]/.test(clock) }
  const shows = { ...usual, ...style, elapsed: false }
  return momentText(ms, date === undefined ? { ...shows, day: false, time: true } : shows)
}
