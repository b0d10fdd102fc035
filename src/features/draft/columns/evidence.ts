import type { Column } from './column.ts'
import { hasLetter, isCompanyName, isDialled, isDuration, isJson } from './values.ts'
import { vocabulary, wholeWords, wordList, wordsOf } from './words.ts'

export const isProse = (column: Column): boolean =>
  column.shareOf(text => text.length > 40 && /^(\S+\s+){5}.*[.!?…。！？]$/s.test(text) && !isJson(text)) > 0.5

const manyWords = /^(?=.{40})\S+(\s+\S+){4}|[^ -~]{25}/s
/** Long texts, whatever they end in. */
export const isWordy = (column: Column): boolean =>
  column.isVaried && column.shareOf(text => manyWords.test(text) && hasLetter(text) && !isJson(text)) > 0.5

export const nameEnding = wholeWords(`(.* )?(${vocabulary.nameEndings})`)
const isTime = (text: string) => /^\d{1,2}[:.h]\d\d(:\d\d)?(\s?[ap]\.?m\.?)?$/i.test(text)
const isCounted = (text: string) => /^(\d{5}|\d{8}|\d{10}|\d{13})(\.\d+)?$/.test(text)

const notPlaces = new Set(wordList(`${vocabulary.notPlaces}|${vocabulary.yes}|${vocabulary.no}`))
/** Two letters can be a country's code. */
const isPlace = (text: string) =>
  hasLetter(text) && (/^\p{Lu}{2}$/u.test(text) || !notPlaces.has(wordsOf(text)))
/** Numbers to call have more digits, those of houses fewer. */
const isPostal = (text: string) => /^(?!\d{1,2}$)(\D*\d){1,9}\D*$/.test(text) && text.length < 24

export const honorific = wholeWords(`(${vocabulary.honorifics})( (${vocabulary.honorifics}))*`)
/** What is counted, such as "kg" or "pcs". */
const isUnit = (text: string) => /^(?!bis|ter)\p{Ll}{2,4}\.?$/u.test(text)
const isHonorific = (text: string) => honorific.test(wordsOf(text))
/** Excludes "Mrs" and "2B". */
export const isJob = (text: string) => /\p{L}{2}/u.test(text) && !isHonorific(text)
/** Numbers and codes such as "T-101" are no titles. */
const isCode = (text: string) => /^([\p{L}#]{0,5}[-_]\d+|[\d.,]+)$/u.test(text)
/** Undefined for a share that is too low to speak for the role. */
const atLeast = (least: number, share: number) => (share > least ? share : undefined)
/** A number, perhaps with a currency. */
const isAmount = (text: string) =>
  /^(\p{L}{1,4}\.?|\p{Sc})?\s?[-+−]?\d[\d.,'’\s]*([,.][-–—])?\s?(\p{L}{1,4}\.?|\p{Sc})?$/u.test(text)
const isLink = (text: string) => /^https?:|\//.test(text)
const other = (column: Column) => column.share('emails', 'url', 'date')

/** Rates how the values of a column fit each kind that a role may hold, from 0 to 1; undefined if they cannot be of it. */
export const evidence: Readonly<Record<string, (column: Column) => number | undefined>> = {
  email: column => atLeast(0.15, column.share('emails')),
  phone: column => atLeast(0.15, Math.max(column.share('phones'), column.shareOf(isDialled))),
  url: column => atLeast(0, column.share('url')),
  handle: column => atLeast(0, 1 - column.share('emails', 'date') - column.shareOf(text => /\s/.test(text))),
  date: column => atLeast(0, Math.max(column.share('date'), column.shareOf(isCounted))) ?? notYesNo(column),
  time: column => atLeast(0.5, column.shareOf(isTime)),
  name: column => {
    const share = Math.min(column.shareOf(hasLetter), 1 - other(column) - column.shareOf(isHonorific))
    return atLeast(0.3, column.isVaried ? share : share / 2)
  },
  part: column => atLeast(0.3, 1 - other(column)),
  title: column => (column.isVaried ? atLeast(0.5, 1 - other(column) - column.shareOf(isCode)) : undefined),
  text: column => atLeast(0.3, 1 - column.share('emails', 'date', 'international') - column.shareOf(isJson)),
  prose: column => {
    const rest = 1 - column.share('emails', 'date', 'number', 'decimalComma') - column.shareOf(isJson)
    return column.longest < 2 ? undefined : atLeast(0.3, rest)
  },
  job: column => atLeast(0.4, column.shareOf(isJob) - column.shareOf(isCompanyName) - other(column)),
  line: column => atLeast(0.3, 1 - column.share('emails', 'url', 'date', 'phones') - column.shareOf(isUnit)),
  postal: column => atLeast(0.3, column.shareOf(isPostal) - column.share('emails', 'date')),
  place: column => atLeast(0.3, column.shareOf(isPlace) - other(column)),
  number: column => atLeast(0, column.share('number', 'decimalComma')),
  amount: column => atLeast(0.5, column.shareOf(isAmount)),
  duration: column => atLeast(0, column.shareOf(isDuration)),
  person: column => atLeast(0.3, 1 - column.share('date', 'number') - column.shareOf(isLink)),
}

/** A column of dates may hold words such as "soon", which the draft asks about. */
const notYesNo = (column: Column) =>
  column.isVaried && column.values.size > 0 && column.share('number') < 0.5 ? 0 : undefined

/** Returns the evidence for a role; neutral for an empty column and for roles whose values can be of any form. */
export function evidenceOf(kind: string | undefined, column: Column): number | undefined {
  if (column.filled === 0) return 0
  return kind === undefined ? 0.2 : evidence[kind]?.(column)
}
