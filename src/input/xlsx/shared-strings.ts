import { CellText, unescaped } from './cell-text.ts'
import { TextStore } from './text-store.ts'
import { badPart, type Part, type PartReader, readXml } from './xml.ts'

const mostStrings = 50_000_000
const mostCharacters = 1_000_000_000

/** The texts that cells share, read only as far as cells ask for them. */
export class SharedStrings {
  readonly #texts = new TextStore()
  readonly #reader: PartReader | undefined
  readonly #steps: AsyncGenerator<void> | undefined

  constructor(part: Part | undefined) {
    this.#reader = part && this.#readerOf(part)
    this.#steps = part && this.#reader && readXml(part, this.#reader, 'si')
  }

  /** Reads on until there is such a string, or no more. Throws a SourceError. */
  async reach(index: number): Promise<void> {
    while (this.#texts.length <= index) if (!this.#steps || (await this.#steps.next()).done) return
  }

  /** Undefined where there is none. */
  at(index: number): string | undefined {
    return this.#texts.at(index)
  }

  /** Throws a SourceError where what was not needed is damaged: so is what was read. */
  async finish(): Promise<void> {
    if (this.#reader) this.#reader.isAtEnd = true
    await this.reach(Number.POSITIVE_INFINITY)
  }

  async close(): Promise<void> {
    await this.#steps?.return(undefined)
    this.#texts.close()
  }

  #readerOf(part: Part): PartReader {
    const cell = new CellText()
    let characters = 0
    const add = (text: string) => {
      this.#texts.push(text)
      characters += text.length
      if (this.#texts.length > mostStrings || characters > mostCharacters) throw badPart(part, 'many_strings')
    }
    return {
      open: name => cell.open(name),
      text: text => cell.add(text),
      close: name => {
        cell.close(name)
        if (name === 'si') add(unescaped(cell.take()))
      },
    }
  }
}
