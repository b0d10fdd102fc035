// The texts of the page, numbers and times, in the language of the browser. Each key of a catalogue has an English and a German text.
import type { Status } from '../../../result/row-counts.ts'
import deliver from './texts/deliver.json' with { type: 'json' }
import fields from './texts/fields.json' with { type: 'json' }
import prepare from './texts/prepare.json' with { type: 'json' }
import shell from './texts/shell.json' with { type: 'json' }

const catalogue = { ...shell, ...prepare, ...deliver }
type Texts = Readonly<Record<string, Readonly<Record<typeof language, string>>>>
export type TextKey = keyof typeof catalogue
/** What has a text for one, and one for all other numbers. */
type Counted = TextKey extends infer Key ? (Key extends `${infer Name}_one` ? Name : never) : never

export const language = navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
const numbers = new Intl.NumberFormat(navigator.language)
const times = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeStyle: 'short' })

export const number = (value: number): string => numbers.format(value)
export const time = (iso: string): string => times.format(new Date(iso))

/** The text of a key, with `{name}` replaced by values; numbers are written as people of the language do. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return catalogue[key][language].replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? number(value) : value
  })
}

/** A text for a number other than 0. */
export const ifAny = (name: Counted, count = 0) => (count > 0 ? counted(name, count) : undefined)

export const counted = (name: Counted, count: number): string =>
  text(`${name}_${count === 1 ? 'one' : 'many'}`, { count })

export const statusText = (status: string): string => text(`status_${status as Status}`)
export const rowTitle = ({ row, line }: { row: number; line: number | null }): string =>
  line === null ? `${text('row_number')} ${row}` : text('row_title', { row, line })

/** Name of a field by its path, whatever place in a list that has; the server's label if the catalogue has none. */
export function fieldName(path: string, label: string): string {
  return (fields as Texts)[path.replaceAll(/\.\d+(?=\.|$)/g, '')]?.[language] ?? label
}

const regions = new Intl.DisplayNames(language, { type: 'region' })
/** Name of a country by its code, such as `DE`. */
export const countryName = (code: string): string => regions.of(code) ?? code

/** A time that is left, in seconds, minutes or hours. */
export function duration(seconds: number): string {
  const unit = seconds < 90 ? 'second' : seconds < 5_400 ? 'minute' : 'hour'
  const value = Math.ceil(seconds / { second: 1, minute: 60, hour: 3_600 }[unit])
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
