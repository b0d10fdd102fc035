import { numberTransform } from '../../../mapping/transforms/number.ts'
import { phoneTransform } from '../../../mapping/transforms/phone.ts'
import { emailTransform, urlTransform } from '../../../mapping/transforms/text.ts'
import { fingerprint, KeyTable } from '../../../model/key-table.ts'
import { DateColumn, dateShape, type Seen } from './date-shapes.ts'
import { DistinctValues } from './distinct-values.ts'
import { headerWords } from './words.ts'

/** How many values of a column are of a kind, and the first that is not. */
export class Fit {
  count = 0
  misfits = 0
  misfit: Seen | undefined

  add(isOne: boolean, seen: Seen): void {
    if (isOne) this.count += 1
    else this.misfits += 1
    if (!isOne) this.misfit ??= seen
  }
}
type Kind = keyof Column['fits']
export type Columns = readonly Column[]

const mostValues = 24
const longestWord = 60
const mostSamples = 60
const longestSample = 1_000
const longestKey = 300
/** A longer text is no address, date or number. */
const longestValue = 2_000
const longestPhones = 200
/** Parsing phone numbers is slow. */
const mostParsedPhones = 5_000

const isText = (value: unknown) => typeof value === 'string'
/** As in "Ada Stone <ada@example.com>". */
const named = /^[^<>]*<([^<>\s]+@[^<>\s]+)>$/
const isEmail = (text: string) => text.includes('@') && isText(emailTransform(named.exec(text)?.[1] ?? text))
const isUrl = (text: string) =>
  /^(https?:\/\/|[\w-]+(\.[\w-]+)+(\/|$))/i.test(text) && isText(urlTransform(text))

