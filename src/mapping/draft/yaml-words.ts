import { stringify } from 'yaml'

/** A rule or another small object as it stands in a mapping. */
export type Flow =
  | string
  | number
  | boolean
  | null
  | readonly Flow[]
  | { readonly [key: string]: Flow | undefined }

const plain = /^[\p{L}][\p{L}\p{N} _./()&+-]*(?<! )$/u
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i

/** Signs that a YAML file had better not hold as they are. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\u00a0]/gu

/** A text as a YAML scalar that means just that text wherever it stands. */
export function word(text: string): string {
  if (plain.test(text) && !reserved.test(text)) return text
  return stringify(text, { defaultStringType: 'QUOTE_DOUBLE', doubleQuotedAsJSON: true, lineWidth: 0 })
    .trimEnd()
    .replaceAll(unseen, escaped)
}

function escaped(sign: string): string {
  const hex = (sign.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/** A value on one line. */
export function flow(value: Flow): string {
  if (typeof value === 'string') return word(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  const parts = Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [`${word(key)}: ${flow(part)}`],
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

const longestExample = 60

/** A value of the file as a comment can quote it: on one line, and short. */
export function quote(text: string): string {
  const short = text.length > longestExample ? `${text.slice(0, longestExample)}…` : text
  return word(short.replaceAll(/\s+/g, ' ')).replaceAll(/^(?!")(.*)$/g, '"$1"')
}
