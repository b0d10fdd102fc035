// One form for all usual spellings of a row: a spreadsheet, another exporter or a person may write the same row in another way.
import { hash } from 'node:crypto'

/** The first 16 hex digits of the SHA-256 of a body, as JSON, in one form of Unicode and of line ends. */
export function bodyHash(json: string): string {
  const text = /[^\0-\x7f]/.test(json) ? json.normalize() : json
  return hash('sha256', text.includes('\\r') ? text.replaceAll('\\r\\n', '\\n') : text).slice(0, 16)
}

/** Keys that differ in case alone: whole numbers, and plain words. */
const plain = /^(?:[1-9]\d*|[a-z][a-z0-9_@.-]*)$/i
const betweenColumns = /(?<!\\)\|/

/** Folds the values of a key: Unicode form, case, invisible signs and blanks, quotes, `="…"`, `urn:uuid:`, and how a number is written. */
export const foldedKey = (key: string): string =>
  plain.test(key) ? key.toLowerCase() : key.split(betweenColumns).map(foldedValue).join('|')

function foldedValue(value: string): string {
  const text = value
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .replaceAll(/[‘’‚‛′ʼ`´]/g, "'")
    .replaceAll(/[“”„‟″]/g, '"')
    .replaceAll(/[‐‒–—−]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toUpperCase() // "ß" is "SS", and the sigma has one form
    .toLowerCase()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'(?=.)/, '')
    .replace(/^urn:uuid:/, '')
  return foldedNumber(text)
}

const grouped = /^\d{1,3}(?:[ ,.']\d{3})+$/
const wholeDecimal = /^(\d+)[,.]0+$/
const scientific = /^(\d)(?:[,.](\d+))?e\+?(\d\d?)$/

/** Writes whole numbers alike: `0007`, `7.0`, `1,001`, `1.5E+11`. */
function foldedNumber(text: string): string {
  const [, digit, fraction = '', exponent] = scientific.exec(text) ?? []
  const digits =
    digit !== undefined && fraction.length <= Number(exponent)
      ? digit + fraction.padEnd(Number(exponent), '0')
      : grouped.test(text)
        ? text.replaceAll(/\D/g, '')
        : text.replace(wholeDecimal, '$1')
  return /^\d+$/.test(digits) ? digits.replace(/^0+(?=\d)/, '') : digits
}
