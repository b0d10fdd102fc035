import { cut } from '../../output/text.ts'

/** Undefined is left out. */
export type Flow = string | number | boolean | null | readonly Flow[] | FlowMap
export type FlowMap = { readonly [key: string]: Flow | undefined }

/** Lines of the mapping's body, the lookups that they use, and those of a suggestion among them. */
export interface Fragment {
  readonly lines: readonly string[]
  readonly used?: FlowMap
  readonly lookups?: FlowMap
}

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

type Optional<Item> = Item | false | undefined
type Comments = readonly Optional<string>[]

export const compact = <Item>(...items: readonly Optional<Item>[]): Item[] =>
  items.filter(item => item !== undefined && item !== false) as Item[]

export const comment = (line: string): string => `# ${line}`

/** A field of the body, or with the key `-` an item of a list; comments with a "?" are questions. */
export const field = (key: string, value: Flow, ...comments: Comments): Fragment => ({
  lines: [...compact(...comments).map(comment), ...valueLines(leadOf(key), value)],
})

/** A field as a comment, below what it is for, or the question that it answers. */
export const suggestion = ({ lines, used, lookups }: Fragment, ...why: Comments): Fragment => ({
  lines: [...compact(...why), ...lines].map(line => (line.startsWith('#') ? line : comment(line))),
  lookups: { ...used, ...lookups },
})

export function together(...all: readonly Optional<Fragment>[]): Required<Fragment> {
  const parts = compact(...all)
  return {
    lines: parts.flatMap(({ lines }) => lines),
    used: Object.assign({}, ...parts.map(({ used }) => used)),
    lookups: Object.assign({}, ...parts.map(({ lookups }) => lookups)),
  }
}

/** An object or a list, if it is not empty; if all of it is comments, so is its key. */
export function group(key: string, parts: readonly Optional<Fragment>[], ...comments: string[]) {
  const inner = together(...parts)
  if (inner.lines.length === 0) return undefined
  const isComment = inner.lines.every(line => /^ *#/.test(line))
  const lead = isComment ? comment(leadOf(key)) : leadOf(key)
  return { ...inner, lines: [...comments.map(comment), lead, ...inner.lines.map(indent)] }
}

const leadOf = (key: string) => (key === '-' ? key : `${word(key)}:`)

export const indent = (line: string): string => `  ${line}`

/** One line, or several if it is long. */
function valueLines(lead: string, value: Flow): string[] {
  const line = `${lead} ${flow(value)}`
  if (line.length <= longestLine || typeof value !== 'object' || value === null || Array.isArray(value))
    return [line]
  const inner = defined(value).flatMap(([key, part]) => valueLines(leadOf(key), part))
  if (lead === '-') return inner.map((text, at) => `${at === 0 ? '- ' : '  '}${text}`)
  return [lead, ...inner.map(indent)]
}

const sentence = /^(\s*(?:# )+)(?!\s|[\w-]+: |- )(.*)$/

export function wrapped(line: string): string[] {
  const [, mark = '', text = ''] = line.length > widestComment ? (sentence.exec(line) ?? []) : []
  const end = text.lastIndexOf(' ', widestComment - mark.length)
  return end <= 0 ? [line] : [mark + text.slice(0, end), ...wrapped(mark + text.slice(end + 1))]
}

/** Puts fields below the name, and lookups into the single `lookups:`, which may be a comment as yet. */
export function withPart(lines: readonly string[], part: Required<Fragment>): string[] {
  const name = lines.findIndex(line => line.startsWith('  name:'))
  const next = lines.findIndex((line, at) => at > name && !line.startsWith('   '))
  const fields = part.lines.map(indent).flatMap(wrapped)
  const whole = lines.toSpliced(next < 0 ? lines.length : next, 0, ...fields)
  const lookups = Object.entries(part.used)
  if (lookups.length === 0) return whole
  const block = ['lookups:', ...lookups.map(([name, spec = null]) => `  ${word(name)}: ${flow(spec)}`)]
  const at = whole.findIndex(line => /^(# )?lookups:$/.test(line))
  return at < 0 ? whole.toSpliced(whole.indexOf('body:'), 0, ...block, '') : whole.toSpliced(at, 1, ...block)
}
