import type { Mapping } from '../../../mapping/mapping.ts'
import { shorten } from '../../../result/short-texts.ts'
import type { Column, Columns } from '../columns/column.ts'
import { evidenceOf } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import type { ContactRole, RoleFacts, TaskRole } from '../columns/words.ts'
import { anyOf, oneOf, taskRoles, vocabulary, wordList, wordMark, wordsOf } from '../columns/words.ts'
import { compact, flow } from '../yaml.ts'
import { partiesIn, sharedWord } from './parties.ts'

/** Roles that values alone can speak for. */
const byValues = ['email', 'phone']
const nameless = { distance: Infinity, group: '', isVague: false }
/** Matches numbers with an area code, which numbers that are no phones seldom have. */
const areaCode = /^(\+\d{10,14}$|(\+|\(?0[1-9]\d{0,3}\)?[\s./-]|\(\d{2,4}\)\s?\d)[\d\s()./-]{5,18}$)/
export const haveAreaCode = (column: Column) =>
  column.share('date') < 0.5 && column.shareOf(text => areaCode.test(text)) >= 0.8
/** Where Latin letters touch Chinese, Japanese or Korean ones, as in "TEL会社". */
const glued = /(?<=[a-z])(?=[\u3040-\ud7ff])|(?<=[\u3040-\ud7ff])(?=[a-z])/g
const isNameless = /^column \d+$|^[^a-z]*$/

/** Addresses by their form, numbers by their country or a word of the header. */
function speaksFor(role: string, column: Column): boolean {
  if (column.item) return false // of people in the row
  if (role === 'email') return column.share('emails') > 0.5
  return (
    column.share('international') >= 0.8 ||
    (oneOf.phoneNumbers.test(column.words) && column.share('international') > 0.2) ||
    (isNameless.test(column.words) && haveAreaCode(column)) ||
    (anyOf.phoneWords.test(column.words.replaceAll(glued, ' ').replaceAll(/\d+/g, '')) &&
      column.share('phones') > 0.3)
  )
}

/** A role that a column may have, with what speaks for it. */
export interface Match<Role extends string> {
  readonly column: Column
  readonly role: Role
  /** The nearness of the header to the role's words, from 0 to 1. */
  readonly header: number
  /** The fit of the values, from 0 to 1. */
  readonly values: number
  /** The sum of both and of half the share of rows with a value. */
  readonly score: number
  /** Words left out of the header until the role's words remained: 0 for the exact name, Infinity for another name. */
  readonly distance: number
  /** The words that were left out, such as `home` of an address. */
  readonly group: string
  /** The words have other meanings, too. */
  readonly isVague: boolean
}

type Reduced = Pick<Match<string>, 'distance' | 'group'> & { readonly words: string }

const places = wordList(vocabulary.places)
/** Places may be on either side, entities only in front. */
const qualifiers = [...places, ...wordList(vocabulary.entities)]
/** Distance of a header from a role's words, for each kind of words that it has besides. */
const costs = { stem: 1, number: 1, ending: 1, qualifier: 2, gluedQualifier: 3, anyWords: 4, alternative: 2 }
const vagueCost = 3
/** Words that say how a value is written, or what it counts. */
const units = wordList(Object.values(vocabulary.units).join('|')).join('|')
const endings = new RegExp(` (value|text|formatted|${units})$`, 'u')

/** `fecha hora cierre` is `fecha cierre`. */
const withClock = new RegExp(`(?<=^\\S+) (${wordList(taskRoles.dueTime.words).join('|')})(?= )`, 'u')

const particles = new RegExp(` (${vocabulary.particles})(?= )`, 'gu')
/** `nombre de la tarea` and `nombre de tarea` are `nombre tarea`. */
const withoutParticles = (words: string): string => words.replaceAll(particles, '')

