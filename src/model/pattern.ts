import { jsonPattern, sign } from './json-pattern.ts'

const longestRead = 500
const longestPattern = 200

/**
 * What a text says without what differs from row to row: numbers, ids, addresses, times and quoted values are out, and so
 * are `values`, wherever they stand by themselves. Of JSON the keys and the words of its messages stay. Texts that say the
 * same about different rows have one pattern; a pattern has itself as its pattern, and no more than 200 characters.
 */
export function patternOf(text: string, values: readonly string[] = []): string {
  const read = text.slice(0, longestRead)
  const plain = (words: string, isCut: boolean) => plainPattern(words, values, isCut)
  const pattern = jsonPattern(read, plain) ?? plain(read, read.length === longestRead)
  const short = pattern.length > longestPattern ? `${pattern.slice(0, longestPattern - 1)}${sign}` : pattern
  return short === text ? text : patternOf(short, values)
}

const quoted = new RegExp(
  [
    '"[^"]*"',
    '`[^`]*`',
    '“[^“”]*”',
    '„[^„“”]*[“”]',
    '«[^«»]*»',
    '「[^「」]*」',
    `‘[^‘’]*(?:’(?=\\p{L})[^‘’]*)*’(?!\\p{L})`,
    `(?<![\\p{L}\\p{N}])'(?=\\S)[^']*(?:'(?=[\\p{L}\\p{N}])[^']*)*'(?![\\p{L}\\p{N}])`,
  ].join('|'),
  'gu',
)
/** A quote that is not closed, in a text that was cut. */
const openQuote = /(?<![\p{L}\p{N}])["'`“„«「‘](?=\S).*$/u

const address = "(?<![\\p{L}\\p{N}._%+'-])[\\p{L}\\p{N}._%+'-]+@[\\p{L}\\p{N}.-]*[\\p{L}\\p{N}]"
const uuid = '[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}'
const time =
  '\\d{4}-\\d\\d-\\d\\d(?:[t ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?: ?z| ?[+-]\\d\\d:?\\d\\d)?)?'
const number = '\\d+(?:[.,]\\d+)*(?:e[+-]?\\d+)?'
const changing = new RegExp(
  `${address}|(?<![\\p{L}\\p{N}])(?:${uuid}|${time}|${number})(?![\\p{L}\\p{N}])`,
  'giu',
)

/** Several signs, with nothing between them but what separates numbers, are one. */
const signs = /(?:(?<![\p{L}\p{N}])[+-])?…(?:[\s.,:;/+()'_-]*…)+|(?<![\p{L}\p{N}])[+-]…/gu

function plainPattern(text: string, values: readonly string[], isCut: boolean): string {
  return joined(withoutNumbers(withoutQuotes(withoutValues(oneLine(text), values), isCut)))
}

const joined = (text: string) => (text.includes(sign) ? text.replaceAll(signs, sign) : text)

function withoutQuotes(text: string, isCut: boolean): string {
  if (!/["'`“„«「‘]/.test(text)) return text
  const unquoted = text.replaceAll(quoted, sign)
  return isCut ? unquoted.replace(openQuote, sign) : unquoted
}

function withoutNumbers(text: string): string {
  if (!/[\p{N}@]/u.test(text)) return text
  return text
    .replaceAll(changing, sign)
    .replaceAll(/[\w=-]{20,}/g, run => (isCoded(run) ? sign : run))
    .replaceAll(/[\p{L}\p{N}]+/gu, withoutDigits)
}

const oneLine = (text: string) =>
  (/ {2}|[^\S ]|\p{Cc}/u.test(text) ? text.replaceAll(/[\s\p{Cc}]+/gu, ' ') : text).trim()

/** Letters of both kinds and digits in one long run: what base64 and the like make. */
const isCoded = (run: string) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)

/** A word in which letters and digits take turns is an id; of any other its digits are what changes. */
function withoutDigits(word: string): string {
  if (!/\p{N}/u.test(word)) return word
  const isHex = word.length >= 7 && /^[0-9a-f]+$/i.test(word)
  const turns = word.match(/\p{N}+|\P{N}+/gu)?.length ?? 0
  return isHex || (turns > 2 && word.length > 3) ? sign : word.replaceAll(/\p{N}+/gu, sign)
}

const shortestValue = 3

function withoutValues(text: string, values: readonly string[]): string {
  const lower = text.toLowerCase()
  return values
    .map(oneLine)
    .filter(value => value.length >= shortestValue && lower.includes(value.toLowerCase()))
    .sort((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(alone(value), sign), text)
}

/** Finds a text where no word goes on before or behind it. */
const alone = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu')