const phoneShape = /^(\+|\(\+?)?\d[\d\s()./–-]{4,24}(\s?(x|ext\.?|extension|#)\s?\d{1,6})?$/i
const isPhone = (text: string): boolean =>
  phoneShape.test(text) &&
  /^\D*(?:\d\D*){6,20}$/.test(text) &&
  !(text.includes(' / ') && text.split(' / ').every(isPhone))
/** Longer than the "ext" of a number. */
const word = /\p{L}{4}/u
const readPhone = phoneTransform(undefined, 'keep')
const isInternational = (text: string) => /^(\+|tel:)/.test(text) && isText(readPhone(text))

const readNumber = { '.': numberTransform('.'), ',': numberTransform(',') }
const isNumber = (text: string, decimal: '.' | ',') =>
  /^[-+−\d.,]/.test(text) && typeof readNumber[decimal](text) === 'number'

/** Counts of the signs between the values of a cell. */
class Signs extends Map<string, number> {
  add(sign: string): void {
    this.set(sign, (this.get(sign) ?? 0) + 1)
  }

  /** As in `split`: the commonest first, the longest before its part. */
  get split(): string | string[] | undefined {
    const signs = [...this].sort(([a, m], [b, n]) => n - m || b.length - a.length).map(([sign]) => sign)
    return signs.length > 1 ? signs : signs[0]
  }
}

const listSigns = [' ::: ', ';', '|', ', ', ',']
/** The more telling ones first. */
const separators = [' ::: ', ';', '|', ',', '\n', ' / ', '/', ' ']
const mixed = /[;|,\n/]/

/** A cell splits into values that all pass the test; counts the signs between them. */
function areAll(text: string, passes: (part: string) => boolean, counts: Signs): boolean {
  const splits = (sign: string | RegExp) => {
    const parts = text.split(sign).flatMap(part => part.trim() || [])
    return parts.length > 0 && parts.every(passes)
  }
  const one = separators.find(sign => text.includes(sign) && splits(sign))
  const found = one
    ? [one]
    : mixed.test(text) && splits(mixed)
      ? separators.filter(sign => mixed.test(sign) && text.includes(sign))
      : []
  for (const sign of found) counts.add(sign)
  return found.length > 0
}

const keyOf = (text: string) => (text.includes('@') ? text.toLowerCase() : text)

/** Statistics of a column. Its size is bounded, save for the fingerprints of one that may be a key. */
export class Column {
  readonly name: string
  readonly words: string
  /** For links to other files. */
  readonly distinct: DistinctValues | undefined
  repeats = 0
  /** Values, of which a row may have several. */
  filled = 0
  rows = 0
  isList = false
  hasObjects = false
  hasLineBreaks = false
  countsUp = true
  /** Replacements in its values, as in a rule. */
  replace: readonly { readonly pattern: string; readonly with: string }[] | undefined
  /** An earlier draft refused rows because of it. */
  isDistrusted = false
  longest = 0
  example: Seen | undefined
  readonly values = new Set<string>()
  hasMoreValues = false
  /** The first values that differ, cut if they are long. */
  readonly samples = new Set<string>()
  readonly fits = {
    email: new Fit(),
    /** One or several, as in `phones`. */
    emails: new Fit(),
    url: new Fit(),
    date: new Fit(),
    phone: new Fit(),
    phones: new Fit(),
    international: new Fit(),
    number: new Fit(),
    decimalComma: new Fit(),
  }
  readonly #fits = Object.entries(this.fits) as [Kind, Fit][]
  readonly dates = new DateColumn()
  readonly emailSigns = new Signs()
  readonly phoneSigns = new Signs()
  readonly #signs = new Signs()
  repeated: (Seen & { readonly earlier: number }) | undefined
  #keys: KeyTable | undefined = new KeyTable()

  constructor(name: string, keepsValues = false) {
    this.name = name
    this.distinct = keepsValues ? new DistinctValues() : undefined
    this.words = headerWords(name)
  }

  /** A share of the samples, from 0 to 1. */
  shareOf(passes: (text: string) => boolean): number {
    return [...this.samples].filter(text => passes(text)).length / Math.max(1, this.samples.size)
  }

  /** Addresses stand in angle brackets behind names. */
  get hasNamedEmails(): boolean {
    return this.fits.emails.count > 0 && this.shareOf(text => /<[^<>\s]+@/.test(text)) > 0
  }

  /** Hardly ever the same value in many rows. */
  get isVaried(): boolean {
    return this.hasMoreValues || this.values.size > 2 || this.filled < 6
  }

  /** No value stands in two rows, of those that were looked at. */
  get isKeyed(): boolean {
    return this.isDistinct || (this.samples.size === this.filled && this.filled === this.rows)
  }

  /** Every row has another value, without blanks; addresses are compared without case. */
  get isDistinct(): boolean {
    return this.#keys !== undefined && this.filled === this.rows && this.rows > 0
  }

  get listSign(): string | undefined {
    const best = [this.#signs.split].flat()[0]
    return best === ',' && this.#signs.has(', ') ? ', ' : best
  }

  /** From 0 to 1. */
  share(...kinds: readonly Kind[]): number {
    return kinds.reduce((sum, kind) => sum + this.fits[kind].count, 0) / Math.max(1, this.filled)
  }

  /** An empty text is an empty cell. */
  add(text: string, line: number): void {
    if (text === '') {
      this.#keys = undefined
      return
    }
    this.filled += 1
    this.distinct?.add(text)
    this.longest = Math.max(this.longest, text.length)
    const seen = { text, line }
    this.example ??= seen
    this.hasLineBreaks ||= text.includes('\n')
    this.countsUp &&= text === String(this.filled)
    for (const sign of listSigns) if (text.includes(sign)) this.#signs.add(sign)
    if (this.samples.size < mostSamples) this.samples.add(text.slice(0, longestSample))
    this.#addWord(text)
    this.#addKey(text, line)
    const kinds = text.length > longestValue ? {} : this.#kindsOf(text, line)
    for (const [kind, fit] of this.#fits) fit.add(kinds[kind] === true, seen)
  }

  #addWord(text: string): void {
    const isFull = this.values.size >= mostValues
    if ((isFull && this.hasMoreValues) || this.values.has(text)) return
    if (isFull || text.length > longestWord) this.hasMoreValues = true
    else this.values.add(text)
  }

  #addKey(text: string, line: number): void {
    if (this.#keys === undefined) return
    const print = text.length > longestKey || /\s/.test(text) ? undefined : fingerprint(keyOf(text))
    const earlier = print && this.#keys.get(print)
    if (earlier !== undefined) this.repeated = { text, line, earlier }
    if (print === undefined || earlier !== undefined) this.#keys = undefined
    else this.#keys.set(print, line)
  }

  #kindsOf(text: string, line: number): Partial<Record<Kind, boolean>> {
    const email = isEmail(text)
    const emails = email || (text.includes('@') && areAll(text, isEmail, this.emailSigns))
    const url = !email && isUrl(text)
    if (!/\d/.test(text)) return { email, emails, url }
    const shape = dateShape(text)
    if (shape !== undefined) this.dates.add(shape, text, line)
    const phone = shape === undefined && isPhone(text)
    const canBePhones = shape === undefined && text.length < longestPhones && !word.test(text)
    const { count, misfits } = this.fits.international
    return {
      email,
      emails,
      url,
      date: shape !== undefined,
      phone,
      phones: phone || (canBePhones && areAll(text, isPhone, this.phoneSigns)),
      international: phone && count + misfits < mostParsedPhones && isInternational(text),
      number: isNumber(text, '.'),
      decimalComma: isNumber(text, ','),
    }
  }
}
