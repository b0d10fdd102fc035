import { cut } from '../../output/text.ts'

/** Undefined is left out. */
export type Flow = string | number | boolean | null | readonly Flow[] | FlowMap
export type FlowMap = { readonly [key: string]: Flow | undefined }

const plain = /^[\p{L}][\p{L}\p{N} _./()&+-]*(?<! )$/u
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i
/** Signs that a YAML file should not contain. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\u00a0]/gu
const longestExample = 60
const longestLine = 100
const widestComment = 118

/** A YAML scalar that means this text in any place. */
export function word(text: string): string {
  if (plain.test(text) && !reserved.test(text)) return text
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replaceAll(unseen, sign => sign.split('').map(escaped).join(''))
}

export function flow(value: Flow): string {
  if (typeof value === 'string') return word(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  const parts = defined(value).map(([key, part]) => `${word(key)}: ${flow(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

const defined = (value: object): [string, Flow][] =>
  Object.entries(value).filter(([, part]) => part !== undefined)

/** Quotes a text on one line, and short. */
export const quote = (text: string): string =>
  word(cut(text, longestExample).replaceAll(/\s+/g, ' ')).replaceAll(/^(?!")(.*)$/g, '"$1"')

export const compact = <Item>(...items: readonly (Item | false | undefined)[]): Item[] =>
  items.filter(item => item !== undefined && item !== false) as Item[]

/** A text of notes.json with these values in the place of their names. */
export const told = (note: string, values: Readonly<Record<string, string | number | undefined>>) =>
  note.replaceAll(/\{([a-z ]+)\}/g, (_, name: string) => String(values[name] ?? ''))

export const comment = (line: string): string => `# ${line}`

/** A key with its value, or with the key `-` an item of a list: one line, or several if it is long. */
export function valueLines(key: string, value: Flow): string[] {
  const lead = key === '-' ? key : `${word(key)}:`
  const line = `${lead} ${flow(value)}`
  if (line.length <= longestLine || typeof value !== 'object' || value === null || Array.isArray(value))
    return [line]
  const inner = defined(value).flatMap(([key, part]) => valueLines(key, part))
  if (lead === '-') return inner.map((text, at) => `${at === 0 ? '- ' : '  '}${text}`)
  return [lead, ...inner.map(line => `  ${line}`)]
}

const sentence = /^(\s*(?:# )+)(?!\s|[\w-]+: |- )(.*)$/

export function wrapped(line: string): string[] {
  const [, mark = '', text = ''] = line.length > widestComment ? (sentence.exec(line) ?? []) : []
  const end = text.lastIndexOf(' ', widestComment - mark.length)
  return end <= 0 ? [line] : [mark + text.slice(0, end), ...wrapped(mark + text.slice(end + 1))]
}
