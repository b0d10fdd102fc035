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
  /** Whether later values were not asked for. */
  isPartial: boolean
}

const mostWords = 24
const longestWord = 60
/** Of what is rare among the first values, the later ones are not asked for. */
const mostLooked = 3_000
/** A kind is rare of which fewer than one value in so many is. */
const oneIn = 4
/** A longer text is no address, date or number. */
const longestValue = 2_000
const listSigns = [' ::: ', ';', '|', ', ', ','] as const
const mostParsedPhones = 5_000
const newFit = (): Fit => ({ count: 0, misfits: 0, misfit: undefined, isPartial: false })

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
  #kinds: Set<ValueKind | 'date'> | undefined
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
    if (this.hasMoreValues && this.filled > mostLooked) return
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
    const isClose = this.filled <= mostLooked
    if (!isClose) this.#kinds ??= this.#often()
    const often = (kind: ValueKind | 'date') => isClose || this.#kinds?.has(kind) === true
    const ask = (kind: ValueKind | 'date', fit: Fit, fits: boolean) => {
      if (often(kind)) tell(fit, fits, text, line)
      else fit.isPartial = true
    }
    const [likeEmail, likeUrl, likeDate] = [often('email'), often('url'), often('date')]
    const hasDigit = (likeDate || often('phone') || often('number')) && /\d/.test(text)
    const likeNumber = hasDigit && text.length < 40 && often('number')
    const email = likeEmail && isEmail(text)
    ask('email', fits.email, email)
    const areEmails = likeEmail && !email && text.includes('@') && this.#lists(this.emailLists, text, isEmail)
    ask('email', this.noEmail, email || areEmails)
    ask('url', fits.url, likeUrl && !email && isUrl(text))
    const shape = hasDigit && likeDate ? dateShape(text) : undefined
    ask('date', fits.date, shape !== undefined)
    if (shape !== undefined) this.dates.add(shape, text, line)
    const canBePhone = hasDigit && shape === undefined && often('phone')
    const phone = canBePhone && isPhone(text)
    ask('phone', fits.phone, phone)
    if (phone && /[x#]/i.test(text)) this.hasExtensions = true
    const canBePhones = canBePhone && !phone && text.length < 200
    ask('phone', this.noPhone, phone || (canBePhones && this.#lists(this.phoneLists, text, isPhone)))
    const canParse = fits.international.count + fits.international.misfits < mostParsedPhones
    ask('phone', fits.international, phone && canParse && isInternational(text))
    ask('number', fits.number, likeNumber && isNumber(text, '.'))
    ask('number', fits.decimalComma, likeNumber && isNumber(text, ','))
    if (isClose)
      for (const sign of listSigns)
        if (text.includes(sign)) this.signs.set(sign, (this.signs.get(sign) ?? 0) + 1)
  }

  /** The kinds that so many values are of that the others matter. */
  #often(): Set<ValueKind | 'date'> {
    const { fits, emailLists, phoneLists, filled } = this
    const most = {
      email: Math.max(fits.email.count, ...emailLists.values()),
      phone: Math.max(fits.phone.count, ...phoneLists.values()),
      number: Math.max(fits.number.count, fits.decimalComma.count),
      url: fits.url.count,
      date: fits.date.count,
    }
    return new Set((Object.keys(most) as (keyof typeof most)[]).filter(kind => most[kind] * oneIn > filled))
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
