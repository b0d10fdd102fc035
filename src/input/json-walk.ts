import { SourceError, type SourceProblems } from '../model/errors.ts'
import { TextPlace } from './decode.ts'
import { maxRowBytes } from './source.ts'

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [listStart, listEnd, objectStart, objectEnd] = [91, 93, 123, 125]
const isBlank = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9
const isOfNoValue = (byte: number) =>
  byte === comma || byte === colon || byte === listEnd || byte === objectEnd

/** A list or an object that is walked through. */
export interface Container {
  /** Keys with dots between them; undefined for the document itself, and for what is in its list. */
  readonly path: string | undefined
  readonly isList: boolean
  /** The texts of so many items are taken, and none is walked through. */
  readonly taken?: number
  items: number
}

export interface Visitor {
  /** What becomes of a list or an object in these containers; undefined passes it over. */
  enter(path: string | undefined, isList: boolean, within: readonly Container[]): Container | undefined
  /** A long text is cut off, unless those of all items are taken. */
  take(text: string, list: Container): void
}

const mostSampled = 20_000

/** Walks through a JSON document in UTF-8 by its brackets, keys and commas. What it does not walk through is not checked. */
export class JsonWalk {
  readonly #source: string
  readonly #visitor: Visitor
  readonly #place = new TextPlace()
  readonly #within: Container[] = []
  #wanted: SourceProblems['bad_json']['wanted'] = 'value'
  /** Of the value behind a key. */
  #path: string | undefined
  /** A key or a value is read that is not walked through. */
  #isInValue = false
  #pieces: Buffer[] = []
  #bytes = 0
  #mostBytes = 0
  #depth = 0
  #isText = false
  #isEscaped = false

  constructor(source: string, visitor: Visitor) {
    this.#source = source
    this.#visitor = visitor
  }

  /** Throws a SourceError where the document is broken. */
  read(chunk: Buffer): void {
    let from = 0
    for (let at = 0; at < chunk.length; ) {
      if (!this.#isInValue) {
        const byte = chunk[at] as number
        if (!isBlank(byte) && !this.#readSign(byte)) {
          this.#place.add(chunk.subarray(0, at))
          throw this.#fault(this.#wanted, chunk.toString('utf8', at, at + 4))
        }
        from = at
      }
      if (this.#isInValue) {
        at = this.#endOfValue(chunk, at)
        this.#keep(chunk.subarray(from, at))
        if (!this.#isInValue) this.#leaveValue()
      } else at += 1
    }
    this.#place.add(chunk)
  }

  /** Throws a SourceError where the document is not complete. */
  end(): void {
    const isWord = this.#isInValue && !this.#isText && this.#depth === 0
    if (isWord) this.#leaveValue()
    if (this.#wanted !== 'nothing' || (this.#isInValue && !isWord))
      throw this.#fault(this.#isInValue ? 'rest' : this.#wanted, '')
  }

  #fault(wanted: SourceProblems['bad_json']['wanted'], rest: string): SourceError {
    const { line, column } = this.#place
    const [found = ''] = rest
    return new SourceError('bad_json', { source: this.#source, line, column, wanted, found })
  }

  /** Reads a sign between values, or the first one of a key or a value. Returns false where it cannot stand there. */
  #readSign(byte: number): boolean {
    const container = this.#within.at(-1)
    const wanted = this.#wanted
    if (container && /end$/.test(wanted) && byte === (container.isList ? listEnd : objectEnd)) {
      this.#within.pop()
      this.#leave()
    } else if (wanted === 'comma_or_end' && byte === comma) this.#wanted = container?.isList ? 'value' : 'key'
    else if (wanted === 'colon' && byte === colon) this.#wanted = 'value'
    else if (wanted.startsWith('key') && byte === quote) this.#enterValue(maxRowBytes)
    else if (wanted.startsWith('value') && !isOfNoValue(byte)) this.#enter(byte, container)
    else return false
    return true
  }

  #enter(byte: number, container: Container | undefined): void {
    const isList = byte === listStart
    const path = container === undefined || container.isList ? container?.path : this.#path
    const isWalked = (isList || byte === objectStart) && container?.taken === undefined
    const entered = isWalked ? this.#visitor.enter(path, isList, this.#within) : undefined
    if (entered === undefined) {
      const { taken = 0, items = 0 } = container ?? {}
      this.#enterValue(taken === Number.POSITIVE_INFINITY ? maxRowBytes : items < taken ? mostSampled : 0)
    } else {
      this.#within.push(entered)
      this.#wanted = isList ? 'value_or_end' : 'key_or_end'
    }
  }

  #enterValue(mostBytes: number): void {
    this.#isInValue = true
    this.#pieces = []
    this.#bytes = 0
    this.#mostBytes = mostBytes
    this.#depth = 0
  }

  /** Returns the place behind the value, else the end of the chunk. */
  #endOfValue(chunk: Buffer, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    let [depth, isText, isOver] = [this.#depth, this.#isText, false]
    while (!isOver && at < chunk.length) {
      const byte = chunk[at] as number
      at += 1
      if (isText) {
        if (byte === backslash) at += 1
        else if (byte === quote) {
          isText = false
          isOver = depth === 0
        }
      } else if (byte === quote) isText = true
      else if (byte === listStart || byte === objectStart) depth += 1
      else if (byte === listEnd || byte === objectEnd) {
        depth -= 1
        isOver = depth <= 0
        if (depth < 0) at -= 1 // it ends the list of a word
      } else if (depth === 0 && (byte === comma || byte === colon || isBlank(byte))) {
        isOver = true
        at -= 1
      }
    }
    this.#isEscaped = at > chunk.length
    this.#depth = depth
    this.#isText = isText
    this.#isInValue = !isOver
    return at
  }

  /** Throws a SourceError. */
  #keep(piece: Buffer): void {
    if (this.#bytes < this.#mostBytes) this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes <= maxRowBytes || this.#mostBytes < maxRowBytes) return
    const line = (this.#within.at(-1)?.items ?? 0) + 1
    throw new SourceError('row_too_long', { source: this.#source, line, megabytes: maxRowBytes / 1_000_000 })
  }

  #leaveValue(): void {
    const container = this.#within.at(-1)
    const text = Buffer.concat(this.#pieces).toString()
    this.#isInValue = false
    if (this.#wanted.startsWith('key')) {
      const key = keyIn(text)
      this.#path = container?.path === undefined ? key : `${container.path}.${key}`
      this.#wanted = 'colon'
    } else {
      if (container && this.#mostBytes > 0) this.#visitor.take(text, container)
      this.#leave()
    }
  }

  #leave(): void {
    const container = this.#within.at(-1)
    if (container) container.items += 1
    this.#wanted = container ? 'comma_or_end' : 'nothing'
  }
}

/** A broken key is found by no path. */
function keyIn(text: string): string {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
