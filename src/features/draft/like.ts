// `rowlift init --like`: an old mapping for a new export. What fits stays as it is; what is gone, renamed or new becomes a question.
import { isMap, type Node, parseDocument, type YAMLMap } from 'yaml'
import type { Mapping } from '../../mapping/mapping.ts'
import { ruleMarks } from '../../mapping/rule.ts'
import { UsageError } from '../../model/errors.ts'
import { numbered, withQuestions } from './answers.ts'
import type { Column, Columns } from './columns/column.ts'
import { headerWords } from './columns/words.ts'
import { nodeAt, type Path, withItem, withValue } from './edits/yaml-edits.ts'
import { type Fragment, isText, type Line, placed, question, suggestion, textOf } from './lines.ts'
import { quote } from './yaml.ts'

type Old = ReturnType<typeof linesIn>
/** Lines that take the place of `count` ones. */
type Change = ReturnType<Old['asking']>
type NewNames = ReadonlyMap<string, string>
type Drafts = (columns: Columns) => { readonly body: readonly Line[]; readonly mapping: Mapping }

/** The lines of an old mapping, with questions about what does not fit, and the columns that are new. Throws a UsageError. */
export function linesLike(text: string, mapping: Mapping, columns: Columns, draftFor: Drafts) {
  const old = linesIn(text)
  const names = columns.map(({ name }) => name)
  const isPart = (name: string) => names.some(each => each.startsWith(`${name}.`))
  const isOptional = old.document.get('optional_columns') === true
  if (isOptional) mapping.settleColumns([names]) // a column may be in other letters
  const gone = mapping.columns.missingFrom(names).filter(({ name }) => !isPart(name))
  const unread = columns.filter(({ name }) => mapping.columns.fieldsOf(name).length === 0)
  const newNames = newNamesOf(gone, unread, mapping, draftFor(columns).mapping)
  const isKnown = (name: string) => [...newNames.values()].includes(name) || isNamed(text, name)
  const added = unread.filter(({ name }) => !isKnown(name))
  const changes = [
    ...withoutColumns(old, gone, newNames),
    ...(isOptional ? [] : tables(old, mapping, columns)),
    ...(added.length > 0 ? additions(old, draftFor(added).body, added, 'new') : []),
  ]
  return { lines: numbered(after(old, changes)), added }
}

/** Asks for the columns that neither the rules nor the comments of a preset name, if a draft has a place for them. */
export function withUnread(
  preset: readonly Line[],
  columns: Columns,
  draftFor: (some: Columns) => readonly Line[],
) {
  const old = linesIn(textOf(preset))
  const unread = columns.filter(({ name }) => !isNamed(old.text, name))
  if (unread.length === 0) return preset
  const changes = additions(old, draftFor(unread), unread, 'not read by the preset')
  return numbered(withQuestions(after(old, changes), preset))
}

const after = ({ lines }: Old, changes: readonly Change[]) =>
  changes
    .toSorted((a, b) => b.at - a.at)
    .reduce<readonly Line[]>((all, { at, count, lines }) => all.toSpliced(at, count, ...lines), lines)

/** The name of a column stands in the text, in a rule, a comment or a list. */
function isNamed(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(`(^|[\\s"'\`[{(])${escaped}(?= ?[:,\\]}"'\`)]|$)`, 'm').test(text)
}

type Gone = ReturnType<Mapping['columns']['missingFrom']>

/** New columns in the place of those that are gone: called alike, else of the same field by what they hold. */
function newNamesOf(gone: Gone, unread: Columns, mapping: Mapping, draft: Mapping): NewNames {
  const newNames = new Map<string, string>()
  for (const { name } of gone) {
    const free = unread.filter(column => ![...newNames.values()].includes(column.name))
    const own = mapping.columns.fieldsOf(name)
    const isAlike = (column: Column) =>
      draft.columns.fieldsOf(column.name).some(field => field !== 'key' && own.includes(field))
    const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
    const now =
      free.find(({ words }) => words === headerWords(name)) ??
      free.find(column => letters(column.name) === letters(name)) ??
      free.find(isAlike)
    if (now !== undefined) newNames.set(name, now.name)
  }
  return newNames
}