/** A column's name without a number, a place, its entity or the words of the group; the nearest first. */
function reductions(name: string, stem: string): Reduced[] {
  const reduced: Reduced[] = [{ words: withoutParticles(name), distance: 0, group: '' }]
  const rest = name.split(' ').filter(word => !stem.split(' ').includes(word))
  if (stem !== '' && rest.length > 0) reduced.push({ words: rest.join(' '), distance: costs.stem, group: '' })
  for (const { words, distance, group } of reduced) {
    const add = (rest: string, cost: number, left = '') => {
      if (rest !== '' && !reduced.some(known => known.words === rest))
        reduced.push({ words: rest, distance: distance + cost, group: `${group} ${left}`.trim() })
    }
    const [number, digits] = / (\d{1,2})(?= |$)/.exec(words) ?? []
    if (number !== undefined)
      add(words.replace(number, ''), costs.number, `${words.slice(0, words.indexOf(number))}${digits}`)
    add(words.replace(/(?<=\p{L}{5}|^name)\d$/u, ' $&'), 0)
    add(words.replace(endings, ''), costs.ending)
    add(words.replace(withClock, ''), costs.ending)
    for (const [index, word] of qualifiers.entries()) {
      if (words.startsWith(`${word} `)) add(words.slice(word.length + 1), costs.qualifier, word)
      else if (index < places.length && word.length > 3 && words.startsWith(word))
        add(words.slice(word.length), costs.gluedQualifier, word)
      if (index < places.length && words.endsWith(` ${word}`))
        add(words.slice(0, -word.length - 1), costs.qualifier, word)
    }
  }
  return reduced.sort((a, b) => a.distance - b.distance)
}

const withoutFirstWords = (name: string): Reduced[] =>
  [...name.matchAll(/ /g)].map(({ index }) => ({
    words: name.slice(index + 1),
    distance: costs.anyWords,
    group: name.slice(0, index),
  }))

/** A header without a last word that others have as well, in whatever gender, as in "Rue privée" and "CP privé". */
const withoutLastWord = (name: string, tails: ReadonlySet<string>): Reduced[] => {
  const [, words, tail = ''] = /^(.+) (\S+)$/.exec(name) ?? []
  return words && tails.has(tailOf(tail)) ? [{ words, distance: costs.anyWords, group: tailOf(tail) }] : []
}

const language = new RegExp(` (${vocabulary.languages})$`)
const tailOf = (word: string) => word.slice(0, Math.max(4, word.length - 2))

/** The last words of several headers. */
function sharedTails(columns: Columns): Set<string> {
  const tails = columns.flatMap(({ words }) => / (\S{4,})$/.exec(words)?.[1] ?? []).map(tailOf)
  return new Set(tails.filter((tail, at) => tails.indexOf(tail) < at))
}

export type RoleWords<Role extends string> = ReturnType<typeof roleWords<Role>>

