import type { Column } from './column.ts'
import type { RowFacts } from './survey.ts'
import { vocabulary, wordList } from './words.ts'

export interface Match<Role extends string> {
  readonly column: Column
  readonly role: Role
  /** 0 for the exact name, more where words were left out. */
  readonly distance: number
  /** Words that were left out in front, such as `home` of an address. */
  readonly group: string
}

type Reduced = Pick<Match<string>, 'distance' | 'group'> & { readonly words: string }

const places = wordList(vocabulary.places)
/** Places may be on either side, entities only in front. */
const qualifiers = [...places, ...wordList(vocabulary.entities)]
const mostReductions = 24

/** A column's name without a number, a place or its entity; the nearest first. */
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

/** The roles that each column can have by its name. */
export class Roles<Role extends string> {
  readonly columns: readonly Column[]
  readonly rows: RowFacts
  readonly matches: readonly Match<Role>[]

  constructor(columns: readonly Column[], rows: RowFacts, vocabulary: Readonly<Record<Role, string>>) {
    this.columns = columns
    this.rows = rows
    const roles = new Map<string, Role>()
    for (const [role, text] of Object.entries(vocabulary) as [Role, string][])
      for (const word of wordList(text)) if (!roles.has(word)) roles.set(word, role)
    this.matches = columns.flatMap(column => {
      const found = reductions(column.words).find(({ words }) => roles.has(words))
      const role = roles.get(found?.words ?? '')
      return found && role ? [{ column, role, distance: found.distance, group: found.group }] : []
    })
  }

  /** Role by role, the plainest first. */
  all(...roles: readonly Role[]): Column[] {
    return roles.flatMap(role => {
      const found = this.matches.filter(match => match.role === role)
      return found.sort((a, b) => a.distance - b.distance).map(({ column }) => column)
    })
  }

  /** The plainest column with values, else the plainest. */
  get(role: Role): Column | undefined {
    const found = this.all(role)
    return found.find(({ filled }) => filled > 0) ?? found[0]
  }
}
