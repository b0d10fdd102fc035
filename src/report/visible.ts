/** What cannot be seen, or turns what stands around it about: control and direction signs, signs without width. */
export const unseen = /\r\n|[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

const pictures: Readonly<Record<string, string>> = {
  '\r\n': '↵',
  '\n': '↵',
  '\r': '↵',
  '\t': '⇥',
  '\u007f': '␡',
}

/** A text in which every sign can be seen: `a␀b`, `[U+202E]`. Lines become one. */
export const visible = (text: string): string => text.replaceAll(unseen, pictureOf)

/** The same for texts of several lines, which stay apart. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')

function pictureOf(sign: string): string {
  const code = sign.charCodeAt(0)
  const known = pictures[sign]
  if (known !== undefined) return known
  return code < 0x20
    ? String.fromCharCode(0x2400 + code)
    : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
}
