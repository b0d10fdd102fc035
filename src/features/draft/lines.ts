import { comment, compact, type Flow, type FlowMap, flow, valueLines, word, wrapped } from './yaml.ts'

/** An open question of a draft, with the lines that it stands in. */
export interface Question {
  /** The path of what it is about, such as `date_info.due_date`; the same whatever else is answered. */
  readonly id: string
  readonly text: string
  readonly lines: readonly string[]
  /** The last one leaves the draft as it stands. */
  readonly choices: readonly Choice[]
  /** Comments above it, of which a choice that has lines makes keys. */
  readonly under: readonly string[]
}

/** An answer: the part that takes the place of the question. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** The label stands above its lines. */
  readonly isTitled?: boolean
  readonly part: Fragment
}

export type Line = string | Question

/** Lines of the mapping's body, the lookups that they use, and those of a suggestion among them. */
export interface Fragment {
  readonly lines: readonly Line[]
  readonly used?: FlowMap
  readonly lookups?: FlowMap
}

export type Optional<Item> = Item | false | undefined
type Comments = readonly Optional<string>[]

/** A field of the body, or with the key `-` an item of a list; comments with a "?" are questions. */
export function field(key: string, value: Flow, ...comments: Comments): Fragment {
  return { lines: [...compact(...comments).map(comment), ...valueLines(key, value)] }
}

/** A field as a comment, below what it is for; below a question that begins with "?", its only answer. */
export function suggestion(part: Fragment, ...why: Comments): Fragment {
  const [first, ...notes] = compact(...why)
  const take = { id: 'take', label: 'Put it in', part }
  if (first?.startsWith('? ')) return question(first.slice(2), [take], none, notes)
  const lines = [first ?? [], notes, part.lines.flatMap(plainLines)].flat()
  return { lines: lines.map(commented), lookups: { ...part.used, ...part.lookups } }
}

const none: Choice = { id: 'none', label: 'Go without', part: { lines: [] } }

/** A question with what it offers as comments, above what stands until it is answered. */
export function question(text: string, offers: readonly Choice[], standing = none, notes: string[] = []) {
  const inner = offers.flatMap(({ part }) => part.lines.filter(isQuestion))
  const all = inner.length > 0 ? inner.flatMap(({ choices }) => choices.slice(0, -1)) : offers
  const offered = all.flatMap(({ part, label, isTitled }, at) => {
    const title = at === 0 ? `${label}:` : `Or ${label.charAt(0).toLowerCase()}${label.slice(1)}:`
    return [...(isTitled ? [title] : []), ...part.lines.flatMap(plainLines)]
  })
  const written = [`? ${text}`, ...inner.map(({ text }) => text), ...notes, ...offered].map(commented)
  const { lookups, used, lines } = together(...all.map(({ part }) => part), standing.part)
  const about = lines.flatMap(plainLines).flatMap(line => keyOf.exec(line)?.[1] ?? [])
  const own: Question = {
    ...{ id: about[0] ?? 'source', text, choices: [...all, standing], under: [] },
    lines: [...written, ...standing.part.lines.flatMap(plainLines)],
  }
  return { lines: [own], used: standing.part.used ?? {}, lookups: { ...used, ...lookups } }
}

const keyOf = /^(?:- )?([a-z_]+):(?: |$)/
const commented = (line: string) => (line.startsWith('#') ? line : comment(line))
export const isText = (line: Line) => typeof line === 'string'
export const isQuestion = (line: Line) => typeof line !== 'string'
export const plainLines = (line: Line) => (isText(line) ? line : line.lines)

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
  const lead = isComment ? comment(`${word(key)}:`) : `${word(key)}:`
  const lines = inner.lines.map(indent).map(line => {
    if (isText(line)) return line
    return { ...line, id: `${key}.${line.id}`, under: [...(isComment ? [lead] : []), ...line.under] }
  })
  return { ...inner, lines: [...comments.map(comment), lead, ...lines] }
}

/** Changes a line, or each line of a question and its choices. */
export function changed(line: Line, change: (text: string) => readonly string[]): Line[] {
  if (isText(line)) return [...change(line)]
  const inAll = (all: readonly Line[]) => all.flatMap(plainLines).flatMap(change)
  const inPart = (part: Fragment) => ({ ...part, lines: inAll(part.lines) })
  const choices = line.choices.map(each => ({ ...each, part: inPart(each.part) }))
  return [{ ...line, lines: inAll(line.lines), under: inAll(line.under), choices }]
}

export const indent = <L extends Line>(line: L): L => changed(line, text => [`  ${text}`])[0] as L

export const wrappedLines = (lines: readonly Line[]): Line[] => lines.flatMap(line => changed(line, wrapped))

/** Lines in another place, whose questions have the ids of that place. */
export const placed = (lines: readonly Line[], spaces: string, idOf: (id: string) => string): Line[] =>
  lines
    .flatMap(line => changed(line, text => wrapped(spaces + text)))
    .map(line => (isText(line) ? line : { ...line, id: idOf(line.id) }))

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
