// `rowlift init --like`: an old mapping for a new export. What fits stays as it is; what is gone, renamed or new becomes a question.
import { isCollection, isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import type { Mapping } from '../../mapping/mapping.ts'
import { isRule } from '../../mapping/rule.ts'
import { UsageError } from '../../model/errors.ts'
import { isObject } from '../../model/values.ts'
import type { DocumentPath } from '../../settings/located-yaml.ts'
import { numbered } from './answers.ts'
import type { Column, Columns } from './columns/column.ts'
import { headerWords } from './columns/words.ts'
import {
  changed,
  type Fragment,
  isText,
  type Line,
  question,
  quote,
  suggestion,
  word,
  wrapped,
} from './yaml.ts'

/** Text between two offsets of a file, and what takes its place. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Lines that take the place of `count` ones from `first` on, counted from 0. */
interface Change {
  readonly first: number
  readonly count: number
  readonly lines: readonly Line[]
}

interface Placed {
  readonly rule: Readonly<Record<string, unknown>>
  readonly path: DocumentPath
}

type Parts = ReturnType<typeof partsOf>
type NewNames = ReadonlyMap<string, string>
type Uses = readonly { readonly name: string; readonly at: readonly DocumentPath[] }[]
type Drafts = (columns: Columns) => { readonly body: readonly Line[]; readonly mapping: Mapping }

/** The lines of an old mapping, with questions about what does not fit, and the columns that are new. */
export function linesLike(text: string, old: Mapping, columns: Columns, draftFor: Drafts) {
  const names = columns.map(({ name }) => name)
  const isInside = (name: string) => names.some(each => each.startsWith(`${name}.`))
  const gone = old.columns.missingFrom(names).filter(({ name }) => !isInside(name))
  const parts = partsOf(text)
  if (parts.content.optional_columns) old.settleColumns([names]) // one may be in other letters
  const unread = columns.filter(({ name }) => old.columns.fieldsOf(name).length === 0)
  const newNames = newNamesOf(gone, unread, old, draftFor(columns).mapping)
  const isKnown = (name: string) => [...newNames.values()].includes(name) || isNamed(text, name)
  const added = unread.filter(({ name }) => !isKnown(name))
  const changes = [
    ...withoutColumns(parts, gone, newNames),
    ...(parts.content.optional_columns ? [] : tables(parts, columns)),
    ...(added.length > 0 ? additions(parts, draftFor(added).body, added) : []),
  ]
  const lines: Line[] = text.split('\n')
  for (const { first, count, lines: now } of changes.sort((a, b) => b.first - a.first))
    lines.splice(first, count, ...now)
  return { lines: numbered(lines), added }
}

/** The name of a column stands in the text, in a rule, a comment or a list. */
function isNamed(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(`(^|[\\s"'\`[{(])${escaped}(?=[:,\\]}"'\`)]|$)`, 'm').test(text)
}

/** New columns in the place of those that are gone: called alike, else of the same field by what they hold. */
function newNamesOf(gone: Uses, unread: Columns, old: Mapping, draft: Mapping): Map<string, string> {
  const newNames = new Map<string, string>()
  for (const { name } of gone) {
    const free = unread.filter(column => ![...newNames.values()].includes(column.name))
    const own = old.columns.fieldsOf(name)
    const isAlike = (column: Column) =>
      draft.columns.fieldsOf(column.name).some(field => field !== 'key' && own.includes(field))
    const now = free.find(({ words }) => words === headerWords(name)) ?? free.find(isAlike)
    if (now !== undefined) newNames.set(name, now.name)
  }
  return newNames
}

/** The parts of a mapping, by their paths. Throws a UsageError if it is JSON, which has no comments. */
function partsOf(text: string) {
  const document = parseDocument(text)
  if (isMap(document.contents) && document.contents.flow) throw new UsageError('like_json')
  const content = document.toJS()
  const nodeAt = (path: DocumentPath) =>
    (path.length === 0 ? document.contents : document.getIn(path, true)) as Node | undefined
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length - 1

  /** The lines of a key with its value, or of an item. */
  function placeOf(path: DocumentPath) {
    const [above, node] = [nodeAt(path.slice(0, -1)), nodeAt(path)]
    const pair = isMap(above) && above.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    const from = ((pair ? pair.key : node) as Node).range?.[0] ?? 0
    const start = text.lastIndexOf('\n', from - 1) + 1
    const written = text.slice(start, node?.range?.[1]).trimEnd()
    const first = lineOf(start)
    const lead = text.slice(start, from)
    const isOwn = pair ? /^ *$/.test(lead) : /^ *- $/.test(lead)
    return { first, count: written.split('\n').length, start, isOwn, spaces: /^ */.exec(lead)?.[0] ?? '' }
  }

  /** The lines of a part, without their indentation, after these edits. */
  function linesOf(path: DocumentPath, edits: readonly Edit[] = []): string[] {
    const { first, count, start, spaces } = placeOf(path)
    const own = text
      .split('\n')
      .slice(first, first + count)
      .join('\n')
    const edited = edits
      .toSorted((a, b) => b.from - a.from)
      .reduce((now, { from, to, text }) => now.slice(0, from - start) + text + now.slice(to - start), own)
    return edited.split('\n').map(line => line.slice(spaces.length))
  }

  /** The rule around a place, or else what stands on lines of its own. */
  function wholeOf(path: DocumentPath): DocumentPath {
    const isWhole = (value: unknown) => isObject(value) && (isRule(value) || 'custom_field_id' in value)
    const end = path.findIndex((_, at) => at > 1 && isWhole(nodeAt(path.slice(0, at))?.toJS(document)))
    let part = end < 0 ? path : path.slice(0, end)
    while (part.length > 1 && !placeOf(part).isOwn) part = part.slice(0, -1)
    return part
  }

  /** Takes the parent of parts that are all it has in their place. */
  function withEmptied(all: readonly DocumentPath[]): DocumentPath[] {
    const isAmong = (path: DocumentPath) => all.some(part => isInside(path, part))
    const isEmptied = (path: DocumentPath) => {
      const node = nodeAt(path)
      return (
        isCollection(node) &&
        node.items.every((item, at) => isAmong([...path, isPair(item) ? String(item.key) : at]))
      )
    }
    const up = all.map(part => (part.length > 2 && isEmptied(part.slice(0, -1)) ? part.slice(0, -1) : part))
    if (up.some((part, at) => part !== all[at])) return withEmptied(up)
    return up.filter(
      (part, at) =>
        !up.some((other, from) => isInside(part, other) && (from < at || part.length > other.length)),
    )
  }

  /** Edits that give columns their new names at a place. */
  function renaming(path: DocumentPath, newNames: NewNames): Edit[] {
    const node = nodeAt(path)
    const scalars = isSeq(node) ? node.items : [node]
    return scalars.flatMap(scalar => {
      if (!isScalar(scalar) || !scalar.range) return []
      const [from, to] = scalar.range
      const now = newNames.get(String(scalar.value))
      const slots = [...newNames].reduce(
        (all, [old, now]) =>
          all.replaceAll(`{{${old}}}`, `{{${now}}}`).replaceAll(`\`${old}\``, `\`${now}\``),
        text.slice(from, to),
      )
      return [{ from, to, text: now === undefined ? slots : word(now) }]
    })
  }

  /** Edits that add entries to a table. */
  function entries(path: DocumentPath, keys: readonly string[], value: string): Edit[] {
    const node = nodeAt(path)
    if (!isMap(node) || !node.range) return []
    const [from, end] = node.range
    const at = from + text.slice(from, node.flow ? end - 1 : end).trimEnd().length
    const start = ' '.repeat(from - text.lastIndexOf('\n', from - 1) - 1)
    const lead = node.flow ? ', ' : `\n${start}`
    return [{ from: at, to: at, text: keys.map(key => `${lead}${word(key)}: ${word(value)}`).join('') }]
  }

  /** The rules of the body. */
  function rules(value: unknown = content.body, path: DocumentPath = ['body']): Placed[] {
    if (isObject(value) && isRule(value)) return [{ rule: value, path }]
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, inner]) =>
      rules(inner, [...path, Array.isArray(value) ? Number(key) : key]),
    )
  }
  return { text, content, nodeAt, placeOf, linesOf, wholeOf, withEmptied, renaming, entries, rules }
}

