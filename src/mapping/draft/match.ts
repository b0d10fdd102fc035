import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { vocabulary, wordList } from './words.ts'

/** A column and the part that it plays. */
export interface Match<Role extends string> {
  readonly column: Column
  readonly role: Role
  /** 0 where the name says just that, more where words had to be left out. */
  readonly distance: number
  /** The words that were left out in front, such as `home` of an address. */
  readonly group: string
}

/** What the body of a record is drafted from. */
export interface BodyFacts<Role extends string> {
  readonly columns: readonly Column[]
  readonly matches: readonly Match<Role>[]
  readonly rows: RowFacts
}

interface Reduced {
  readonly words: string
  readonly distance: number
  readonly group: string
}

const places = wordList(vocabulary.places)
/** Places may stand on either side of what they say, entities only in front. */
const qualifiers = [...places, ...wordList(vocabulary.entities)]
const mostReductions = 24

/** The name of a column, and what is left of it without a number, a place or what it is a field of; the nearest first. */
function reductions(name: string): Reduced[] {
  const found: Reduced[] = [{ words: name, distance: 0, group: '' }]
  for (const [at, { words, distance, group }] of found.entries()) {
    if (at >= mostReductions) break
    const add = (rest: string, cost: number, left = '') => {
      if (rest !== '' && !found.some(known => known.words === rest))
        found.push({ words: rest, distance: distance + cost, group: `${group} ${left}`.trim() })
    }
    const [number, digits] = / (\d{1,2})(?= |$)/.exec(words) ?? []
    if (number !== undefined)
      add(words.replace(number, ''), 1, `${words.slice(0, words.indexOf(number))}${digits}`)
    add(words.replace(/ (value|formatted)$/, ''), 1)
    for (const [index, word] of qualifiers.entries()) {
      if (words.startsWith(`${word} `)) add(words.slice(word.length + 1), 2, word)
      if (index < places.length && words.endsWith(` ${word}`)) add(words.slice(0, -word.length - 1), 2, word)
    }
  }
  return found.sort((a, b) => a.distance - b.distance)
}

/** Which part each column can play by its name; columns that play none are left out. */
export function matched<Role extends string>(
  columns: readonly Column[],
  words: Readonly<Record<Role, string>>,
): Match<Role>[] {
  const roles = new Map<string, Role>()
  for (const [role, text] of Object.entries(words) as [Role, string][])
    for (const word of wordList(text)) if (!roles.has(word)) roles.set(word, role)
  return columns.flatMap(column => {
    for (const { words, distance, group } of reductions(column.words)) {
      const role = roles.get(words)
      if (role !== undefined) return [{ column, role, distance, group }]
    }
    return []
  })
}

/** The columns of a role, the plainest first. */
export const columnsOf = <Role extends string>(matches: readonly Match<Role>[], ...roles: Role[]): Column[] =>
  roles.flatMap(role =>
    matches
      .filter(match => match.role === role)
      .sort((a, b) => a.distance - b.distance)
      .map(({ column }) => column),
  )

/** The plainest column of a role that holds something, else the plainest. */
export function plainest<Role extends string>(
  matches: readonly Match<Role>[],
  role: Role,
): Column | undefined {
  const found = columnsOf(matches, role)
  return found.find(({ filled }) => filled > 0) ?? found[0]
}
