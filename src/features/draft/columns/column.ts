import { fingerprint } from '../../../model/fingerprint.ts'
import { KeyTable } from '../../../model/key-table.ts'
import { DateColumn, dateShape, type Seen } from './date-shapes.ts'
import forms from './forms.json' with { type: 'json' }
import { isEmail, isInternational, isNumber, isUrl, phonesIn, signsBetween } from './values.ts'
import { askedIn, headerWords } from './words.ts'

const mostBad = 20
const mostBadShare = 0.02

/** The values of a kind, counted, and the others with the first of them. */
const newFit = (noun: string) => ({ noun, count: 0, misfits: 0, misfit: undefined as Seen | undefined })
export type Fit = ReturnType<typeof newFit>

/** Checks that hardly any value is wrong: such rows are refused and corrected. */
export const isNearlyAll = ({ count, misfits }: Fit): boolean =>
  misfits <= mostBad && misfits <= (misfits + count) * mostBadShare

type Kind = keyof typeof forms.kinds
type Fits = Readonly<Record<Kind, Fit>>
const allKinds = Object.keys(forms.kinds) as Kind[]
const newFits = () =>
  Object.fromEntries(Object.entries(forms.kinds).map(([kind, noun]) => [kind, newFit(noun)])) as Fits
export type Columns = readonly Column[]

const mostValues = 24
const longestWord = 60
const mostSamples = 60
const longestSample = 1_000
const longestKey = 300
/** A longer text is no address, date or number. */
const longestValue = 2_000
/** Parsing phone numbers is slow. */
const mostParsedPhones = 5_000
/** Counts of the signs between the values of a cell. */
class Signs extends Map<string, number> {
  /** Returns whether there are any. */
  add(signs: readonly string[]): boolean {
    for (const sign of signs) this.set(sign, (this.get(sign) ?? 0) + 1)
    return signs.length > 0
  }

  /** A value for `split`: the commonest first, the longest before its part. */
  get split(): string | string[] | undefined {
    const signs = [...this].sort(([a, m], [b, n]) => n - m || b.length - a.length).map(([sign]) => sign)
    return signs.length > 1 ? signs : signs[0]
  }
}

const listSigns = [' ::: ', ';', '|', ', ', ',']

const longestText = 300
const namesNothing = /^(0|[-–—.?]+|n\/?a|none|null|nil|unknown|\\n)$/i
/** Words for nothing, such as a dash. */
export const isNothing = /^([-–—\s]+|n\/a|N\/A|none|None|null|NULL|nan|NaN)$/

/** The distinct values of a column, as lookups compare them. */
export class DistinctValues {
  readonly texts = new Set<string>()
  /** Cells that name nothing, such as "N/A", are no values. */
  readonly nothing = new Set<string>()
  repeats = 0

  add(text: string): void {
    if (namesNothing.test(text)) return void this.nothing.add(text)
    const { size } = this.texts
    if (text.length <= longestText) this.texts.add(text.toLowerCase())
    if (this.texts.size === size) this.repeats += 1
  }

  get isNearlyDistinct(): boolean {
    return this.repeats * 9 <= this.texts.size && this.texts.size > 0
  }
}

/** Statistics of a column. Its size is bounded, save for the fingerprints of one that may be a key. */
export class Column {
  readonly name: string
  /** The words of its header. */
  words: string
  /** Those of each part between slashes, as in "City / Town", and of a remark in brackets; what a question asks for. */
  readonly alternatives: readonly string[]
  /** Values for links to other files. */
  readonly distinct: DistinctValues | undefined
  /** The number of values, of which a row may have several. */
  filled = 0
  rows = 0
  isList = false
  hasObjects = false
  /** The key of the objects in its lists that holds the values, such as `value`. */
  item = ''
  hasLineBreaks = false
  /** Blanks stand within its phone numbers, so that they split none. */
  hasSpacedPhones = false
  /** Words stand around its phone numbers. */
  hasRemarks = false
  countsUp = true
  /** Replacements in its values, as in a rule. */
  replace: readonly { readonly pattern: string; readonly with: string }[] | undefined
  /** The folder of tables to fill in, as the mapping names it, with a slash at its end. */
  worksheets: string | undefined
  /** An earlier draft refused rows because of it. */
  isDistrusted = false
  longest = 0
  example: Seen | undefined
  /** What its empty cells hold. */
  readonly nothing = new Set<string>()
  /** The first short values that differ. */
  readonly values = new Set<string>()
  hasMoreValues = false
  /** The first values that differ, cut if they are long. */
  readonly samples = new Set<string>()
  /** `emails` and `phones` are one or several. */
  readonly fits = newFits()
  readonly dates = new DateColumn()
  readonly emailSigns = new Signs()
  readonly phoneSigns = new Signs()
  readonly urlSigns = new Signs()
  readonly #signs = new Signs()
  /** The first value that is in two rows, if the column could have been a key until then. */
  repeated: (Seen & { readonly earlier: number }) | undefined
  #keys: KeyTable | undefined = new KeyTable()
  /** Every row has another value, without blanks; addresses are compared without case. Known at the end. */
  isDistinct = false

