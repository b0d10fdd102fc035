import type { Mapping } from '../../../mapping/mapping.ts'
import type { Explained, WeighedRole } from '../../../model/mapping-report.ts'
import type { Column } from '../columns/column.ts'
import { evidenceOf } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import { anyOf, type ContactRole, type TaskRole, vocabulary, wordList, wordsOf } from '../columns/words.ts'
import { flow } from '../yaml.ts'
import { partiesIn, sharedWord } from './parties.ts'

/** Roles that values alone can speak for. */
const byValues = ['email', 'phone']
const phoneWords = anyOf(vocabulary.phoneWords)
/** With an area code, as numbers that are no phones seldom have. */
const areaCode = /^(\+\d{10,14}$|(\+|\(?0[1-9]\d{0,3}\)?[\s./-]|\(\d{2,4}\)\s?\d)[\d\s()./-]{5,18}$)/
const isNameless = /^column \d+$|^[^a-z]*$/

/** Addresses by their form, numbers by their country or a word of the header; one column can hold both. */
function speaksFor(role: string, column: Column): boolean {
  const isMixed = column.share('emails') > 0.1 && column.share('emails', 'phones') > 0.8
  if (role === 'email') return column.share('emails') > 0.5 || isMixed
  return (
    column.share('international') >= 0.8 ||
    isMixed ||
    (isNameless.test(column.words) && column.shareOf(text => areaCode.test(text)) >= 0.8) ||
    (phoneWords.test(column.words.replaceAll(/\d+/g, '')) && column.share('phones') > 0.3)
  )
}

/** A role that a column may have, with what speaks for it. */
export interface Match<Role extends string> extends WeighedRole {
  readonly column: Column
  readonly role: Role
  /** Words left out of the header until the role's words remained: 0 for the exact name, Infinity for another name. */
  readonly distance: number
  /** The words that were left out, such as `home` of an address. */
  readonly group: string
}

type Reduced = Pick<Match<string>, 'distance' | 'group'> & { readonly words: string }

const places = wordList(vocabulary.places)
/** Places may be on either side, entities only in front. */
const qualifiers = [...places, ...wordList(vocabulary.entities)]
const mostReductions = 24
/** How far a header is from a role's words for each kind of words that it has besides. */
const costs = { stem: 1, number: 1, ending: 1, qualifier: 2, gluedQualifier: 3, anyWords: 4 }
/** Words that say how a value is written, or what it counts. */
const endings = new RegExp(` (value|formatted|${Object.values(vocabulary.units).join('|')})$`, 'u')

/** A column's name without a number, a place, its entity or the words of the group; the nearest first. */
function reductions(name: string, stem: string): Reduced[] {
  const found: Reduced[] = [{ words: name, distance: 0, group: '' }]
  const ofStem = stem.split(' ')
  const rest = name.split(' ').filter(word => !ofStem.includes(word))
  if (stem !== '' && rest.length > 0) found.push({ words: rest.join(' '), distance: costs.stem, group: '' })
  for (const [at, { words, distance, group }] of found.entries()) {
    if (at >= mostReductions) break
    const add = (rest: string, cost: number, left = '') => {
      if (rest !== '' && !found.some(known => known.words === rest))
        found.push({ words: rest, distance: distance + cost, group: `${group} ${left}`.trim() })
    }
    const [number, digits] = / (\d{1,2})(?= |$)/.exec(words) ?? []
    if (number !== undefined)
      add(words.replace(number, ''), costs.number, `${words.slice(0, words.indexOf(number))}${digits}`)
    add(words.replace(endings, ''), costs.ending)
    for (const [index, word] of qualifiers.entries()) {
      if (words.startsWith(`${word} `)) add(words.slice(word.length + 1), costs.qualifier, word)
      else if (index < places.length && word.length > 3 && words.startsWith(word))
        add(words.slice(word.length), costs.gluedQualifier, word)
      if (index < places.length && words.endsWith(` ${word}`))
        add(words.slice(0, -word.length - 1), costs.qualifier, word)
    }
  }
  return found.sort((a, b) => a.distance - b.distance)
}

/** A part of an address or a date may have any words in front, such as `visiting city`. */
const behindAnyWords = (name: string): Reduced[] =>
  [...name.matchAll(/ /g)].map(({ index }) => ({
    words: name.slice(index + 1),
    distance: costs.anyWords,
    group: name.slice(0, index),
  }))

/** The words of a record's roles, indexed once. */
export class RoleWords<Role extends string> {
  readonly #roles = new Map<string, Role[]>()
  readonly #kinds: ReadonlyMap<string, string>
  readonly #loose: ReadonlySet<string>

  /** Lists are between bars; any words may stand in front of those of a `loose` role. */
  constructor(words: Readonly<Record<Role, string>>, holds: Readonly<Record<string, string>>, loose: string) {
    for (const [role, text] of Object.entries(words) as [Role, string][])
      for (const word of text.split('|')) {
        const key = (/^[~=]/.exec(word)?.[0] ?? '') + wordsOf(word)
        // Also glued, as in "DUEDATE".
        for (const each of new Set([key, key.length > 6 ? key.replaceAll(' ', '') : key]))
          this.#roles.set(each, [...(this.#roles.get(each) ?? []), role])
      }
    const kinds = Object.entries(holds).map(([kind, list]) =>
      list.split('|').map(role => [role, kind] as const),
    )
    this.#kinds = new Map(kinds.flat())
    this.#loose = new Set(loose.split('|'))
  }