const isInside = (path: DocumentPath, part: DocumentPath) => part.every((step, at) => step === path[at])

/** Puts a question in the place of a part. */
function asking(parts: Parts, path: DocumentPath, { lines }: Fragment): Change {
  const { first, count, spaces } = parts.placeOf(path)
  return { first, count, lines: placed(lines, spaces, path.filter(step => step !== 'body').join('.')) }
}

const placed = (lines: readonly Line[], spaces: string, id: string): Line[] =>
  lines
    .flatMap(line => changed(line, text => wrapped(spaces + text)))
    .map(line => (isText(line) ? line : { ...line, id }))

/** Gives columns their new names, with a question; what reads columns that are gone becomes a comment. */
function withoutColumns(parts: Parts, gone: Uses, newNames: NewNames): Change[] {
  const uses = gone.flatMap(({ name, at }) => at.map(path => ({ name, path })))
  const asked = parts.withEmptied(uses.map(({ path }) => parts.wholeOf(path))).map(part => {
    const own = uses.filter(({ path }) => isInside(path, part))
    const paths = [...new Map(own.map(({ path }) => [String(path), path])).values()]
    const names = [...new Set(own.map(({ name }) => name))]
    const edits = paths.map(path => parts.renaming(path, newNames))
    const isChanged = edits.every(all =>
      all.some(({ from, to, text }) => text !== parts.text.slice(from, to)),
    )
    const isRenamed = isChanged && names.every(name => newNames.has(name))
    return { part, names, isRenamed, lines: parts.linesOf(part, edits.flat()) }
  })
  const left = asked.filter(({ isRenamed }) => !isRenamed).map(({ part }) => String(part))
  const fields = Object.keys(parts.content.body).map(field => `body,${field}`)
  const lookup = left.find(part => part.startsWith('lookups,'))
  if (fields.every(field => left.includes(field)) || lookup) throw new UsageError('like_nothing')
  return asked.map(({ part, names, lines, isRenamed }) => {
    const gone = `? ${names.map(quote).join(' and ')}: there is no such column any more, so this is left out. Is that right? Else put it in again:`
    if (!isRenamed) return asking(parts, part, suggestion({ lines }, gone))
    const renamed = names.map(name => `Is ${quote(newNames.get(name) ?? '')} the new name of ${quote(name)}?`)
    const old = part[0] === 'lookups' ? parts.linesOf(part) : []
    const no = { id: 'none', label: 'No', part: { lines: old } }
    const yes = { id: 'take', label: 'Yes', part: { lines } }
    return asking(parts, part, question(renamed.join(' '), [no], yes))
  })
}

