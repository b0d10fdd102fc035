import { CellText } from './cell-text.ts'
import { TextStore } from './text-store.ts'
import { badPart, type Part, readXml } from './xml.ts'

const mostStrings = 50_000_000
const mostCharacters = 1_000_000_000

/** The texts that cells share, read only as far as cells ask for them. */
export class SharedStrings {
  readonly #texts = new TextStore()
  readonly #steps: AsyncGenerator<void> | undefined

  constructor(part: Part | undefined) {
    this.#steps = part && this.#read(part)
  }

  /** Reads on until there is such a string, or no more. Throws a SourceError. */
  async reach(index: number): Promise<void> {
    while (this.#texts.length <= index) if (!this.#steps || (await this.#steps.next()).done) return
  }

  /** Undefined where there is none. */
  at(index: number): string | undefined {
    return this.#texts.at(index)
  }

  async close(): Promise<void> {
    await this.#steps?.return(undefined)
    this.#texts.close()
  }

  #read(part: Part): AsyncGenerator<void> {
    const cell = new CellText()
    let characters = 0
    const add = (text: string) => {
      this.#texts.push(text)
      characters += text.length
      if (this.#texts.length > mostStrings || characters > mostCharacters) throw badPart(part, 'many_strings')
    }
    return readXml(
      part,
      {
        open: name => cell.open(name),
        text: text => cell.add(text),
        close: name => {
          cell.close(name)
          if (name === 'si') add(cell.take())
        },
      },
      'si',
    )
  }
}
