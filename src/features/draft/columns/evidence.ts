import { durationTransform } from '../../../mapping/transforms/number.ts'
import type { Column } from './column.ts'
import { anyOf, oneOf, vocabulary, wordList, wordsOf } from './words.ts'

/** Rates the values of a column for a role, from 0 to 1; undefined if they cannot be of it. */
type Evidence = (column: Column) => number | undefined

const namelike = /^\p{L}[\p{L}\p{M}\s'’`.,&()·-]{0,60}$/u
/** Up to six words without digits, as names have. */
export const isNamelike = (text: string): boolean => namelike.test(text) && text.split(/\s+/).length <= 6
export const isMarkup = (text: string): boolean =>
  /<\/?(p|br|div|span|b|i|u|strong|em|a|ul|ol|li|h[1-6]|table|tr|td|img|blockquote|pre|code)\b[^<>]*>/i.test(
    text,
  )
const isJson = (text: string) => /^(\[\s*[[{"\]]|\{\s*["}])/.test(text)
/** Sentences, as a description holds them. */
export const isProse = (column: Column): boolean =>
  column.share('emails', 'url') < 0.3 &&
  column.shareOf(text => text.length > 40 && /^(\S+\s+){5}.*[.!?…。！？]$/s.test(text) && !isJson(text)) > 0.5
const isTime = (text: string) => /^\d{1,2}[:.h]\d\d(:\d\d)?(\s?[ap]\.?m\.?)?$/i.test(text)
/** Also the short ones that are called within a house. */
export const isDialled = (text: string): boolean =>
  /^(\+|\(\+?)?\d[\d\s()./+-]{2,24}(\s?(x|ext\.?|extension|#)\s?\d{1,6})?$/i.test(text)
const isCounted = (text: string) => /^(\d{5}|\d{8}|\d{10}|\d{13})(\.\d+)?$/.test(text)
const [legalForms, legalPrefixes] = [anyOf(vocabulary.legalForms), anyOf(vocabulary.legalPrefixes)]
const legalForm = new RegExp(`${legalForms.source}$|^${legalPrefixes.source}`, 'u')
/** Such as "Fenwick Ltd". */
export const isCompanyName = (text: string): boolean => legalForm.test(wordsOf(text))

const nameParticles = new Set(vocabulary.nameParticles.split('|'))
const isSmall = (word: string) => /^\p{Ll}/u.test(word) && !nameParticles.has(word)
/** Such as "Ada van Marsh". */
export const isPersonName = (text: string): boolean =>
  /^\p{Lu}[\p{L}\p{M}'’.-]+(\s\p{L}[\p{L}\p{M}'’.-]*){1,3}$/u.test(text) &&
  !text.split(' ').some(isSmall) &&
  !isCompanyName(text)

const smallWords = new Set(vocabulary.smallWords.split('|'))
/** Such as "Water the ferns": behind the first word, one that is no part of a name is in lower case. */
export const isSentence = (text: string): boolean =>
  /^[\p{Lu}\p{N}]/u.test(text) &&
  text.length < 120 &&
  !/@|\d{4}/.test(text) &&
  text.split(/\s+/).some((word, at) => at > 0 && isSmall(word) && !smallWords.has(word)) &&
  !isCompanyName(text)
const letters = new Map(
  Object.entries(vocabulary.units).flatMap(([unit, words]) =>
    wordList(words).map(word => [word, unit.charAt(0)]),
  ),
)
/** The letter of a unit of time, in any language. */
export const unitLetter = (word: string): string | undefined => letters.get(wordsOf(word))
export const readDuration = durationTransform({ hours_per_day: 8 })
/** Such as "3 days" or "2 Std."; a day has eight hours. */
export const isDuration = (text: string, read = readDuration): boolean =>
  typeof read(text.replaceAll(/\p{L}+\.?/gu, word => unitLetter(word) ?? word)) === 'number'

const hasLetter = (text: string) => /\p{L}/u.test(text)
const notPlaces = new Set(wordList(`${vocabulary.notPlaces}|${vocabulary.yes}|${vocabulary.no}`))
/** Two letters can be a country's code. */
const isPlace = (text: string) =>
  hasLetter(text) && (/^\p{Lu}{2}$/u.test(text) || !notPlaces.has(wordsOf(text)))
/** Numbers to call have more digits. */
const isPostal = (text: string) => /^(\D*\d){1,9}\D*$/.test(text) && text.length < 24

/** The header ends in a word for a name. */
export const nameEnding = oneOf(`(.* )?(${vocabulary.nameEndings})`)
/** Many rows of a few people. */
const isFewNames = (column: Column) =>
  column.samples.size > 1 && nameEnding.test(column.words) && column.shareOf(isNamelike) === 1

const honorific = oneOf(`(${vocabulary.honorifics})( dr)?`)
/** Neither "Mrs" nor "2B". */
const isJob = (text: string) => /\p{L}{2}/u.test(text) && !honorific.test(wordsOf(text))
/** Undefined for a share that is too low to speak for the role. */
const atLeast = (least: number, share: number) => (share > least ? share : undefined)
const other = (column: Column) => column.share('emails', 'url', 'date')

const evidence: Readonly<Record<string, Evidence>> = {
  email: column => atLeast(0.15, column.share('emails')),
  phone: column => atLeast(0.15, Math.max(column.share('phones'), column.shareOf(isDialled))),
  url: column => atLeast(0, column.share('url')),
  handle: column => atLeast(0, 1 - column.share('emails', 'date') - column.shareOf(text => /\s/.test(text))),
  date: column => atLeast(0, Math.max(column.share('date'), column.shareOf(isCounted))) ?? notYesNo(column),
  time: column => atLeast(0.5, column.shareOf(isTime)),
  name: column =>
    column.isVaried || isFewNames(column)
      ? atLeast(0.3, Math.min(column.shareOf(hasLetter), 1 - other(column)))
      : undefined,
  part: column => atLeast(0.3, 1 - other(column)),
  title: column => (column.isVaried ? atLeast(0.5, 1 - other(column) - column.share('number')) : undefined),
  text: column => atLeast(0.3, 1 - column.share('emails', 'date', 'international') - column.shareOf(isJson)),
  job: column => atLeast(0.4, column.shareOf(isJob) - other(column)),
  line: column => atLeast(0.3, 1 - column.share('emails', 'url', 'date', 'phones')),
  postal: column => atLeast(0.3, column.shareOf(isPostal) - column.share('emails', 'date')),
  place: column => atLeast(0.3, column.shareOf(isPlace) - other(column)),
  number: column => atLeast(0, column.share('number', 'decimalComma')),
  duration: column => atLeast(0, column.shareOf(isDuration)),
  person: column => atLeast(0.3, 1 - column.share('url', 'date', 'number')),
}

/** A column of dates may hold words such as "soon", which the draft asks about. */
const notYesNo = (column: Column) =>
  column.isVaried && column.values.size > 0 && column.share('number') < 0.5 ? 0 : undefined

/** Neutral for an empty column and for roles whose values can be of any form. */
export function evidenceOf(kind: string | undefined, column: Column): number | undefined {
  if (column.filled === 0) return 0
  return kind === undefined ? 0.2 : evidence[kind]?.(column)
}