const mostTargets = 4

/** Asks about values that a table lacks, by what it makes of others. */
function tables(parts: Parts, columns: Columns): Change[] {
  return parts.rules().flatMap(({ rule, path }) => {
    const { from, map, replace, case: letters, split, otherwise } = rule
    const column = columns.find(({ name, hasMoreValues }) => name === from && !hasMoreValues)
    if (column === undefined || !isObject(map) || otherwise === 'keep' || replace || letters || split)
      return []
    const isNew = (value: string) => !Object.hasOwn(map, value) && !isNamed(parts.text, value)
    const lacking = [...column.values].filter(isNew)
    const whole = parts.wholeOf(path)
    if (lacking.length === 0 || String(whole) !== String(path)) return []
    const targets = [...new Set(Object.values(map).map(String))].slice(0, mostTargets)
    const offers = targets.map(target => ({
      id: target,
      label: `They are ${quote(target)}`,
      part: { lines: parts.linesOf(path, parts.entries([...path, 'map'], lacking, target)) },
    }))
    const text = `The table for ${quote(column.name)} lacks ${lacking.map(quote).join(', ')}. What is that?`
    const standing = { id: 'none', label: 'Leave it so', part: { lines: parts.linesOf(path) } }
    return [asking(parts, path, question(text, offers, standing))]
  })
}

/** What a draft makes of new columns, as questions below what the mapping has of the same. */
function additions(parts: Parts, body: readonly Line[], added: Columns): Change[] {
  const entries: { readonly key: string; readonly lines: string[] }[] = []
  for (const line of body) {
    const key = isText(line) ? /^ {2}(\w+):/.exec(line)?.[1] : undefined
    if (key !== undefined) entries.push({ key, lines: [] })
    if (isText(line) && /^( {4}| {2}\w)/.test(line)) entries.at(-1)?.lines.push(line)
  }
  return entries.flatMap(({ key, lines }) => {
    const names = added.map(({ name }) => name).filter(name => isNamed(lines.join('\n'), name))
    const known = parts.nodeAt(['body', key])
    const isBlock = isCollection(known) && !known.flow
    if (names.length === 0 || /\blookup:/.test(lines.join()) || (known && !(isBlock && lines.length > 1)))
      return []
    const own = known ? lines.slice(1).map(line => line.slice(4)) : lines.map(line => line.slice(2))
    const { first, count } = parts.placeOf(known ? ['body', key] : ['body'])
    const text = `? ${names.map(quote).join(', ')} ${names.length === 1 ? 'is' : 'are'} new. Does the record have it? Then put this in:`
    const child = isMap(known) ? known.items[0]?.key : 0
    const spaces = known
      ? parts.placeOf(['body', key, isScalar(child) ? String(child.value) : 0]).spaces
      : '  '
    return [
      { first: first + count, count: 0, lines: placed(suggestion({ lines: own }, text).lines, spaces, key) },
    ]
  })
}
