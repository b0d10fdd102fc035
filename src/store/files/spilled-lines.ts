import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { cannotWrite } from '../../model/errors.ts'
import { ownerOnly } from '../../platform/replace-file.ts'

const mostInMemory = 32_000_000
const mostAtOnce = 50_000
const readBytes = 1_000_000

/** Lines in memory, and past 32,000,000 characters in a temporary file without a name, which is gone with its process. */
export class SpilledLines {
  #lines: string[] = []
  #characters = 0
  #file: number | undefined
  #spilled = 0
  readonly #most: number

  constructor(most = mostInMemory) {
    this.#most = most
  }

  get count(): number {
    return this.#spilled + this.#lines.length
  }

  /** Throws a LogError if the file cannot be written. */
  add(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#characters > this.#most) this.#spill()
  }

  #spill(): void {
    const path = join(tmpdir(), `rowlift-${ulid()}`)
    try {
      if (this.#file === undefined) {
        this.#file = openSync(path, 'wx+', ownerOnly)
        unlinkSync(path)
      }
      writeAll(this.#file, this.#lines.map(line => `${line}\n`).join(''))
    } catch (error) {
      throw cannotWrite(tmpdir(), error)
    }
    this.#spilled += this.#lines.length
    this.#lines = []
    this.#characters = 0
  }

  /** Yields all lines in their order, some 50,000 at once; the lines stay. */
  *all(): Generator<readonly string[]> {
    if (this.#file !== undefined) yield* linesOf(this.#file)
    if (this.#lines.length > 0) yield this.#lines
  }

  clear(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#lines = []
    this.#characters = this.#spilled = 0
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function* linesOf(file: number): Generator<string[]> {
  const decoder = new TextDecoder()
  const buffer = Buffer.alloc(readBytes)
  let lines: string[] = []
  let rest = ''
  for (let at = 0, read = readBytes; read > 0; at += read) {
    read = readSync(file, buffer, 0, readBytes, at)
    const texts = (rest + decoder.decode(buffer.subarray(0, read), { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    lines.push(...texts)
    if (lines.length >= mostAtOnce) {
      yield lines
      lines = []
    }
  }
  if (lines.length > 0) yield lines
}
