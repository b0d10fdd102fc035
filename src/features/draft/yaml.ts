import { cut } from '../../output/text.ts'

/** Undefined is left out. */
export type Flow = string | number | boolean | null | readonly Flow[] | FlowMap
export type FlowMap = { readonly [key: string]: Flow | undefined }

/** An open question of a draft, with the lines that it stands in. */
export interface Question {
  /** The path of what it is about, such as `date_info.due_date`; the same whatever else is answered. */
  readonly id: string
  readonly text: string
  readonly lines: readonly string[]
  readonly choices: readonly Choice[]
  /** Comments above it, of which a choice that has lines makes keys. */
  readonly under: readonly string[]
}

/** An answer: the lines that take the place of the question's. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** It leaves the draft as it stands. */
  readonly isDefault: boolean
  readonly lines: readonly string[]
  readonly lookups: FlowMap
}

export type Line = string | Question

/** Lines of the mapping's body, the lookups that they use, and those of a suggestion among them. */
export interface Fragment {
  readonly lines: readonly Line[]
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

/** A field as a comment, below what it is for; below a question that begins with "?", its only answer. */
export function suggestion(part: Fragment, ...why: Comments): Fragment {
  const [first, ...notes] = compact(...why)
  if (first?.startsWith('? '))
    return question(first.slice(2), [{ id: 'take', label: 'Put it in', part }], none, notes)
  const lines = [first ?? [], notes, part.lines.flatMap(plainLines)].flat()
  return { lines: lines.map(commented), lookups: { ...part.used, ...part.lookups } }
}

/** An answer that is offered; a title stands above its lines. */
export interface Offer {
  readonly id: string
  readonly label: string
  readonly isTitled?: boolean
  readonly part: Fragment
}

const none: Offer = { id: 'none', label: 'Go without', part: { lines: [] } }

/** A question with what it offers as comments, above what stands until it is answered. */
export function question(
  text: string,
  offers: readonly Offer[],
  standing: Offer = none,
  notes: readonly string[] = [],
): Fragment {
  const all = offers.flatMap(unnested)
  const inner = offers.flatMap(({ part }) => part.lines.filter(isQuestion).map(({ text }) => text))
  const lines = all.flatMap(({ part, label, isTitled }, at) => {
    const title = at === 0 ? `${label}:` : `Or ${label.charAt(0).toLowerCase()}${label.slice(1)}:`
    return [...(isTitled ? [title] : []), ...part.lines.flatMap(plainLines)]
  })
  const choices = [...all, standing].map(offer => ({
    id: offer.id,
    label: offer.label,
    isDefault: offer === standing,
    lines: offer.part.lines.flatMap(plainLines),
    lookups: { ...offer.part.used, ...offer.part.lookups },
  }))
  const [about] = choices.flatMap(({ lines }) => lines.flatMap(line => keyOf.exec(line)?.[1] ?? []))
  const written = [`? ${text}`, ...inner, ...notes, ...lines].map(commented)
  const own = [...written, ...standing.part.lines.flatMap(plainLines)]
  const lookups = Object.assign({}, ...all.map(({ part }) => ({ ...part.used, ...part.lookups })))
  return {
    lines: [{ id: about ?? 'source', text, lines: own, choices, under: [] }],
    used: standing.part.used ?? {},
    lookups,
  }
}

const keyOf = /^(?:- )?([a-z_]+):(?: |$)/
const commented = (line: string) => (line.startsWith('#') ? line : comment(line))
export const isText = (line: Line) => typeof line === 'string'
export const isQuestion = (line: Line) => typeof line !== 'string'
const plainLines = (line: Line) => (isText(line) ? line : line.lines)

/** Each choice of a question inside of an offer is an offer of its own. */
const unnested = (offer: Offer): Offer[] => {
  const inner = offer.part.lines.find(isQuestion)
  const choices = inner?.choices.filter(({ lines }) => lines.length > 0)
  const linesBy = (choice: Choice) =>
    offer.part.lines.flatMap((line): readonly Line[] => (line === inner ? choice.lines : [line]))
  return (
    choices?.map(each => ({ ...each, isTitled: true, part: { ...offer.part, lines: linesBy(each) } })) ?? [
      offer,
    ]
  )
}

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
  const isComment = inner.lines.flatMap(plainLines).every(line => /^ *#/.test(line))
  const lead = isComment ? comment(leadOf(key)) : leadOf(key)
  const lines = inner.lines.map(indent).map(line => {
    if (isText(line)) return line
    return { ...line, id: `${key}.${line.id}`, under: [...(isComment ? [lead] : []), ...line.under] }
  })
  return { ...inner, lines: [...comments.map(comment), lead, ...lines] }
}

const leadOf = (key: string) => (key === '-' ? key : `${word(key)}:`)

/** Changes a line, or each line of a question and its choices. */
export function changed(line: Line, change: (text: string) => readonly string[]): Line[] {
  if (isText(line)) return [...change(line)]
  const { lines, under, choices } = line
  const inAll = (all: readonly string[]) => all.flatMap(change)
  const ofChoices = choices.map(choice => ({ ...choice, lines: inAll(choice.lines) }))
  return [{ ...line, lines: inAll(lines), under: inAll(under), choices: ofChoices }]
}

export const indent = <L extends Line>(line: L): L => changed(line, text => [`  ${text}`])[0] as L

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

export const wrappedLines = (lines: readonly Line[]): Line[] => lines.flatMap(line => changed(line, wrapped))

/** The lines of a mapping as they are written. */
export const textOf = (lines: readonly Line[]): string => lines.flatMap(plainLines).join('\n')

/** Puts fields below the name, and lookups into the single `lookups:`, which may be a comment as yet. */
export function withPart(lines: readonly Line[], part: Required<Fragment>): Line[] {
  const name = lines.findIndex(line => /^ {2}name:/m.test(textOf([line])))
  const next = lines.findIndex((line, at) => at > name && !textOf([line]).startsWith('   '))
  const fields = wrappedLines(part.lines.map(indent))
  const whole = lines.toSpliced(next < 0 ? lines.length : next, 0, ...fields)
  const lookups = Object.entries(part.used)
  if (lookups.length === 0) return whole
  const block = ['lookups:', ...lookups.map(([name, spec = null]) => `  ${word(name)}: ${flow(spec)}`)]
  const at = whole.findIndex(line => line === 'lookups:' || line === '# lookups:')
  return at < 0 ? whole.toSpliced(whole.indexOf('body:'), 0, ...block, '') : whole.toSpliced(at, 1, ...block)
}
