export type Json = Readonly<Record<string, unknown>>

/**
 * Returns the paths of what was sent and the answer lacks. Empty values are not compared, nor is what a value became: the
 * service may write it otherwise.
 */
export function missingInAnswer(sent: unknown, answer: unknown): string[] {
  const missing: string[] = []
  noteMissing(sent, answer, '', missing)
  return missing
}

function noteMissing(sent: unknown, answer: unknown, path: string, missing: string[]): void {
  if (answer === undefined || answer === null || answer === '') {
    if (!isEmpty(sent)) missing.push(path)
    return
  }
  if (typeof sent !== 'object' || sent === null || typeof answer !== 'object') return
  const at = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`)
  if (Array.isArray(sent)) {
    const others = Array.isArray(answer) ? counterparts(sent, answer) : sent
    for (const [index, element] of sent.entries()) noteMissing(element, others[index], at(index), missing)
    return
  }
  for (const key of Object.keys(sent))
    noteMissing((sent as Json)[key], own(answer, key) ?? own(answer, otherName(key)), at(key), missing)
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isEmpty)
    : value === undefined || value === null || value === ''

/** The value of an own key; undefined for null. */
const own = (value: object, key: string) =>
  Object.hasOwn(value, key) ? ((value as Json)[key] ?? undefined) : undefined

/** An id may come back as the object that it names, or the other way round: `assigned_user_id` and `assigned_user`. */
function otherName(key: string): string {
  if (key.endsWith('_id')) return key.slice(0, -3)
  return key.endsWith('_ids') ? `${key.slice(0, -4)}s` : `${key}_id`
}

/** Fields that identify the elements of a list (interface 2), the surest first. */
const exact = ['custom_field_id', 'record_id', 'project_id', 'user_id', 'option_id']
const idNames = [...exact, 'email', 'phone_number', 'name']

/** The first id that an element has, or the element itself if it is no object; in lower case. */
function idOf(element: unknown, names = idNames): string | undefined {
  if (typeof element !== 'object' || element === null) return `${element}`.toLowerCase()
  const name = names.find(name => own(element, name) !== undefined)
  return name && `${own(element, name)}`.toLowerCase()
}

/** The element of the answer with the same id, for each that was sent; the next one if the service may write that id otherwise. */
function counterparts(sent: readonly unknown[], answer: readonly unknown[]): readonly unknown[] {
  if (sent.every((element, index) => idOf(element) === idOf(answer[index]))) return answer // by far the most
  const byId = new Map<string, unknown[]>()
  for (const element of answer)
    for (const id of new Set(idNames.map(name => idOf(element, [name]) ?? '')))
      if (!byId.get(id)?.push(element)) byId.set(id, [element])
  const matches = sent.map(element => {
    const id = idOf(element)
    const same = (id && byId.get(id)) || []
    return same.length > 1 ? same.shift() : same[0]
  })
  const taken = new Set(matches)
  const rest = answer.filter(element => !taken.has(element)).values()
  return matches.map((element, index) => {
    const isExact = typeof sent[index] === 'object' && idOf(sent[index] ?? {}, exact) !== undefined
    return element ?? (isExact || isEmpty(sent[index]) ? undefined : rest.next().value)
  })
}

/**
 * Returns the field by which an answer is about another record than the one that was sent; undefined if none is. The service
 * may write a value otherwise; a similar record that it found needs to have only one of them.
 */
export function otherField(sent: Json, answer: Json, findsSimilar: boolean): string | undefined {
  const name = isSameText(sent.name, answer.name)
  const emails = sharesOne(sent.emails, answer.emails, address)
  const other = findsSimilar
    ? sharesOne(sent.phones, answer.phones, lastDigits)
    : isSameText(sent.description, answer.description, fewestWords)
  if (findsSimilar && (name || emails || other)) return undefined
  if (name === false) return 'name'
  if (emails === false) return 'emails'
  if (other === false) return findsSimilar ? 'phones' : 'description'
  return undefined
}

/**
 * Compares two texts: true if they can be of one record, undefined if fewer words than `fewest` can be compared. Each has words
 * that the other lacks if they are of two: a service may leave out, add, or write otherwise what is markup or no plain word.
 */
function isSameText(sent: unknown, answer: unknown, fewest = 1): boolean | undefined {
  if (typeof sent !== 'string' || typeof answer !== 'string') return undefined
  if (sent === answer && sent !== '') return true
  const [before, after] = [wordsOf(sent), wordsOf(answer)]
  if (before.length > 0 && before.join('') === after.join('')) return true
  const haveOthers = [before, after].every(words => words.some(isOther))
  const isPlain = (word: string) => /^[a-z\d]+$/.test(word) || (haveOthers && isOther(word))
  const [plain, plainAfter] = [before.filter(isPlain), after.filter(isPlain)]
  const fewer = Math.min(plain.length, plainAfter.length)
  if (fewer < fewest) return undefined
  const lost = plain.filter(word => !isAmong(word, plainAfter)).length
  const added = plainAfter.filter(word => !isAmong(word, plain)).length
  if (fewest > 1) return Math.max(plain.length - lost, plainAfter.length - added) * 2 > fewer
  const isCut = answer.length >= shortestCut && answer.length < sent.length
  if (isCut && before.join('').startsWith(after.join('').slice(0, longestBeginning))) return true
  return lost <= after.length - plainAfter.length || added <= before.length - plain.length
}

const mostRead = 4_000
/** Fewest words of a description, of which half count as the same. */
const fewestWords = 4
/** No service allows fewer characters. */
const shortestCut = 20
/** Anything that a service adds to a text that it cut comes later. */
const longestBeginning = 30

/** The words of a text, without its markup, in lower case. An entity makes its word no plain one. */
const wordsOf = (text: string): readonly string[] =>
  text
    .slice(0, mostRead)
    .replaceAll(/<\/?[a-z][^<>]*(>|$)/gi, ' ')
    .replaceAll(/&(amp;)*(amp|[lg]t|quot|apos|nbsp|#\d\d|#x[2-7].);/gi, ' ')
    .replaceAll(/&(amp;)*#?\w+;/g, '\uFFFD')
    .normalize()
    .toLowerCase()
    .split(/[\0-/:-@[-`{-\x7f\s]+/)
    .filter(word => word !== '')

