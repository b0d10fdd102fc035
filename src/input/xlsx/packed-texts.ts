import { deflateRawSync, inflateRawSync } from 'node:zlib'

interface Block {
  /** The number of its first text. */
  readonly first: number
  readonly texts: readonly string[]
}

const blockTexts = 1024
const blockCharacters = 65_536
/** Of blocks that were used last. */
const mostHeld = 64

/** A list of texts that holds them packed: a million rows can share 200 MB of them. */
export class PackedTexts {
  length = 0
  readonly #firsts: number[] = []
  readonly #packed: Buffer[] = []
  readonly #held = new Map<number, Block>()
  #last: Block = { first: 0, texts: [] }
  #open: string[] = []
  #openCharacters = 0

  push(text: string): void {
    this.#open.push(text)
    this.length += 1
    this.#openCharacters += text.length
    if (this.#open.length < blockTexts && this.#openCharacters < blockCharacters) return
    const first = this.length - this.#open.length
    this.#firsts.push(first)
    this.#packed.push(deflateRawSync(JSON.stringify(this.#open), { level: 1 }))
    this.#hold(this.#packed.length - 1, { first, texts: this.#open })
    this.#open = []
    this.#openCharacters = 0
  }

  at(index: number): string | undefined {
    if (!(index >= 0)) return undefined
    const inOpen = index - (this.length - this.#open.length)
    if (inOpen >= 0) return this.#open[inOpen]
    const { first, texts } = this.#last
    return texts[index - first] ?? this.#find(index)
  }

  #find(index: number): string | undefined {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#firsts[middle] ?? 0) <= index) low = middle
      else high = middle
    }
    this.#last = this.#held.get(low) ?? this.#unpack(low)
    this.#held.delete(low)
    this.#hold(low, this.#last)
    return this.#last.texts[index - this.#last.first]
  }

  #unpack(number: number): Block {
    const texts = JSON.parse(inflateRawSync(this.#packed[number] ?? '').toString())
    return { first: this.#firsts[number] ?? 0, texts }
  }

  #hold(number: number, block: Block): void {
    this.#held.set(number, block)
    const [oldest = number] = this.#held.keys()
    if (this.#held.size > mostHeld) this.#held.delete(oldest)
  }
}
