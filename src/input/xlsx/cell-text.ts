/** Joins the text of a cell or shared string from its elements: all runs of rich text, but not how they are pronounced. */
export class CellText {
  #text = ''
  #isText = false
  #isPhonetic = false

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    this.#isText = name === 'v' || (name === 't' && !this.#isPhonetic)
  }

  add(text: string): void {
    if (this.#isText) this.#text += text
  }

  close(name: string): void {
    this.#isText = false
    if (name === 'rPh') this.#isPhonetic = false
  }

  /** What was joined since the last call. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** Characters that XML cannot hold are written as `_x000D_`, and such a text itself as `_x005F_x000D_`. Lines end in LF. */
export function unescaped(text: string): string {
  const whole = text.includes('_x')
    ? text.replace(escapes, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
  return whole.includes('\r') && whole.includes('\n') ? whole.replaceAll(/\r\n?|\n\r/g, '\n') : whole
}

const escapes = /_x(00[01][\da-fA-F]|005[fF]|[dD][89a-fA-F][\da-fA-F]{2}|[fF]{3}[eEfF])_/g
