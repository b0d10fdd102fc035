import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badPart, readWhole, type WorkbookPart, xmlText } from './xml.ts'

const mostCharacters = 1_000_000_000
/** The memory that a text takes in addition to its characters. */
const charactersOfPlace = 20

/** Reads the texts that cells share. Throws a SourceError. */
export async function readStrings(part: WorkbookPart | undefined): Promise<TextStore> {
  const strings = new TextStore()
  if (part === undefined) return strings
  let joined = ''
  let left = mostCharacters
  const close = (name: string, text: string) => {
    if (name === 't') joined += text
    if (name !== 'si') return
    strings.push(xmlText(joined))
    left -= joined.length + charactersOfPlace
    joined = ''
    if (left < 0) throw badPart(part, 'many_strings')
  }
  try {
    await readWhole(part, { close }, 'si')
    return strings
  } catch (error) {
    strings.close()
    throw error
  }
}

const textsOfBlock = 128
const mostInMemory = 32_000_000

/** A list of texts; what is past some 32 MB of them is in a temporary file that has no name any more. */
export class TextStore {
  #fullBlocks = 0
  /** Texts of a block that is not full yet. */
  #last: string[] = []
  /** The blocks that were made or read last. */
  readonly #blocks = new Map<number, readonly string[]>()
  #characters = 0
  readonly #places = new Map<number, { readonly at: number; readonly length: number }>()
  #file: number | undefined
  #fileLength = 0

  push(text: string): void {
    this.#last.push(Buffer.from(text).toString()) // the text itself may hold the part of the file that it was cut from
    if (this.#last.length < textsOfBlock) return
    this.#keep(this.#fullBlocks, this.#last)
    this.#fullBlocks += 1
    this.#last = []
  }

  /** Undefined if there is none. */
  at(index: number): string | undefined {
    const number = Math.floor(index / textsOfBlock)
    const block = number === this.#fullBlocks ? this.#last : (this.#blocks.get(number) ?? this.#read(number))
    return block?.[index % textsOfBlock]
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Moves the oldest blocks to the file; they stay in memory if there is no room for files. */
  #keep(number: number, block: readonly string[]): void {
    this.#blocks.set(number, block)
    this.#characters += charactersOf(block)
    for (const [oldest, texts] of this.#blocks) {
      if (this.#characters <= mostInMemory || !this.#write(oldest, texts)) return
      this.#blocks.delete(oldest)
      this.#characters -= charactersOf(texts)
    }
  }

  #write(number: number, texts: readonly string[]): boolean {
    if (this.#places.has(number)) return true
    const bytes = Buffer.from(JSON.stringify(texts))
    try {
      this.#file ??= nameless()
      if (writeSync(this.#file, bytes, 0, bytes.length, this.#fileLength) < bytes.length) return false
    } catch {
      return false
    }
    this.#places.set(number, { at: this.#fileLength, length: bytes.length })
    this.#fileLength += bytes.length
    return true
  }

  #read(number: number): readonly string[] | undefined {
    const place = this.#places.get(number)
    if (place === undefined || this.#file === undefined) return undefined
    const bytes = Buffer.alloc(place.length)
    readSync(this.#file, bytes, 0, place.length, place.at)
    const texts: string[] = JSON.parse(bytes.toString())
    this.#keep(number, texts)
    return texts
  }
}

const charactersOf = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + text.length + charactersOfPlace, 0)

function nameless(): number {
  const path = join(tmpdir(), `rowlift-texts-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
