import type { DateTime } from 'luxon'
import { luxon } from '../libraries.ts'

/** A date as it was written. */
export interface DateReading {
  /** With its own offset if it carries one, else its wall clock as if it were UTC. */
  readonly at: DateTime
  readonly hasOffset: boolean
  readonly hasTime: boolean
}

export type DateReader = (text: string) => DateReading | undefined

/** A reader for `iso`, `epoch_ms`, `epoch_s`, `excel` or a format in Luxon tokens. */
export function dateReader(format: string, locale: string): DateReader {
  switch (format) {
    case 'iso':
      return readIso
    case 'epoch_ms':
      return text => readEpoch(text, 1)
    case 'epoch_s':
      return text => readEpoch(text, 1000)
    case 'excel':
      return readExcel
    default:
      return tokenReader(format, locale)
  }
}

/** What is wrong with a format: Luxon throws where tokens contradict each other, and takes this year where none is named. */
export function formatFault(format: string, locale: string): string | undefined {
  try {
    const found = dateReader(format, locale)(luxon().DateTime.utc(2000, 7).toFormat(format, { locale }))
    return found === undefined || found.at.year === 2000 ? undefined : 'it names no year'
  } catch (error) {
    return (error as Error).message
  }
}

const utc = { zone: 'utc' } as const
const keepOffset = { setZone: true, zone: 'utc' } as const
const iso = /^\d{4}-\d\d-\d\d(?:([T ])\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

function readIso(text: string): DateReading | undefined {
  const [matched, time, offset] = iso.exec(text) ?? []
  if (matched === undefined) return undefined
  const at = luxon().DateTime.fromISO(text.replace(/ /, 'T').replace(' ', ''), keepOffset)
  return at.isValid ? { at, hasOffset: offset !== undefined, hasTime: time !== undefined } : undefined
}

function readEpoch(text: string, msPerUnit: number): DateReading | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  const ms = Math.round(Number(text) * msPerUnit)
  if (Math.abs(ms) > 8.64e15) return undefined
  return { at: luxon().DateTime.fromMillis(ms, utc), hasOffset: true, hasTime: true }
}

const secondsPerDay = 86_400
const lastExcelDay = 2_958_465 // 9999-12-31

/** Days since 1899-12-30; before day 60, the 29 February 1900 that never was, since 1899-12-31. */
function readExcel(text: string): DateReading | undefined {
  const serial = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const day = Math.floor(serial)
  if (!(day >= 1 && day <= lastExcelDay) || day === 60) return undefined
  const seconds = Math.round((serial - day) * secondsPerDay)
  const start = luxon().DateTime.fromObject({ year: 1899, month: 12, day: day < 60 ? 31 : 30 }, utc)
  return { at: start.plus({ days: day, seconds }), hasOffset: false, hasTime: seconds !== 0 }
}

function tokenReader(format: string, locale: string): DateReader {
  const tokens = format.replaceAll(/'[^']*'/g, '')
  const hasOffset = /[Zz]/.test(tokens)
  const hasTime = /[HhmsSaTtFf]/.test(tokens)
  const parser = luxon().DateTime.buildFormatParser(format, { locale })
  return text => {
    const at = luxon().DateTime.fromFormatParser(text, parser, { ...keepOffset, locale })
    return at.isValid ? { at, hasOffset, hasTime } : undefined
  }
}
