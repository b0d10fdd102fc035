import { durationTransform, numberTransform } from '../../../mapping/transforms/number.ts'
import { phoneTransform } from '../../../mapping/transforms/phone.ts'
import { emailTransform, urlTransform } from '../../../mapping/transforms/transform.ts'
import { lazyLibrary } from '../../../model/package.ts'
import forms from './forms.json' with { type: 'json' }
import { anyOf, vocabulary, wordList, wordsOf } from './words.ts'

const isText = (value: unknown) => typeof value === 'string'
/** Matches "Ada Stone <ada@example.com>". */
const named = /^[^<>]*<([^<>\s]+@[^<>\s]+)>$/
export const isEmail = (text: string): boolean =>
  text.includes('@') && isText(emailTransform(named.exec(text)?.[1] ?? text))
export const isUrl = (text: string): boolean =>
  /^(https?:\/\/|[\w-]+(\.[\w-]+)+(\/|$))/i.test(text) && isText(urlTransform(text))

/** Accepts short numbers, too, which are called within a house. */
export const isDialled = (text: string): boolean =>
  /^(\+|\(\+?)?\d[\d\s()./+–-]{2,24}(\s?(x|ext\.?|extension|#)\s?\d{1,6})?$/i.test(text)
const isPhone = (text: string): boolean =>
  isDialled(text) &&
  /^\D*(?:\d\D*){6,20}$/.test(text) &&
  !(text.includes(' / ') && text.split(' / ').every(isPhone))
const phoneNumbers = lazyLibrary<typeof import('libphonenumber-js')>('libphonenumber-js')
/** The calling code and the country of a number; undefined for one that is none of `country`. */
export function plannedNumber(text: string, country?: string) {
  const number = phoneNumbers().parsePhoneNumberFromString(withoutRemarks(text), country as 'GB' | undefined)
  return number?.isValid() ? { code: number.countryCallingCode, country: number.country } : undefined
}

/** Words around a number, as in "Office: 040 48 00" and "0176 12 34 (mobile)"; an extension has digits behind its own. */
export const { phoneRemarks } = forms
const remarks = phoneRemarks.map(({ pattern }) => new RegExp(pattern, 'gu'))
const countOf = (text: string, sign: RegExp) => text.match(sign)?.length ?? 0

/** Has the digits of a number, and hardly more letters. */
const isMostlyDigits = (text: string): boolean =>
  /^\D*(?:\d\D*){6}/.test(text) && countOf(text, /\p{L}/gu) <= countOf(text, /\d/g)

/** A number without the words around it. */
export const withoutRemarks = (text: string): string =>
  /\p{L}/u.test(text) && isMostlyDigits(text)
    ? remarks.reduce((rest, remark) => rest.replace(remark, ''), text).trim()
    : text

const longestPhones = 200

/** The phone numbers of a text: whether it is one, or the signs between several; `bare` is without the words around it. */
export function phonesIn(text: string) {
  if (text.length >= longestPhones || !isMostlyDigits(text)) return undefined
  const bare = withoutRemarks(text)
  const isOne = isPhone(bare)
  const signs = isOne ? [] : signsBetween(text, part => isPhone(withoutRemarks(part)))
  const parts = isOne ? [text] : signs.length > 0 ? text.split(/[;|,\n]/) : []
  return { bare, isOne, signs, hasRemarks: parts.some(part => withoutRemarks(part) !== part) }
}

const readPhone = (text: string) => phoneTransform(undefined, 'keep')(text) // loads the library with the first number
export const isInternational = (text: string): boolean => /^(\+|tel:)/.test(text) && isText(readPhone(text))

const readNumber = { '.': numberTransform('.'), ',': numberTransform(',') }
export const isNumber = (text: string, decimal: '.' | ','): boolean =>
  /^[-+−\d.,]/.test(text) && typeof readNumber[decimal](text) === 'number'

/** The more certain ones first. */
const separators = [' ::: ', ';', '|', ',', '\n', ' / ', '/', ' ']
const mixed = /[;|,\n/]/

/** The signs that split a cell into values that all pass the test; empty if none do. */
export function signsBetween(text: string, passes: (part: string) => boolean): string[] {
  const splits = (sign: string | RegExp) => {
    const parts = text.split(sign).flatMap(part => part.trim() || [])
    return parts.length > 0 && parts.every(passes)
  }
  const one = separators.find(sign => text.includes(sign) && splits(sign))
  if (one !== undefined) return [one]
  return splits(mixed) ? separators.filter(sign => mixed.test(sign) && text.includes(sign)) : []
}

const namelike = /^\p{L}[\p{L}\p{M}\s'’`.,&()·-]{0,60}$/u
/** Has up to six words without digits, like names. */
export const isNamelike = (text: string): boolean => namelike.test(text) && text.split(/\s+/).length <= 6
const markup =
  /<\/?(p|br|div|span|b|i|u|strong|em|a|ul|ol|li|h[1-6]|table|tr|td|img|blockquote|pre|code)\b[^<>]*>/i
export const isMarkup = (text: string): boolean => markup.test(text)
export const isJson = (text: string): boolean => /^(\[\s*[[{"\]]|\{\s*["}])/.test(text)
const legalForm = new RegExp(`${anyOf.legalForms.source}$|^${anyOf.legalPrefixes.source}`, 'u')
/** Names without blanks, as in Chinese, end in the form. */
const legalEnding = new RegExp(`(${vocabulary.legalEndings})$|^(株式会社|有限会社)`, 'u')
/** Recognizes names such as "Fenwick Ltd". */
export const isCompanyName = (text: string): boolean =>
  legalForm.test(wordsOf(text)) || legalEnding.test(text)

const nameParticles = new Set(vocabulary.nameParticles.split('|'))
const isSmall = (word: string) => /^\p{Ll}/u.test(word) && !nameParticles.has(word)
/** Recognizes names such as "Ada van Marsh". */
export const isPersonName = (text: string): boolean =>
  /^\p{Lu}[\p{L}\p{M}'’.-]+(\s\p{L}[\p{L}\p{M}'’.-]*){1,3}$/u.test(text) &&
  !text.split(' ').some(isSmall) &&
  !isCompanyName(text)

const smallWords = new Set(vocabulary.smallWords.split('|'))
/** Recognizes texts such as "Water the ferns": a later word that is no part of a name is in lower case. */
export const isSentence = (text: string): boolean =>
  /^[\p{Lu}\p{N}]/u.test(text) &&
  text.length < 120 &&
  !/@|\d{4}/.test(text) &&
  text.split(/\s+/).some((word, at) => at > 0 && isSmall(word) && !smallWords.has(word)) &&
  !isCompanyName(text)

/** Names that hardly a person has: with a number or a sign, of many words, or long without a blank, as in Chinese. */
export const isOddName = (text: string): boolean =>
  !/@|^\P{L}*$/u.test(text) &&
  (/[\d&"()«»“”„/|]|(\s\S+){5}|^[\p{Lo}・ー]{7,}$/u.test(text) || isSentence(text))

const groupsByWord = (lists: Readonly<Record<string, string>>) =>
  new Map(Object.entries(lists).flatMap(([group, words]) => wordList(words).map(word => [word, group])))
const units = groupsByWord(vocabulary.units)
/** The letter of a unit of time, in any language. */
export const unitLetter = (word: string): string | undefined => units.get(wordsOf(word))?.charAt(0)
export const readDuration = durationTransform({ hours_per_day: 8 })
/** Units stand after digits; the letters before them are those of ISO 8601, as in "PT2H". */
export const unitWords = /(?<=\d\s*)\p{L}+\.?/gu
/** Recognizes texts such as "3 days" or "2 Std."; a day has eight hours. */
export const isDuration = (text: string, read = readDuration): boolean =>
  typeof read(text.replaceAll(unitWords, word => unitLetter(word) ?? word)) === 'number'

const levels = groupsByWord(vocabulary.priorities)
/** The priority that a word means, in any language. */
export const levelOf = (text: string): string | undefined =>
  levels.get(wordsOf(text).replaceAll(/^\d+ | \d+$/g, ''))

export const hasLetter = (text: string): boolean => /\p{L}/u.test(text)
