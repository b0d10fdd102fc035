import { atPath } from '../model/values.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The field that says that an answer is about another record than the one that was sent; undefined where none does. The service
 * may write a value otherwise; a similar record that it found needs to have only one of them.
 */
export function otherField(sent: Json, answer: Json, findsSimilar: boolean): string | undefined {
  const hasSameName = isSameText(sent.name, answer.name)
  if (findsSimilar && hasSameName) return undefined // by far the most
  const fields = [
    { name: 'name', isSame: hasSameName },
    { name: 'emails', isSame: sharesOne(sent.emails, answer.emails, address) },
    findsSimilar
      ? { name: 'phones', isSame: sharesOne(sent.phones, answer.phones, lastDigits) }
      : { name: 'description', isSame: isSameText(sent.description, answer.description, 20) },
  ]
  if (findsSimilar && fields.some(({ isSame }) => isSame)) return undefined
  return fields.find(({ isSame }) => isSame === false)?.name
}

/** Whether one of two texts is the other, or a part of it: undefined where fewer letters than that can be compared. */
function isSameText(sent: unknown, answer: unknown, fewest = 1): boolean | undefined {
  if (typeof sent !== 'string' || typeof answer !== 'string') return undefined
  if (sent === answer && sent !== '') return true
  const isGarbled = /[?\uFFFD]/.test(answer) && /[^ -~\s]/.test(sent)
  const [ours, theirs] = [lettersOf(sent), lettersOf(answer)]
  if (isGarbled || Math.min(ours.length, theirs.length) < fewest) return undefined
  return isPart(ours, theirs) || isPart(theirs, ours)
}

/** The letters of a text, without their marks and case, and its whole numbers: not its markup, blanks and punctuation. */
const lettersOf = (text: string): readonly string[] =>
  text
    .slice(0, mostRead)
    .replaceAll(/<[^<>]*(>|$)/g, ' ')
    .replaceAll(/&([a-z])(acute|grave|circ|tilde|uml|cedil|ring|slash|caron);/gi, '$1')
    .replaceAll(/&(amp;)*#?\w+;/g, ' ')
    .normalize('NFKD')
    .toUpperCase()
    .match(/\p{L}|\p{N}+/gu) ?? []

const mostRead = 4_000

/** A text may be cut: its beginning counts. */
const isPart = (part: readonly string[], whole: readonly string[]) =>
  ` ${whole.join(' ')} `.includes(` ${part.slice(0, 100).join(' ')} `)

/** Whether two lists have an element in common; undefined where one is empty. */
function sharesOne(sent: unknown, answer: unknown, spell: (element: unknown) => string): boolean | undefined {
  const [ours, theirs] = [spelled(sent, spell), spelled(answer, spell)]
  return ours.size === 0 || theirs.size === 0 ? undefined : [...ours].some(text => theirs.has(text))
}

const spelled = (list: unknown, spell: (element: unknown) => string) =>
  new Set(Array.isArray(list) ? list.map(spell).filter(text => text !== '') : [])

/** A domain with other letters has two spellings: it is not compared. */
const address = (element: unknown) =>
  textAt(element, 'email')
    .toLowerCase()
    .replace(/^.*([^ -~]|xn--).*$/, '')

const lastDigits = (element: unknown) => textAt(element, 'phone_number').replaceAll(/\D/g, '').slice(-7)

function textAt(element: unknown, name: string): string {
  const text = atPath(element, name)
  return typeof text === 'string' ? text.trim() : ''
}
