import { type Flow, flow, word } from './yaml-words.ts'

/** A part of a draft: a field, an object or list of them, or what only a person can decide. */
export interface Part {
  /** Undefined for an item of a list. */
  readonly key: string | undefined
  readonly comments: readonly string[]
  readonly value: Flow | readonly Part[]
  /** Stands as a comment, ready to be taken in. */
  readonly isOff: boolean
  /** The lookups that it needs, which stand at the top level. */
  readonly lookups?: Readonly<Record<string, Flow>>
}

const longestLine = 100

export const field = (key: string, value: Flow, ...comments: string[]): Part => ({
  key,
  value,
  comments,
  isOff: false,
})
export const group = (key: string, parts: readonly Part[], ...comments: string[]): Part => ({
  key,
  value: parts as readonly Part[],
  comments,
  isOff: false,
})
export const item = (value: Flow, ...comments: string[]): Part => ({
  key: undefined,
  value,
  comments,
  isOff: false,
})
export const looking = (part: Part, lookups: Readonly<Record<string, Flow>>): Part => ({ ...part, lookups })
export const off = (part: Part): Part => ({ ...part, isOff: true })

const isParts = (value: Part['value']): value is readonly Part[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(each => typeof each === 'object' && each !== null && 'isOff' in each)

/** Whether something of it takes effect. */
const isActive = (part: Part): boolean => !part.isOff && (!isParts(part.value) || part.value.some(isActive))

/** The lines of parts; one of which nothing takes effect is a comment from end to end. */
export function linesOf(parts: readonly Part[], indent = ''): string[] {
  return parts.flatMap(part => {
    const remarks = part.comments.map(comment => `${indent}# ${comment}`)
    const lines = bodyOf(part)
    const mark = isActive(part) ? '' : '# '
    return [...remarks, ...lines.map(line => `${indent}${mark}${line}`)]
  })
}

function bodyOf({ key, value }: Part): string[] {
  const lead = key === undefined ? '-' : `${word(key)}:`
  if (isParts(value)) return [lead, ...linesOf(value, '  ')]
  const line = `${lead} ${flow(value)}`
  if (line.length <= longestLine || typeof value !== 'object' || value === null || Array.isArray(value))
    return [line]
  const parts = Object.entries(value).filter(([, part]) => part !== undefined)
  if (key === undefined)
    return parts.flatMap(([name, part], at) =>
      bodyOf(field(name, part ?? null)).map((text, row) => `${at === 0 && row === 0 ? '- ' : '  '}${text}`),
    )
  return [
    lead,
    ...parts.flatMap(([name, part]) => bodyOf(field(name, part ?? null)).map(text => `  ${text}`)),
  ]
}

const widest = 118
const sentence = /^(\s*(?:# )+)(?!\s|[\w-]+: |- )(.*)$/

/** A line, and what is too long of a sentence in a comment on lines below it. */
export function wrapped(line: string): string[] {
  const [, mark, text = ''] = line.length > widest ? (sentence.exec(line) ?? []) : []
  const end = mark === undefined ? -1 : text.lastIndexOf(' ', widest - mark.length)
  return mark === undefined || end <= 0
    ? [line]
    : [mark + text.slice(0, end), ...wrapped(mark + text.slice(end + 1))]
}
