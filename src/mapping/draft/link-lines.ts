import {
  asked,
  comment,
  field,
  flow,
  group,
  indent,
  type Rule,
  suggestion,
  together,
  word,
  wrapped,
} from './yaml.ts'

/** What a draft holds of the other files. */
export interface Links {
  readonly links: readonly Link[]
  /** The column that others refer to, and why it is the key. */
  readonly key: { readonly column: string; readonly why: string } | undefined
  /** Each value of this column is a record. */
  readonly distinct: string | undefined
  readonly isOfOrganizations: boolean
}

export interface Link {
  readonly column: string
  readonly field: string
  readonly value: Rule
  readonly lookups: Rule
  readonly note: string
  readonly isSure: boolean
  /** No other draft of the column stands beside it. */
  readonly isAlone: boolean
}

/** Puts links into a mapping; a field that it has already stays. */
export function withLinks(
  lines: readonly string[],
  { links, key, distinct, isOfOrganizations }: Links,
): string[] {
  const isThere = (name: string) => lines.some(line => line.startsWith(`  ${name}:`))
  const usable = links.filter(link => !link.isAlone || !isThere(link.field))
  const where = distinct === undefined ? [] : [`where: ${flow({ distinct })}`]
  const keyed = key ? withKey(lines, [comment(key.why), `key: ${word(key.column)}`, ...where]) : lines
  const name = keyed.findIndex(line => line.startsWith('  name:'))
  const next = keyed.findIndex((line, at) => at > name && !line.startsWith('   '))
  const fields = fieldLines(usable).map(indent).flatMap(wrapped)
  const all = keyed.toSpliced(next < 0 ? keyed.length : next, 0, ...fields)
  return withLookups(isOfOrganizations ? all.map(asOrganization) : all, usable)
}

const asOrganization = (line: string) =>
  line.replace(
    /^ {2}record_sub_type: person$/,
    '  record_sub_type: organization # so other files name these rows',
  )

/** In the place of the key and its comments. */
function withKey(lines: readonly string[], block: readonly string[]): string[] {
  const at = lines.findIndex(line => /^(# )?key: /.test(line))
  if (at < 0) return lines.flatMap(line => (/^record:/.test(line) ? [line, ...block] : [line]))
  const from = lines.findLastIndex((line, place) => place < at && !line.startsWith('#')) + 1
  const to = lines.findIndex(
    (line, place) => place > at && !(lines[at]?.startsWith('#') && line.startsWith('#')),
  )
  return lines.toSpliced(from, to - from, ...block)
}

/** A mapping has a single `lookups:`, which may be a comment as yet. */
function withLookups(lines: readonly string[], links: readonly Link[]): string[] {
  const lookups = Object.entries<Rule>(Object.assign({}, ...links.map(link => link.lookups)))
  if (lookups.length === 0) return [...lines]
  const block = ['lookups:', ...lookups.map(([name, spec]) => `  ${word(name)}: ${flow(spec)}`)]
  const at = lines.findIndex(line => /^(# )?lookups:$/.test(line))
  const body = lines.findIndex(line => line.startsWith('body:'))
  return at < 0 ? lines.toSpliced(body, 0, ...block, '') : lines.toSpliced(at, 1, ...block)
}

function fieldLines(links: readonly Link[]): string[] {
  return [...new Set(links.map(link => link.field))].flatMap(name => {
    const isList = /s$/.test(name)
    const own = links.filter(link => link.field === name)
    const sure = own.filter(({ isSure }) => isSure)
    const items = sure.map(({ value, note }) => field(isList ? '-' : name, value, note))
    const questions = own
      .filter(({ isSure }) => !isSure)
      .map(({ value, note }) =>
        suggestion(name, isList ? [value] : value, [asked(`${note} Is that so? Then put this in:`)]),
      )
    return together(isList ? group(name, items) : items[0], ...questions).lines
  })
}