/** Letters that are not Latin. */
const isOther = (word: string): boolean =>
  /^(?!.*\p{Script=Latin})(?![\0-\x7f]*$)[\p{L}\p{M}\p{N}]+$/u.test(word)

/** Letters that are not Latin may have no blanks between words, so a part of them is the same. Marks may be left out. */
function isAmong(word: string, words: readonly string[]): boolean {
  if (words.includes(word)) return true
  const letters = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')
  const isPart = (part: string, whole: string) => letters(whole).includes(letters(part))
  return isOther(word) && words.some(each => isOther(each) && (isPart(word, each) || isPart(each, word)))
}

type Spell = (element: unknown) => string

/** Compares two lists: true if they have an element in common, undefined if one is empty. */
function sharesOne(sent: unknown, answer: unknown, spell: Spell): boolean | undefined {
  if (!Array.isArray(sent) || !Array.isArray(answer)) return undefined
  const first = sent.length > 0 ? spell(sent[0]) : ''
  if (first !== '' && answer.length > 0 && spell(answer[0]) === first) return true // by far the most
  const [before = [], after = []] = [sent, answer].map(list => list.map(spell).filter(text => text !== ''))
  if (before.length === 0 || after.length === 0) return undefined
  return before.some(text => after.includes(text))
}

function textAt(element: unknown, name: string): string {
  const text = typeof element === 'object' && element !== null ? own(element, name) : undefined
  return typeof text === 'string' ? text.trim() : ''
}

/** Leaves out what follows a plus. A domain with other letters has two spellings, and stars hide some: these are not compared. */
const address: Spell = element =>
  textAt(element, 'email')
    .replace(/^.*([^ -~]|xn--|\*).*$/i, '')
    .replaceAll(/^mailto:|\+[^@]*/gi, '')
    .toLowerCase()

const lastDigits: Spell = element => textAt(element, 'phone_number').replaceAll(/\D/g, '').slice(-7)
