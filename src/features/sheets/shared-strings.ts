import { TextStore } from './text-store.ts'
import { badPart, CellText, type Part, type PartReader, readXml, unescaped } from './xml.ts'

const mostCharacters = 1_000_000_000
/** Size of what is held of a text besides it. */
const charactersOfPlace = 20

/** The texts that cells share, read only as far as cells ask for them. */
export class SharedStrings {
  readonly #texts = new TextStore()
  readonly #reader: PartReader
  readonly #steps: AsyncGenerator<void> | undefined

  constructor(part: Part | undefined) {
    const cell = new CellText()
    let left = mostCharacters
    this.#reader = {
      open: name => cell.open(name),
      text: text => cell.add(text),
      close: name => {
        cell.close(name)
        if (name !== 'si') return
        const text = unescaped(cell.take())
        this.#texts.push(text)
        left -= text.length + charactersOfPlace
        if (left < 0 && part) throw badPart(part, 'many_strings')
      },
    }
    this.#steps = part && readXml(part, this.#reader, 'si')
  }

  /** Reads on until there is such a string, or no more. Throws a SourceError. */
  async reach(index: number): Promise<void> {
    while (this.#texts.length <= index) if (!this.#steps || (await this.#steps.next()).done) return
  }

  /** Undefined if there is none. */
  at(index: number): string | undefined {
    return this.#texts.at(index)
  }

  /** Throws a SourceError if what was not needed is damaged: so is what was read. */
  async finish(): Promise<void> {
    this.#reader.isAtEnd = true
    await this.reach(Number.POSITIVE_INFINITY)
  }

  async close(): Promise<void> {
    await this.#steps?.return(undefined)
    this.#texts.close()
  }
}
