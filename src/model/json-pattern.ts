/** Stands for what differs from row to row. */
export const sign = '…'

/** Keys of JSON under which stands what an error is about: their values stay. */
const telling = new Set(
  `error errors err message messages msg detail details description reason reasons code type title status fault
  faultstring faultcode exception cause hint result success warning warnings note explanation text summary problem problems
  violation violations validation invalid failure failures failed field fields property attribute param parameter pointer
  column rule constraint keyword schema path loc source target category kind level severity`.split(/\s+/),
)
/** Keys under which stands what was sent, or names something: their values differ from row to row. */
const naming = new Set(
  `id ids uuid guid key value values input received given actual got provided name names email emails mail phone phones
  user contact contacts person record records body data payload request params query trace span correlation instance url
  uri href timestamp time date token session client ip existing duplicate original`.split(/\s+/),
)
/** Keys of an object whose own keys are fields of the record, each with what is wrong with it. */
const fieldwise = new Set(['errors', 'violations', 'fields'])

const token = /"(?:[^"\\]|\\[\s\S])*\\?"?|[{}[\],:]|[^\s"{}[\],:]+/g
const wholeString = /^"(?:[^"\\]|\\[\s\S])*"$/
const startsLikeJson = /^\s*(?:\{\s*["}]|\[\s*[[{"\]]|"(?:[^"\\]|\\[\s\S])*\\?"?\s*$)/

/** Takes out of a text what changes; `isCut` says that its end is missing. */
type Plain = (text: string, isCut: boolean) => string

/** What is nested deeper is out. */
const deepest = 20

/**
 * The shape of JSON with its keys and the texts that tell what is wrong, each made plain; other values are out. It may be
 * cut short anywhere. Undefined for what does not look like JSON.
 */
export function jsonPattern(text: string, plain: Plain): string | undefined {
  if (!startsLikeJson.test(text)) return undefined
  const tokens = text.match(token) ?? []
  const known = new Reader(tokens, plain, 'out')
  const pattern = known.all()
  return known.tellsSomething ? pattern : new Reader(tokens, plain, 'stays').all()
}

type Verdict = 'stays' | 'out' | 'unknown'

/** Goes once over the tokens of JSON, broken as they may be; each method takes one of them at least. */
class Reader {
  readonly #tokens: readonly string[]
  readonly #plain: Plain
  readonly #unknown: 'stays' | 'out'
  #at = 0
  #depth = 0
  /** Whether some text stayed. */
  tellsSomething = false

  /** `unknown` says what becomes of values whose keys say nothing. */
  constructor(tokens: readonly string[], plain: Plain, unknown: 'stays' | 'out') {
    this.#tokens = tokens
    this.#plain = plain
    this.#unknown = unknown
  }

  all(): string {
    let all = ''
    while (this.#at < this.#tokens.length) all += this.#value('unknown', false)
    return all
  }

  #take(): string {
    this.#at += 1
    return this.#tokens[this.#at - 1] ?? ''
  }

  #isNext(word: string): boolean {
    return this.#tokens[this.#at] === word
  }

  #value(verdict: Verdict, isFieldwise: boolean): string {
    const word = this.#take()
    const stays = (verdict === 'unknown' ? this.#unknown : verdict) === 'stays'
    if (word === '{' || word === '[') return this.#nested(word, verdict, isFieldwise)
    if ('}],:'.includes(word)) return word
    if (!stays) return sign
    if (!word.startsWith('"')) return this.#plain(word, false)
    this.tellsSomething = true
    return this.#text(word)
  }

  /** An object or list; what tells nothing, under a key that does not either, is out as a whole. */
  #nested(word: '{' | '[', verdict: Verdict, isFieldwise: boolean): string {
    const isFirstLook = this.#unknown === 'out'
    if ((verdict === 'out' && isFirstLook) || this.#depth === deepest) return this.#skip()
    const told = this.tellsSomething
    this.tellsSomething = false
    this.#depth += 1
    const inner = verdict === 'out' ? 'unknown' : verdict
    const nested = word === '{' ? this.#object(inner, isFieldwise) : this.#list(inner)
    this.#depth -= 1
    const isOut = isFirstLook && !this.tellsSomething && verdict !== 'stays'
    this.tellsSomething ||= told
    return isOut ? sign : nested
  }

  /** Passes by what an opened object or list holds. */
  #skip(): string {
    for (let depth = 1; depth > 0 && this.#at < this.#tokens.length; ) {
      const word = this.#take()
      if (word === '{' || word === '[') depth += 1
      if (word === '}' || word === ']') depth -= 1
    }
    return sign
  }

  #object(verdict: Verdict, isFieldwise: boolean): string {
    let object = '{'
    while (this.#at < this.#tokens.length) {
      if (this.#isNext('}')) return object + this.#take()
      object += this.#tokens[this.#at]?.startsWith('"')
        ? this.#member(verdict, isFieldwise)
        : this.#plain(this.#take(), false)
    }
    return object
  }

  #member(verdict: Verdict, isFieldwise: boolean): string {
    const word = this.#take()
    const key = decoded(word)
    const name = this.#text(word)
    if (!this.#isNext(':')) return name
    this.#take()
    if (this.#at === this.#tokens.length || this.#isNext(',') || this.#isNext('}')) return `${name}:`
    return `${name}:${this.#value(isFieldwise ? 'stays' : verdictOf(key, verdict), fieldwise.has(key))}`
  }

  /** A list; what is said several times in it is said once. */
  #list(verdict: Verdict): string {
    const items = new Set<string>()
    while (this.#at < this.#tokens.length) {
      if (this.#isNext(']')) return `[${[...items].join(',')}${this.#take()}`
      if (this.#isNext(',')) this.#take()
      else items.add(this.#value(verdict, false))
    }
    return `[${[...items].join(',')}`
  }

  #text(word: string): string {
    const isWhole = wholeString.test(word)
    return `"${this.#plain(decoded(word), !isWhole).replaceAll('"', "'")}${isWhole ? '"' : ''}`
  }
}

function verdictOf(key: string, around: Verdict): Verdict {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  if (/^(?:id|ids|uuid|guid)$/.test(words.at(-1) ?? '')) return 'out'
  if (words.some(word => telling.has(word))) return 'stays'
  return words.some(word => naming.has(word)) ? 'out' : around
}

/** What a string of JSON says, which may be cut short; line ends and the like are blanks, a backslash is a slash. */
const decoded = (word: string) =>
  word
    .slice(1, wholeString.test(word) ? -1 : undefined)
    .replaceAll(/\\(?:u([\da-f]{4})|([\s\S])|$)/gi, (_, code?: string, one?: string) =>
      code === undefined ? decodedSign(one) : String.fromCharCode(Number.parseInt(code, 16)),
    )

const decodedSign = (one = '') => (one === '\\' ? '/' : 'bfnrt'.includes(one) ? ' ' : one)
