import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badPart, type Part, readWhole, xmlText } from './xml.ts'

const mostCharacters = 1_000_000_000
/** Size of what is held of a text besides its characters. */
const charactersOfPlace = 20

/** Reads the texts that cells share. Throws a SourceError. */
export async function readStrings(part: Part | undefined): Promise<TextStore> {
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

/** A list of texts; what is past 32 MB of them is in a temporary file that has no name any more. */
export class TextStore {
  #length = 0
  /** Texts of a block that is not full yet. */
  #last: string[] = []
  /** The blocks that were made or read last. */
  readonly #blocks = new Map<number, Buffer>()
  #bytes = 0
  readonly #places = new Map<number, { readonly at: number; readonly length: number }>()
  #file: number | undefined
  #fileLength = 0

  push(text: string): void {
    this.#last.push(text)
    this.#length += 1
    if (this.#last.length < textsOfBlock) return
    this.#keep(this.#length / textsOfBlock - 1, packed(this.#last))
    this.#last = []
  }

  /** Undefined if there is none. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#length) return undefined
    const number = Math.floor(index / textsOfBlock)
    const block = this.#blocks.get(number) ?? this.#read(number)
    return block ? textIn(block, index % textsOfBlock) : this.#last[index % textsOfBlock]
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Moves the oldest blocks to the file; they stay in memory if there is no room for files. */
  #keep(number: number, block: Buffer): void {
    this.#blocks.set(number, block)
    this.#bytes += block.length
    for (const [oldest, old] of this.#blocks) {
      if (this.#bytes <= mostInMemory || !this.#write(oldest, old)) return
      this.#blocks.delete(oldest)
      this.#bytes -= old.length
    }
  }

  #write(number: number, block: Buffer): boolean {
    if (this.#places.has(number)) return true
    try {
      this.#file ??= nameless()
      if (writeSync(this.#file, block, 0, block.length, this.#fileLength) < block.length) return false
    } catch {
      return false
    }
    this.#places.set(number, { at: this.#fileLength, length: block.length })
    this.#fileLength += block.length
    return true
  }

  #read(number: number): Buffer | undefined {
    const place = this.#places.get(number)
    if (place === undefined || this.#file === undefined) return undefined
    const block = Buffer.allocUnsafeSlow(place.length)
    readSync(this.#file, block, 0, place.length, place.at)
    this.#keep(number, block)
    return block
  }
}

function nameless(): number {
  const path = join(tmpdir(), `rowlift-texts-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}

/** Ends of the texts, then the texts. Small buffers of Node share memory, which these would hold. */
function packed(texts: readonly string[]): Buffer {
  let end = textsOfBlock * 4
  const block = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), end))
  for (const [at, text] of texts.entries()) {
    end += block.write(text, end)
    block.writeUInt32LE(end, at * 4)
  }
  return block
}

function textIn(block: Buffer, at: number): string {
  const start = at === 0 ? textsOfBlock * 4 : block.readUInt32LE(at * 4 - 4)
  return block.toString('utf8', start, block.readUInt32LE(at * 4))
}
