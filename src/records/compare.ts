export type Json = Readonly<Record<string, unknown>>

/** Empty values are not compared, nor is what a value became: the service may write it otherwise. */
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
    const found = Array.isArray(answer) ? counterparts(sent, answer) : sent
    for (const [index, element] of sent.entries()) noteMissing(element, found[index], at(index), missing)
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

/** Fields that tell the elements of a list apart (interface 2), the surest first. */
const exact = ['custom_field_id', 'record_id', 'project_id', 'user_id', 'option_id']
const idNames = [...exact, 'email', 'phone_number', 'name']

/** The first id that an element has, or the element itself if it is no object; in lower case. */
function idOf(element: unknown, names = idNames): string | undefined {
  if (typeof element !== 'object' || element === null) return `${element}`.toLowerCase()
  const name = names.find(name => own(element, name) !== undefined)
  return name && `${own(element, name)}`.toLowerCase()
}

/** For each element that was sent, the one of the answer with the same id; where the service may write that otherwise, the next one. */
function counterparts(sent: readonly unknown[], answer: readonly unknown[]): readonly unknown[] {
  if (sent.every((element, index) => idOf(element) === idOf(answer[index]))) return answer // by far the most
  const byId = new Map<string, unknown[]>()
  for (const element of answer)
    for (const id of new Set(idNames.map(name => idOf(element, [name]) ?? '')))
      if (!byId.get(id)?.push(element)) byId.set(id, [element])
  const found = sent.map(element => {
    const id = idOf(element)
    const same = (id && byId.get(id)) || []
    return same.length > 1 ? same.shift() : same[0]
  })
  const taken = new Set(found)
  const rest = answer.filter(element => !taken.has(element)).values()
  return found.map((element, index) => {
    const isExact = typeof sent[index] === 'object' && idOf(sent[index] ?? {}, exact) !== undefined
    return element ?? (isExact || isEmpty(sent[index]) ? undefined : rest.next().value)
  })
}

/**
 * The field that says that an answer is about another record than the one that was sent; undefined if none does. The service
 * may write a value otherwise; a similar record that it found needs to have only one of them.
 */
export function otherField(sent: Json, answer: Json, findsSimilar: boolean): string | undefined {
  const name = isSameText(sent.name, answer.name)
  if (findsSimilar && name) return undefined
  const emails = sharesOne(sent.emails, answer.emails, address)
  if (findsSimilar && emails) return undefined
  const other = findsSimilar
    ? sharesOne(sent.phones, answer.phones, lastDigits)
    : isSameText(sent.description, answer.description, fewestWords)
  if (findsSimilar && other) return undefined
  if (name === false) return 'name'
  if (emails === false) return 'emails'
  if (other === false) return findsSimilar ? 'phones' : 'description'
  return undefined
}

/**
 * Whether two texts can be of one record; undefined if fewer words than that can be compared. Each has words that the other
 * lacks if they are of two: a service may leave out, add, or write otherwise what is markup or no plain word.
 */
function isSameText(sent: unknown, answer: unknown, fewest = 1): boolean | undefined {
  if (typeof sent !== 'string' || typeof answer !== 'string') return undefined
  if (sent === answer && sent !== '') return true
  const [ours, theirs] = [wordsOf(sent), wordsOf(answer)]
  if (ours.length > 0 && ours.join('') === theirs.join('')) return true
  const haveOthers = [ours, theirs].every(words => words.some(isOther))
  const isPlain = (word: string) => /^[a-z\d]+$/.test(word) || (haveOthers && isOther(word))
  const [plain, plainThere] = [ours.filter(isPlain), theirs.filter(isPlain)]
  const fewer = Math.min(plain.length, plainThere.length)
  if (fewer < fewest) return undefined
  const lost = plain.filter(word => !isAmong(word, plainThere)).length
  const added = plainThere.filter(word => !isAmong(word, plain)).length
  if (fewest > 1) return Math.max(plain.length - lost, plainThere.length - added) * 2 > fewer
  const isCut = answer.length >= shortestCut && answer.length < sent.length
  if (isCut && ours.join('').startsWith(theirs.join('').slice(0, longestBeginning))) return true
  return lost <= theirs.length - plainThere.length || added <= ours.length - plain.length
}

const mostRead = 4_000
/** Fewest words of a description, of which half count as the same. */
const fewestWords = 4
/** No service allows fewer characters. */
const shortestCut = 20
/** Anything that a service adds to a text that it cut comes later. */
const longestBeginning = 30

/** The words of a text, without its markup, in lower case. A character that an entity stands for makes its word no plain one. */
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

/** Whether a word is of letters that are not Latin. */
const isOther = (word: string): boolean =>
  /^(?!.*\p{Script=Latin})(?![\0-\x7f]*$)[\p{L}\p{M}\p{N}]+$/u.test(word)

/** Letters that are not Latin may stand without blanks, so a part of them is the same, and marks may be left out. */
function isAmong(word: string, words: readonly string[]): boolean {
  if (words.includes(word)) return true
  const letters = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')
  const isPart = (part: string, whole: string) => letters(whole).includes(letters(part))
  return isOther(word) && words.some(each => isOther(each) && (isPart(word, each) || isPart(each, word)))
}

type Spell = (element: unknown) => string

/** Whether two lists have an element in common; undefined if one is empty. */
function sharesOne(sent: unknown, answer: unknown, spell: Spell): boolean | undefined {
  if (!Array.isArray(sent) || !Array.isArray(answer)) return undefined
  const first = sent.length > 0 ? spell(sent[0]) : ''
  if (first !== '' && answer.length > 0 && spell(answer[0]) === first) return true // by far the most
  const [ours, theirs] = [spelled(sent, spell), spelled(answer, spell)]
  return ours.size === 0 || theirs.size === 0 ? undefined : [...ours].some(text => theirs.has(text))
}

const spelled = (list: readonly unknown[], spell: Spell) =>
  new Set(list.map(spell).filter(text => text !== ''))

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
