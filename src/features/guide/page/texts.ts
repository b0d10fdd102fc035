// The texts of the page in the language of the browser. Each key of a catalogue has an English and a German text.
import deliver from './texts/deliver.json' with { type: 'json' }
import fields from './texts/fields.json' with { type: 'json' }
import prepare from './texts/prepare.json' with { type: 'json' }
import shell from './texts/shell.json' with { type: 'json' }

const catalogue = { ...shell, ...prepare, ...deliver }
export type TextKey = keyof typeof catalogue

export const language = navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
/** The language of texts that the server made, if the page has another one. */
export const serverLanguage = language === 'en' ? undefined : 'en'
const numbers = new Intl.NumberFormat(navigator.language)

/** The text of a key, with `{name}` replaced by values; numbers are written as people of the language do. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return catalogue[key][language].replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
  })
}

/** One of two keys by a number: for one, and for all others. */
export const counted = (one: TextKey, other: TextKey, count: number): string =>
  text(count === 1 ? one : other, { count })

/** Name of a field by its path, whatever place in a list that has; the server's label if the catalogue has none. */
export function fieldName(path: string, label: string): string {
  const names: Readonly<Record<string, Readonly<Record<typeof language, string>>>> = fields
  return names[path.replaceAll(/\.\d+(?=\.|$)/g, '')]?.[language] ?? label
}
