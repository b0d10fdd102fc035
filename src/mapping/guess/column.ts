import { fingerprint, KeyTable } from '../../model/key-table.ts'
import { DateColumn } from './date-column.ts'
import { dateShape } from './date-shapes.ts'
import type { Seen } from './facts.ts'
import { headerWords } from './header-words.ts'
import { type Separator, separatorsOf } from './separators.ts'
import { isEmail, isInternational, isNumber, isPhone, isUrl, type ValueKind } from './value-kinds.ts'

/** How many values are of a kind, and the first that is not. */
export interface Fit {
  count: number
  misfits: number
  misfit: Seen | undefined
}

const mostWords = 24
const longestWord = 60
/** A longer text is no address, date or number. */
const longestValue = 2_000
const listSigns = [' ::: ', ';', '|', ', ', ','] as const
const mostParsedPhones = 5_000
const newFit = (): Fit => ({ count: 0, misfits: 0, misfit: undefined })

/** What the values of a column look like. Bounded, but for the fingerprints of a column that may name its rows. */
export class Column {
  readonly name: string
  /** Its name in plain words. */
  readonly words: string
  /** How often the header names it. */
  repeats = 1
  filled = 0
  rows = 0
  isList = false
  hasObjects = false
  hasLineBreaks = false
  hasExtensions = false
  longest = 0
  example: Seen | undefined
  readonly values = new Map<string, number>()
  hasMoreValues = false
  readonly fits: Readonly<Record<ValueKind | 'date', Fit>> = {
    email: newFit(),
    url: newFit(),
    phone: newFit(),
    international: newFit(),
    number: newFit(),
    decimalComma: newFit(),
    date: newFit(),
  }
  readonly dates = new DateColumn()
  readonly emailLists = new Map<Separator, number>()
  /** The first value that is neither an address nor a list of them, and how many are so. */
  readonly noEmail: Fit = newFit()
  readonly noPhone: Fit = newFit()
  readonly phoneLists = new Map<Separator, number>()
  readonly signs = new Map<Separator, number>()
  /** The place that repeats an earlier value, where one does. */
  repeated: (Seen & { readonly earlier: number }) | undefined
  countsUp = true
  #keys: KeyTable | undefined = new KeyTable()

  constructor(name: string) {
    this.name = name
    this.words = headerWords(name)
  }

  /** Whether every row has a value of its own here. */
  get isDistinct(): boolean {
    return this.#keys !== undefined && this.filled === this.rows && this.rows > 0
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
    if (text.includes('\n')) this.hasLineBreaks = true
    if (this.countsUp && text !== String(this.filled)) this.countsUp = false
    this.#count(text)
    this.#name(text, line)
    if (text.length > longestValue) this.#misfit(text, line)
    else this.#look(text, line)
  }

  #count(text: string): void {
    const known = this.values.get(text)
    if (known !== undefined) this.values.set(text, known + 1)
    else if (this.values.size >= mostWords || text.length > longestWord) this.hasMoreValues = true
    else this.values.set(text, 1)
  }

  /** Texts with blanks name no row, so no more is kept of them. */
  #name(text: string, line: number): void {
    if (this.#keys === undefined) return
    const print = text.length > 300 || /\s/.test(text) ? undefined : fingerprint(text)
    const earlier = print && this.#keys.get(print)
    if (earlier !== undefined) this.repeated = { text, line, earlier }
    if (print === undefined || earlier !== undefined) this.#keys = undefined
    else this.#keys.set(print, line)
  }

  #misfit(text: string, line: number): void {
    tell(this.noEmail, false, text, line)
    tell(this.noPhone, false, text, line)
    for (const fit of Object.values(this.fits)) tell(fit, false, text, line)
  }

  #look(text: string, line: number): void {
    const { fits } = this
    const hasDigit = /\d/.test(text)
    const isShort = hasDigit && text.length < 40
    const email = isEmail(text)
    tell(fits.email, email, text, line)
    const areEmails = !email && text.includes('@') && this.#lists(this.emailLists, text, isEmail)
    tell(this.noEmail, email || areEmails, text, line)
    tell(fits.url, !email && isUrl(text), text, line)
    const shape = hasDigit ? dateShape(text) : undefined
    tell(fits.date, shape !== undefined, text, line)
    if (shape !== undefined) this.dates.add(shape, text, line)
    const phone = hasDigit && shape === undefined && isPhone(text)
    tell(fits.phone, phone, text, line)
    if (phone && /[x#]/i.test(text)) this.hasExtensions = true
    const canBePhones = hasDigit && !phone && shape === undefined && text.length < 200
    tell(this.noPhone, phone || (canBePhones && this.#lists(this.phoneLists, text, isPhone)), text, line)
    const canParse = fits.international.count + fits.international.misfits < mostParsedPhones
    tell(fits.international, phone && canParse && isInternational(text), text, line)
    tell(fits.number, isShort && isNumber(text, '.'), text, line)
    tell(fits.decimalComma, isShort && isNumber(text, ','), text, line)
    for (const sign of listSigns)
      if (text.includes(sign)) this.signs.set(sign, (this.signs.get(sign) ?? 0) + 1)
  }

  #lists(counts: Map<Separator, number>, text: string, passes: (part: string) => boolean): boolean {
    const found = separatorsOf(text, passes)
    for (const separator of found) counts.set(separator, (counts.get(separator) ?? 0) + 1)
    return found.length > 0
  }
}

function tell(fit: Fit, fits: boolean, text: string, line: number): void {
  if (fits) fit.count += 1
  else {
    fit.misfits += 1
    fit.misfit ??= { text, line }
  }
}
