import { fingerprint, KeyTable } from '../../model/key-table.ts'
import { emailTransform, phoneTransform, urlTransform } from '../transforms/contact-details.ts'
import { numberTransform } from '../transforms/number.ts'
import { DateColumn, dateShape, type Seen } from './date-shapes.ts'
import { headerWords } from './words.ts'

/** How many values are of a kind, and the first that is not. */
export interface Fit {
  count: number
  misfits: number
  misfit: Seen | undefined
}

/** Signs between several values of a cell, the more telling ones first. */
const separators = [' ::: ', ';', '|', ', ', ',', '\n', ' / ', '/', ' '] as const
const listSigns = [' ::: ', ';', '|', ', ', ','] as const
type Separator = (typeof separators)[number]

/** `emails` and `phones` are one or several of them; `international` can be read without knowing the country. */
const kinds = [
  'email',
  'emails',
  'url',
  'date',
  'phone',
  'phones',
  'international',
  'number',
  'decimalComma',
] as const
type Kind = (typeof kinds)[number]

const mostValues = 24
const longestWord = 60
const longestKey = 300
/** A longer text is no address, date or number. */
const longestValue = 2_000
/** Parsing takes long; so many show what the column holds. */
const mostParsedPhones = 5_000

const isText = (value: unknown) => typeof value === 'string'
const isEmail = (text: string) => text.includes('@') && isText(emailTransform(text))
const isUrl = (text: string) =>
  /^(https?:\/\/|[\w-]+(\.[\w-]+)+(\/|$))/i.test(text) && isText(urlTransform(text))

const phoneShape = /^[+(]?[\d][\d\s()./–-]{4,24}(\s?(x|ext\.?|extension|#)\s?\d{1,6})?$/i
const isPhone = (text: string) => phoneShape.test(text) && /^\D*(?:\d\D*){6,20}$/.test(text)
const readPhone = phoneTransform(undefined, 'keep')
const isInternational = (text: string) => /^(\+|tel:)/.test(text) && isText(readPhone(text))

const readNumber = { '.': numberTransform('.'), ',': numberTransform(',') }
const isNumber = (text: string, decimal: '.' | ',') =>
  text.length < 40 && /^[-+−\d.,]+/.test(text) && typeof readNumber[decimal](text) === 'number'

/** The signs at which a cell falls into parts that all pass the test. */
function separatorsOf(text: string, passes: (part: string) => boolean): Separator[] {
  const found = separators.filter(separator => text.includes(separator))
  return found.filter(separator => {
    const parts = text.split(separator).filter(part => part.trim() !== '')
    return parts.length > 0 && parts.every(part => passes(part.trim()))
  })
}

/** What the values of a column look like. Its size is bounded, save for the fingerprints of one that may be a key. */
export class Column {
  readonly name: string
  readonly words: string
  /** How often the header names it. */
  repeats = 1
  filled = 0
  rows = 0
  isList = false
  hasObjects = false
  hasLineBreaks = false
  hasExtensions = false
  /** Whether its values are 1, 2, 3 and so on. */
  countsUp = true
  longest = 0
  example: Seen | undefined
  /** The first different values. */
  readonly values = new Set<string>()
  hasMoreValues = false
  readonly fits = Object.fromEntries(
    kinds.map(kind => [kind, { count: 0, misfits: 0, misfit: undefined }]),
  ) as unknown as Readonly<Record<Kind, Fit>>
  readonly dates = new DateColumn()
  readonly emailLists = new Map<Separator, number>()
  readonly phoneLists = new Map<Separator, number>()
  readonly signs = new Map<Separator, number>()
  /** The first value that an earlier row has. */
  repeated: (Seen & { readonly earlier: number }) | undefined
  #keys: KeyTable | undefined = new KeyTable()

  constructor(name: string) {
    this.name = name
    this.words = headerWords(name)
  }

  /** Whether every row has a value of its own here, without blanks. */
  get isDistinct(): boolean {
    return this.#keys !== undefined && this.filled === this.rows && this.rows > 0
  }

  /** How many of its values are of these kinds, from 0 to 1. */
  share(...of: readonly Kind[]): number {
    return of.reduce((sum, kind) => sum + this.fits[kind].count, 0) / Math.max(1, this.filled)
  }

  /** Takes the cell of a row; an empty text is an empty cell. */
  add(text: string, line: number): void {
    if (text === '') {
      this.#keys = undefined
      return
    }
    this.filled += 1
    this.longest = Math.max(this.longest, text.length)
    this.example ??= { text, line }
    this.hasLineBreaks ||= text.includes('\n')
    this.countsUp &&= text === String(this.filled)
    this.#addWord(text)
    for (const sign of listSigns) if (text.includes(sign)) increase(this.signs, sign)
    this.#addKey(text, line)
    this.#addKinds(text, line)
  }

  #addWord(text: string): void {
    const isFull = this.values.size >= mostValues
    if ((isFull && this.hasMoreValues) || this.values.has(text)) return
    if (isFull || text.length > longestWord) this.hasMoreValues = true
    else this.values.add(text)
  }

  #addKey(text: string, line: number): void {
    if (this.#keys === undefined) return
    const print = text.length > longestKey || /\s/.test(text) ? undefined : fingerprint(text)
    const earlier = print && this.#keys.get(print)
    if (earlier !== undefined) this.repeated = { text, line, earlier }
    if (print === undefined || earlier !== undefined) this.#keys = undefined
    else this.#keys.set(print, line)
  }

  #addKinds(text: string, line: number): void {
    const found = text.length > longestValue ? {} : this.#kindsOf(text, line)
    for (const kind of kinds) {
      const fit = this.fits[kind]
      if (found[kind]) fit.count += 1
      else {
        fit.misfits += 1
        fit.misfit ??= { text, line }
      }
    }
  }

  #kindsOf(text: string, line: number): Partial<Record<Kind, boolean>> {
    const email = isEmail(text)
    const emails = email || (text.includes('@') && isList(this.emailLists, text, isEmail))
    const url = !email && isUrl(text)
    if (!/\d/.test(text)) return { email, emails, url }
    const shape = dateShape(text)
    if (shape !== undefined) this.dates.add(shape, text, line)
    const phone = shape === undefined && isPhone(text)
    if (phone && /[x#]/i.test(text)) this.hasExtensions = true
    const canBePhones = shape === undefined && text.length < 200
    const { count, misfits } = this.fits.international
    return {
      email,
      emails,
      url,
      date: shape !== undefined,
      phone,
      phones: phone || (canBePhones && isList(this.phoneLists, text, isPhone)),
      international: phone && count + misfits < mostParsedPhones && isInternational(text),
      number: isNumber(text, '.'),
      decimalComma: isNumber(text, ','),
    }
  }
}

/** Whether a cell holds several values that pass the test; counts the signs between them. */
function isList(counts: Map<Separator, number>, text: string, passes: (part: string) => boolean): boolean {
  const found = separatorsOf(text, passes)
  for (const separator of found) increase(counts, separator)
  return found.length > 0
}

const increase = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** The sign that most cells have between their values. */
export const commonest = (counts: ReadonlyMap<Separator, number>): Separator | undefined =>
  [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]

/** The sign between the items of a list in a cell, if there is one. */
export function listSign({ signs }: Column): Separator | undefined {
  const [sign] = [...signs].sort(([a, m], [b, n]) => n - m || b.length - a.length)[0] ?? []
  return sign === ',' && signs.has(', ') ? ', ' : sign
}