  constructor(name: string, keepsValues = false) {
    this.name = name
    this.distinct = keepsValues ? new DistinctValues() : undefined
    this.words = headerWords(name)
    const parts = name.split(/[/()[\]（）【】]/).filter(part => part !== name && part.trim() !== '')
    this.alternatives = [...parts.map(headerWords), ...askedIn(name)]
  }

  shareOf(passes: (text: string) => boolean): number {
    return [...this.samples].filter(text => passes(text)).length / Math.max(1, this.samples.size)
  }

  /** The share of values that are of one of the kinds, from 0 to 1. */
  share(...kinds: readonly Kind[]): number {
    return kinds.reduce((sum, kind) => sum + this.fits[kind].count, 0) / Math.max(1, this.filled)
  }

  /** Addresses are written like "Ada Stone <ada@example.com>". */
  get hasNamedEmails(): boolean {
    return this.fits.emails.count > 0 && this.shareOf(text => /<[^<>\s]+@/.test(text)) > 0
  }

  /** Checks that it is hardly ever the same value in many rows. */
  get isVaried(): boolean {
    return this.hasMoreValues || this.values.size > 2 || this.filled < 6
  }

  /** Hardly more than one value in many rows, as of a desk or a switchboard. */
  get isSame(): boolean {
    return this.filled > 5 && this.samples.size < mostSamples && this.samples.size <= 1 + this.filled / 50
  }

  /** No value is in two of the rows that were looked at. */
  get isKeyed(): boolean {
    return this.isDistinct || (this.samples.size === this.filled && this.filled === this.rows)
  }

  /** Lets go of what only reading needs, some 2 MB. */
  end(): void {
    this.isDistinct ||= this.#keys !== undefined && this.filled === this.rows && this.rows > 0
    this.#keys = undefined
  }

  get listSign(): string | undefined {
    const best = [this.#signs.split].flat()[0]
    return best === ',' && this.#signs.has(', ') ? ', ' : best
  }

  /** An empty text is an empty cell. */
  add(text: string, line: number): void {
    if (text === '' || isNothing.test(text)) {
      this.#keys = undefined
      if (text === '') return
      this.nothing.add(text)
      return void this.distinct?.nothing.add(text)
    }
    this.filled += 1
    this.distinct?.add(text)
    this.longest = Math.max(this.longest, text.length)
    const seen = { text, line }
    this.example ??= seen
    this.hasLineBreaks ||= text.includes('\n')
    this.countsUp &&= text === String(this.filled)
    this.#signs.add(listSigns.filter(sign => text.includes(sign)))
    if (this.samples.size < mostSamples) this.samples.add(text.slice(0, longestSample))
    if (text.length <= longestWord && this.values.size < mostValues) this.values.add(text)
    else this.hasMoreValues ||= !this.values.has(text)
    this.#addKey(seen)
    const kinds = text.length > longestValue ? {} : this.#kindsOf(seen)
    for (const kind of allKinds) {
      const fit = this.fits[kind]
      fit[kinds[kind] ? 'count' : 'misfits'] += 1
      if (!kinds[kind]) fit.misfit ??= seen
    }
  }

  #addKey({ text, line }: Seen): void {
    const keys = this.#keys
    this.#keys = undefined
    if (keys === undefined || text.length > longestKey || /\s/.test(text)) return
    const key = fingerprint(text.includes('@') ? text.toLowerCase() : text)
    const earlier = keys.get(key)
    if (earlier !== undefined) this.repeated = { text, line, earlier }
    else {
      keys.set(key, line)
      this.#keys = keys
    }
  }

  #kindsOf(seen: Seen): Partial<Record<Kind, boolean | undefined>> {
    const { text } = seen
    const email = isEmail(text)
    const emails = email || (text.includes('@') && this.emailSigns.add(signsBetween(text, isEmail)))
    const url =
      !email && (isUrl(text) || (text.includes('.') && this.urlSigns.add(signsBetween(text, isUrl))))
    if (!/\d/.test(text)) return { email, emails, url }
    const shape = dateShape(text)
    if (shape !== undefined) this.dates.add(shape, seen)
    const numbers = shape === undefined ? phonesIn(text) : undefined
    const phone = numbers?.isOne
    this.hasSpacedPhones ||= Boolean(phone) && /\d \d/.test(text)
    const phones = phone || (numbers && this.phoneSigns.add(numbers.signs))
    this.hasRemarks ||= numbers?.hasRemarks ?? false
    const { count, misfits } = this.fits.international
    return {
      email,
      emails,
      url,
      date: shape !== undefined,
      phone,
      phones,
      international: phone && count + misfits < mostParsedPhones && isInternational(numbers.bare),
      number: isNumber(text, '.'),
      decimalComma: isNumber(text, ','),
    }
  }
}
