const lineFeed = 10
const carriageReturn = 13

/** Counts line ends in a stream of UTF-8 bytes; CR, LF and CRLF are one each, wherever the chunks are cut. */
export class LineCounter {
  #afterReturn = false
  /** The line on which the next byte stands, from 1. */
  line = 1

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    const splitPair = this.#afterReturn && bytes[0] === lineFeed
    this.line += countLineEnds(bytes) - (splitPair ? 1 : 0)
    this.#afterReturn = bytes.at(-1) === carriageReturn
  }
}

function countLineEnds(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at + 1))
    if (bytes[at + 1] !== lineFeed) count += 1
  return count
}

/** How many line ends stand in a text; CR, LF and CRLF are one each. */
export function lineEndsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 1))
    if (text[at + 1] !== '\n') count += 1
  return count
}