  /** The kind of a role's values. */
  kindOf(role: Role): string | undefined {
    return this.#kinds.get(role)
  }

  /** The roles that a header speaks for, the nearest first; the words of the contact's own group do not count. */
  named(header: string, stem: string): (Reduced & { readonly role: Role })[] {
    const near = reductions(header, stem).flatMap(found => this.#rolesOf(found))
    const behind = behindAnyWords(header).flatMap(found => this.#rolesOf(found))
    return [...near, ...behind.filter(({ role }) => this.#loose.has(role))]
  }

  /** Words after "~" are of a role only if others precede them, as in "Billing Code"; words after "=" only alone. */
  #rolesOf(found: Reduced) {
    const some = this.#roles.get((found.distance > 0 ? '~' : '=') + found.words) ?? []
    return [...(this.#roles.get(found.words) ?? []), ...some].map(role => ({ ...found, role }))
  }
}

/** The roles of the columns, by their headers and values. */
export class Roles<Role extends string> {
  readonly columns: readonly Column[]
  readonly rows: RowFacts
  /** Columns about somebody else. */
  readonly others: ReadonlySet<Column>
  /** The best role of each column. */
  readonly matches: readonly Match<Role>[]
  /** All of them, the best first. */
  readonly candidates: ReadonlyMap<Column, readonly Match<Role>[]>

  /** `ofOthers` are the roles of a column that speaks of another person; without them all columns speak of one. */
  constructor(
    columns: readonly Column[],
    rows: RowFacts,
    words: RoleWords<Role>,
    ofOthers?: readonly Role[],
  ) {
    this.columns = columns
    this.rows = rows
    const { stem, others } = ofOthers ? partiesIn(columns) : { stem: '', others: new Set<Column>() }
    const base = stem || sharedWord(columns)
    this.others = others
    const find = (column: Column) =>
      candidatesOf(column, words, base).filter(({ role }) => !others.has(column) || ofOthers?.includes(role))
    this.candidates = new Map(columns.map(column => [column, find(column)]))
    this.matches = [...this.candidates.values()].flatMap(found =>
      found.filter((match, at) => at === 0 || isBesides(match)),
    )
  }

  /** Role by role, the best first. */
  all(...roles: readonly Role[]): Column[] {
    return roles.flatMap(role => {
      const found = this.matches.filter(match => match.role === role)
      return found.sort((a, b) => b.score - a.score).map(({ column }) => column)
    })
  }

  /** Columns without a role, of nobody else. */
  free(): Column[] {
    return this.columns.filter(column => !this.candidates.get(column)?.length && !this.others.has(column))
  }

  /** In the order of the file. */
  inOrder(role: Role): Column[] {
    const found = this.all(role)
    return this.columns.filter(column => found.includes(column))
  }

  /** The best column of a role; one with values before one without. */
  get(role: Role): Column | undefined {
    return this.all(role)[0]
  }

  /** Explains what each column became in a draft. */
  explain(draft: string, mapping: Mapping): Explained[] {
    const comments = draft.split('\n').filter(line => /^\s*#.*\b(from|join|key):/.test(line))
    const isMapped = ({ name }: Column) => mapping.fieldsOf(name).length > 0
    return [...this.candidates].map(([column, found]) => {
      const { name, filled, rows } = column
      const winner = [...this.candidates].find(
        ([other, [best]]) => other !== column && best && best.role === found[0]?.role && isMapped(other),
      )
      const isSuggested = comments.some(line => line.includes(flow(name)))
      const reason = isSuggested ? 'suggested' : winner ? 'beaten' : 'unknown'
      return {
        column: name,
        filled: filled / Math.max(1, rows),
        fields: mapping.fieldsOf(name),
        unmapped: this.others.has(column) ? 'of others' : reason,
        beatenBy: winner?.[0].name,
        roles: found.slice(0, 2),
      }
    })
  }
}

export type ContactRoles = Roles<ContactRole>
export type TaskRoles = Roles<TaskRole>

/** Addresses and numbers in one column. */
const isBesides = ({ role, column }: Match<string>) =>
  byValues.includes(role) &&
  [column.share('emails'), column.share('phones')].every(share => share > 0.1 && share < 0.9)

function candidatesOf<Role extends string>(
  column: Column,
  words: RoleWords<Role>,
  stem: string,
): Match<Role>[] {
  const unnamed = byValues.map(role => ({ role: role as Role, distance: Infinity, group: '' }))
  const best = new Map<Role, Match<Role>>()
  for (const { role, distance, group } of [...words.named(column.words, stem), ...unnamed]) {
    const kind = words.kindOf(role)
    if (kind === undefined && distance === Infinity) continue // tasks have no such role
    if (best.has(role)) continue
    const values = evidenceOf(kind, column)
    if (values === undefined || (distance === Infinity && !speaksFor(role, column))) continue
    const header = Math.max(0, 1 - distance / 10)
    const score = header + values + column.filled / Math.max(1, column.rows) / 2
    best.set(role, { column, role, distance, group, header, values, score })
  }
  return [...best.values()].sort((a, b) => b.score - a.score)
}