export function roleWords<Role extends string>(facts: Readonly<Record<Role, RoleFacts>>) {
  const roles = new Map<string, Role[]>()
  for (const [role, { words }] of Object.entries(facts) as [Role, RoleFacts][])
    for (const word of words.split('|')) {
      const key = (wordMark.exec(word)?.[0] ?? '') + withoutParticles(wordsOf(word))
      // Also glued, as in "DUEDATE".
      for (const each of new Set([key, key.length > 6 ? key.replaceAll(' ', '') : key]))
        roles.set(each, [...(roles.get(each) ?? []), role])
    }
  const marked = (mark: string, reduced: Reduced) =>
    (roles.get(mark + reduced.words) ?? []).map(role => ({ ...reduced, role, isVague: mark === '?' }))
  const rolesOf = (reduced: Reduced) =>
    ['', reduced.distance > 0 ? '~' : '=', '?'].flatMap(mark => marked(mark, reduced))
  const long = new Map(
    Object.entries<RoleFacts>(facts).map(([role, { words }]) => {
      const all = words
        .split('|')
        .filter(word => !wordMark.test(word))
        .map(word => wordsOf(word))
      return [role, all.filter(word => word.length > 3 || /[\u3040-\ud7ff]{2}/.test(word))]
    }),
  )
  return {
    facts,
    /** Whether a header begins or ends with a word of a role; at the end it may be glued, as in "Vereinsadresse". */
    holds: (role: Role, header: string) =>
      long.get(role)?.some(word => header.startsWith(`${word} `) || header.endsWith(word)) ?? false,
    /** The roles that a header speaks for, the nearest first; the words of the contact's own group do not count. */
    named(header: string, stem: string, tails: ReadonlySet<string> = new Set()) {
      const rests = withoutFirstWords(header)
      const loose = [...rests, ...withoutLastWord(header, tails)]
        .flatMap(rolesOf)
        .filter(({ role, isVague }) => facts[role].isLoose && !isVague)
      const last = rests.flatMap(rest => marked('~', rest))
      // `proyecto nombre` is `nombre proyecto`, but a `date requested` is no `requested date`
      const words = header.split(' ').reverse().join(' ')
      const all = rolesOf({ words, distance: costs.qualifier, group: '' })
      const turned = all.filter(({ role }) => facts[role].holds !== 'date')
      return [...reductions(header, stem).flatMap(rolesOf), ...turned, ...loose, ...last]
    },
  }
}

/** The columns that are at least half as full as the fullest, unless they are nearly constant: a word counts among these. */
export function fullOnes(columns: Columns): Column[] {
  const weight = ({ filled, isSame }: Column) => (isSame ? filled / 3 : filled)
  const most = Math.max(0, ...columns.map(weight))
  return columns.filter(column => weight(column) * 2 >= most)
}

/** The full columns, then the others, each in their order. */
export const fullFirst = (columns: Columns): Column[] => [...new Set([...fullOnes(columns), ...columns])]

export const longestName = 40

/**
 * The roles of the columns, by their headers and values. `ofOthers` are the roles of a column that speaks of another person; without
 * them all columns speak of one.
 */