/** The lines of a mapping, each the head of those that stand deeper below it. Throws a UsageError for JSON, which has no comments. */
function linesIn(text: string) {
  const document = parseDocument(text)
  if (isMap(document.contents) && document.contents.flow) throw new UsageError('like_json')
  const lines = text.split('\n')
  const bodyAt = lines.findIndex(line => /^body:/.test(line))
  const levelOf = (line = '') => line.search(/\S/) + (/^ *- /.test(line) ? 0.5 : 0)
  const heads = lines.flatMap((line, at) => (/^\s*(#|$)/.test(line) ? [] : [at]))
  const isDeeper = (at: number, than: number) => levelOf(lines[at]) > levelOf(lines[than])
  const lineOf = (node: Node) => text.slice(0, node.range?.[0]).split('\n').length - 1
  const above = (at: number) => heads.findLast(each => each < at && isDeeper(at, each)) ?? -1
  const below = (at: number) => heads.filter(each => each > at && above(each) === at)

  function countOf(at: number): number {
    const next = heads.find(each => each > at && !isDeeper(each, at)) ?? lines.length
    return (heads.findLast(each => each < next) ?? at) - at + 1
  }

  /** The lines of a head and of those below it, without their indentation, after edits there. */
  function blockAt(at: number, edited = text): string[] {
    const now = edited.split('\n')
    const own = now.slice(at, at + countOf(at) + now.length - lines.length)
    return own.map(line => line.slice(spacesAt(at).length))
  }

  /** The head of the field that a line is part of. */
  function fieldAt(at: number): number {
    const isPart = /^ *((from|join|expr|default|each|map):|- [^:{]+$)/.test(lines[at] ?? '')
    const isCustom = /^ *- custom_field_id:/.test(lines[above(at)] ?? '')
    return isPart || isCustom ? fieldAt(above(at)) : at
  }

  /** Heads without those below them; one that has nothing else below it is taken in their place. */
  function outermost(heads: readonly number[]): number[] {
    const isEmptied = (at: number) => at > 0 && below(at).every(each => heads.includes(each))
    const up = heads.map(at => (above(at) !== bodyAt && isEmptied(above(at)) ? above(at) : at))
    if (up.some((at, index) => at !== heads[index])) return outermost(up)
    return [...new Set(up)].filter(at => !up.some(other => other < at && at < other + countOf(other)))
  }

  const spacesAt = (at: number) => /^ */.exec(lines[at] ?? '')?.[0] ?? ''
  /** Puts a question in the place of a block. */
  function asking(at: number, part: Fragment) {
    return { at, count: countOf(at), lines: placed(part.lines, spacesAt(at), () => idOf(at)) }
  }

  function idOf(at: number): string {
    const siblings = below(above(at))
    const own = /^ *([\w]+):/.exec(lines[at] ?? '')?.[1] ?? String(siblings.indexOf(at))
    const parent = above(at) < 0 || above(at) === bodyAt ? [] : [idOf(above(at))]
    return [...parent, own].join('.')
  }
  const ofLines = { below, idOf, countOf, spacesAt, blockAt, fieldAt, outermost, asking }
  return { text, lines, document, bodyAt, lineOf, ...ofLines }
}

/** Gives columns their new names, with a question; what reads columns that are gone becomes a comment. */
function withoutColumns(old: Old, gone: Gone, newNames: NewNames): Change[] {
  const uses = gone.flatMap(({ name, at }) =>
    at.map(path => ({ name, path, line: old.lineOf(old.document.getIn(path, true) as Node) })),
  )
  const asked = old.outermost(uses.map(({ line }) => old.fieldAt(line))).map(at => {
    const own = uses.filter(({ line }) => line >= at && line < at + old.countOf(at))
    const names = [...new Set(own.map(({ name }) => name))]
    const now = own.reduce((now, { path }) => renamed(now, path, newNames), withNames(old.text, newNames))
    const isChanged = (path: Path) => String(nodeAt(now, path)) !== String(nodeAt(old.text, path))
    const isRenamed = own.every(({ name, path }) => newNames.has(name) && isChanged(path))
    return { at, names, isRenamed, lines: old.blockAt(at, now) }
  })
  const fields = old.below(old.bodyAt)
  const lost = asked.filter(({ isRenamed }) => !isRenamed).map(({ at }) => at)
  const isNeeded = (at: number) => /^(lookups|body)\b/.test(old.idOf(at))
  const isAll = lost.length > 0 && fields.every(at => lost.includes(at))
  if (isAll || lost.some(isNeeded)) throw new UsageError('like_nothing')
  return asked.map(({ at, names, lines, isRenamed }) => {
    const gone = `? ${names.map(quote).join(' and ')}: there is no such column any more, so this is left out. Is that right? Else put it in again:`
    if (!isRenamed) return old.asking(at, suggestion({ lines }, gone))
    const renamed = names.map(name => `Is ${quote(newNames.get(name) ?? '')} the new name of ${quote(name)}?`)
    const left = isNeeded(at) || keyIn(old.lines[at]) === 'name' ? old.blockAt(at) : []
    const no = { id: 'none', label: 'No', part: { lines: left } }
    return old.asking(at, question(renamed.join(' '), [no], { id: 'take', label: 'Yes', part: { lines } }))
  })
}

/** Gives columns their new names in templates and expressions. */
const withNames = (text: string, newNames: NewNames) =>
  [...newNames].reduce(
    (all, [old, now]) => all.replaceAll(`{{${old}}}`, `{{${now}}}`).replaceAll(`\`${old}\``, `\`${now}\``),
    text,
  )

/** Gives a column its new name at a place, or those of a list. */
function renamed(text: string, path: Path, newNames: NewNames): string {
  const value: unknown = nodeAt(text, path)?.toJSON()
  if (Array.isArray(value)) return value.reduce((all, _, at) => renamed(all, [...path, at], newNames), text)
  const now = newNames.get(String(value))
  return now === undefined ? text : withValue(text, path, now)
}

const mostTargets = 4

/** Asks about values that a table lacks, by what it makes of others. */
function tables(old: Old, mapping: Mapping, columns: Columns): Change[] {
  const rules = mapping.columns.missingFrom([]).flatMap(({ name, at }) => at.map(path => ({ name, path })))
  return rules.flatMap(({ name, path }) => {
    const column = columns.find(each => each.name === name && !each.hasMoreValues)
    return column && path.at(-1) === 'from' ? tableOf(old, path.slice(0, -1), column) : []
  })
}

function tableOf(old: Old, path: Path, column: Column): Change[] {
  const rule = old.document.getIn(path) as YAMLMap
  const [map, otherwise] = [rule.get('map'), rule.get('otherwise')]
  const isChanged = ['replace', 'case', 'split'].some(key => rule.has(key))
  if (!isMap(map) || isChanged || otherwise === 'keep') return []
  const lacking = [...column.values].filter(text => !map.has(text) && !isNamed(old.text, text))
  if (lacking.length === 0) return []
  const at = old.fieldAt(old.lineOf(rule))
  const withAll = (target: string) =>
    lacking.reduce((now, text) => withItem(now, [...path, 'map'], text, target), old.text)
  const targets = [...new Set(map.items.map(({ value }) => String(value)))].slice(0, mostTargets)
  const partOf = (target: string) => ({ lines: old.blockAt(at, withAll(target)) })
  const offers = targets.map(id => ({ id, label: `They are ${quote(id)}`, part: partOf(id) }))
  const text = `The table for ${quote(column.name)} lacks ${lacking.map(quote).join(', ')}. What is that?`
  const standing = { id: 'none', label: 'Leave it so', part: { lines: old.blockAt(at) } }
  return [old.asking(at, question(text, offers, standing))]
}

const keyIn = (line = '') => /^ *(-|\w+)/.exec(line)?.[1] ?? ''

/** What a draft makes of new columns, as questions below what the mapping has of the same. */
function additions(old: Old, body: readonly Line[], added: Columns, what: string): Change[] {
  const draft = linesIn(body.filter(line => isText(line) && !/^ *#/.test(line)).join('\n'))
  const fields = old.below(old.bodyAt)
  return draft.below(0).flatMap(at => {
    const key = keyIn(draft.lines[at])
    const known = fields.find(each => keyIn(old.lines[each]) === key)
    const inner = known === undefined ? [] : old.below(known)
    const keys = inner.map(each => keyIn(old.lines[each]))
    const isRule = ruleMarks.some(mark => keys.includes(mark))
    const isFree = (child: string) =>
      (keys[0] === '-') === (child === '-') && (child === '-' || !keys.includes(child))
    const isOpen = keys.length > 0 && !isRule
    const free = isOpen ? draft.below(at).filter(each => isFree(keyIn(draft.lines[each]))) : []
    const lines = known === undefined ? draft.blockAt(at) : free.flatMap(each => draft.blockAt(each))
    const names = added.map(({ name }) => name).filter(name => isNamed(lines.join('\n'), name))
    if (names.length === 0 || /\blookup:/.test(lines.join())) return []
    const place = known ?? old.bodyAt
    const spaces = old.spacesAt(inner[0] ?? fields[0] ?? 0)
    const text = `? ${names.map(quote).join(', ')} ${names.length === 1 ? 'is' : 'are'} ${what}. Does the record have it? Then put this in:`
    const part = suggestion({ lines }, text)
    return [{ at: place + old.countOf(place), count: 0, lines: placed(part.lines, spaces, () => key) }]
  })
}
