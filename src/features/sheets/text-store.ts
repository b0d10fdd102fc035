import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const textsOfBlock = 128
const mostInMemory = 32_000_000
const mostCached = 16_000_000

/** Place of a block in the file, and its length. */
type Place = readonly [at: number, length: number]

/** A list of texts; what is past 32 MB of them is in a temporary file that has no name any more. */
export class TextStore {
  length = 0
  #open: string[] = []
  readonly #blocks: (Buffer | Place)[] = []
  #inMemory = 0
  #file: number | undefined
  #fileLength = 0
  /** Blocks of the file that were used last. */
  readonly #cached = new Map<number, Buffer>()
  #cachedBytes = 0

  push(text: string): void {
    this.#open.push(text)
    this.length += 1
    if (this.#open.length < textsOfBlock) return
    const block = packed(this.#open)
    this.#blocks.push(this.#inMemory < mostInMemory ? block : this.#written(block))
    if (this.#blocks.at(-1) === block) this.#inMemory += block.length
    this.#open = []
  }

  /** Undefined if there is none. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index)) return undefined
    const number = Math.floor(index / textsOfBlock)
    if (number === this.#blocks.length) return this.#open[index % textsOfBlock]
    const place = this.#blocks[number]
    return place && textIn(Buffer.isBuffer(place) ? place : this.#read(number, place), index % textsOfBlock)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Stays in memory if there is no room for files. */
  #written(block: Buffer): Buffer | Place {
    try {
      this.#file ??= nameless()
      if (writeSync(this.#file, block, 0, block.length, this.#fileLength) < block.length) return block
      this.#fileLength += block.length
      return [this.#fileLength - block.length, block.length]
    } catch {
      return block
    }
  }

  #read(number: number, [at, length]: Place): Buffer {
    const cached = this.#cached.get(number)
    if (cached) return cached
    const block = Buffer.allocUnsafeSlow(length)
    readSync(this.#file ?? -1, block, 0, length, at)
    this.#cached.set(number, block)
    this.#cachedBytes += length
    for (const [oldest, { length: bytes }] of this.#cached) {
      if (this.#cachedBytes <= mostCached) break
      this.#cached.delete(oldest)
      this.#cachedBytes -= bytes
    }
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