export function rolesOf<Role extends string>(
  columns: Columns,
  rows: RowFacts,
  words: RoleWords<Role>,
  ofOthers?: readonly Role[],
) {
  const { stem, others, people } = ofOthers
    ? partiesIn(columns)
    : { stem: '', others: new Set<Column>(), people: [] }
  const base = stem || sharedWord(columns)
  const tails = sharedTails(columns)
  /** The words of a header without the language of its texts, if others have them in another. */
  const plainWords = ({ words }: Column) => {
    const stem = words.replace(language, '')
    const isAlike = (other: Column) => other.words !== words && other.words.replace(language, '') === stem
    const isOther = (other: Column) => language.test(other.words) && isAlike(other)
    return stem !== words && columns.some(isOther) ? stem : words
  }
  /** Says in another language what one before it says; only the name may be taken from either. */
  const isTranslation = (column: Column) =>
    plainWords(column) !== column.words &&
    columns.find(each => each.filled > 0 && plainWords(each) === plainWords(column)) !== column
  const find = (column: Column): Match<Role>[] => {
    const unnamed = byValues.map(role => ({ ...nameless, role: role as Role }))
    const best = new Map<Role, Match<Role>>()
    const parts = column.alternatives
      .flatMap(part => words.named(part, base))
      .map(each => ({ ...each, distance: each.distance + costs.alternative }))
    const named = [...words.named(plainWords(column), base, tails), ...parts].sort(
      (a, b) => a.distance - b.distance,
    )
    for (const { role, ...near } of [...named, ...unnamed]) {
      const distance = near.distance + (near.isVague ? vagueCost : 0)
      const isOwn = others.has(column) ? ofOthers?.includes(role) : stem !== 'owner' || !role.startsWith(stem)
      if (best.has(role) || words.facts[role] === undefined || !isOwn) continue
      if (role !== 'name' && isTranslation(column)) continue
      const values = evidenceOf(words.facts[role].holds, column)
      if (values === undefined || (near.isVague && values === 0)) continue
      if (distance === Infinity && !speaksFor(role, column)) continue
      const header = Math.max(0, 1 - distance / 10)
      const score = header + values + column.filled / Math.max(1, column.rows) / 2
      best.set(role, { ...near, column, role, distance, header, values, score })
    }
    return [...best.values()].sort((a, b) => b.score - a.score)
  }
  const candidates = new Map(columns.map(column => [column, find(column)]))
  // A desk or a switchboard: the same in all rows beside one that differs. In a few rows the header has to be farther, too.
  for (const column of ofOthers ? columns : []) {
    const [match] = candidates.get(column) ?? []
    if (match === undefined || !byValues.includes(match.role)) continue
    const isFewSame = column.filled > 2 && column.samples.size === 1
    const differs = (other: Column) => {
      const [best] = candidates.get(other) ?? []
      if (best?.role !== match.role || other.isSame) return false
      const isVaried = other.samples.size === other.filled
      return column.isSame || (isFewSame && isVaried && best.distance < match.distance)
    }
    if (!columns.some(differs)) continue
    others.add(column)
    candidates.set(column, [])
  }
  /** All roles that a column may have, the best first. */
  const candidatesOf = (column: Column): readonly Match<Role>[] => candidates.get(column) ?? []
  /** The best role of each column. */
  const matches = [...candidates.values()].flatMap(([best]) => best ?? [])
  /** The columns of these roles, the best first. */
  const all = (...roles: readonly Role[]) =>
    roles.flatMap(role => {
      const own = matches.filter(match => match.role === role)
      return fullFirst(own.sort((a, b) => b.score - a.score).map(({ column }) => column))
    })
  /** Columns without a role, of nobody else. */
  const free = () => columns.filter(column => candidatesOf(column).length === 0 && !others.has(column))
  return {
    ...{ columns, rows, facts: words.facts, others, people, matches, candidatesOf, all, free },
    /** Columns without a role whose header begins or ends with a word of this one, if they can hold it. */
    weak: (role: Role) =>
      free()
        .filter(column => column.filled > 0 && !oneOf.perhapsIds.test(column.words))
        .filter(column => words.holds(role, plainWords(column)))
        .filter(column => (evidenceOf(words.facts[role].holds, column) ?? 0) > 0),
    inOrder: (role: Role) => columns.filter(column => all(role).includes(column)),
    get: (role: Role) => all(role)[0],
    filled: (role: Role) => all(role).find(({ filled }) => filled > 0),
    /** Explains what each column became in a draft: its fields, or the reason why it has none; `roles` come the best first. */
    explain(draft: string, mapping: Mapping) {
      const comments = draft.split('\n').filter(line => /^\s*#.*\b(from|join|key):/.test(line))
      const fieldsOf = ({ name }: Column) => mapping.columns.fieldsOf(name)
      return columns.map(column => {
        const roles = candidatesOf(column)
        const hasRole = (other: Column) => candidatesOf(other)[0]?.role === roles[0]?.role
        const isWinner = (other: Column) => other !== column && hasRole(other) && fieldsOf(other).length > 0
        const winner = roles[0] && columns.find(isWinner)
        const isSuggested = comments.some(line => line.includes(flow(column.name)))
        const [reason = 'not mapped'] = compact(
          others.has(column) && "somebody else's",
          isSuggested && 'in a comment',
          winner && `beaten by ${shorten(winner.name, longestName)}`,
        )
        return { column, fields: fieldsOf(column), reason, roles }
      })
    },
  }
}

export type Roles<Role extends string> = ReturnType<typeof rolesOf<Role>>
export type Explained = ReturnType<Roles<string>['explain']>[number]
export type ContactRoles = Roles<ContactRole>
export type TaskRoles = Roles<TaskRole>
