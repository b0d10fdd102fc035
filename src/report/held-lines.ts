import type { Print } from './logger.ts'

const mostHeld = 100

/** Lines that are told only if there is cause to tell anything; the first of them, however many there are. */
export class HeldLines {
  readonly #lines: string[] = []
  #more = 0

  readonly print: Print = text => {
    if (this.#lines.length < mostHeld) this.#lines.push(text)
    else this.#more += 1
  }

  /** Tells what was held, and how many lines there were besides. */
  tell(print: Print, tellMore: (words: string) => void): void {
    for (const line of this.#lines.splice(0)) print(line)
    if (this.#more > 0) tellMore(`${this.#more} more warnings and errors came after these`)
    this.#more = 0
  }
}
