import type { Column } from './column.ts'
import { wordList } from './header-words.ts'

/** What a kind of record can have, each with the words that columns of it are called by. */
export type Vocabulary<Role extends string> = Readonly<Record<Role, readonly string[]>>

/** A column and the part that it plays. */
export interface Match<Role extends string> {
  readonly column: Column
  readonly role: Role
  /** 0 where the name says just that, more where words had to be left out. */
  readonly distance: number
  /** The words that were left out in front, such as `home` of an address. */
  readonly group: string
}

const placeWords = wordList(
  'work|home|business|office|primary|secondary|main|other|private|personal|company|mailing|billing|shipping|postal|additional|alternate|alternative|preferred|default|direct|current|geschäftlich|privat|beruflich|dienstlich|büro|professionnel|personnel|professionnelle|personnelle|trabajo|casa|particular|lavoro|ufficio|zakelijk|рабочий|личный|домашний|zweite|weitere|haupt|organization|organisation|billing address|mailing address|shipping address|home address|work address|business address',
)
const entityWords = wordList(
  'task|issue|ticket|activity|todo|card|item|story|case|contact|person|people|customer|client|lead|member|subscriber|employee|user|account|deal|kontakt|kunde|kunden|aufgabe|ansprechpartner|cliente|tarea|tâche|kontaktperson|клиент|контакт|задача|participant|guest|donor|student|attendee|patient|vendor|supplier|lieferant',
)

interface Reduced {
  readonly words: string
  readonly distance: number
  readonly group: string
}

/** The name of a column, and what is left of it without a number, a place or what it is a field of. */
function reductions(words: string): Reduced[] {
  const found: Reduced[] = [{ words, distance: 0, group: '' }]
  const add = (reduced: string, distance: number, group: string) => {
    if (reduced !== '' && !found.some(known => known.words === reduced))
      found.push({ words: reduced, distance, group })
  }
  for (let at = 0; at < found.length && at < 24; at += 1) {
    const { words: text, distance, group } = found[at] ?? { words: '', distance: 0, group: '' }
    const number = / (\d{1,2})(?= |$)/.exec(text)
    if (number !== null)
      add(
        text.replace(number[0], ''),
        distance + 1,
        `${group} ${text.slice(0, number.index)}${number[1]}`.trim(),
      )
    add(text.replace(/ (value|formatted)$/, ''), distance + 1, group)
    for (const [list, cost] of [
      [placeWords, 2],
      [entityWords, 2],
    ] as const)
      for (const word of list) {
        if (text.startsWith(`${word} `))
          add(text.slice(word.length + 1), distance + cost, `${group} ${word}`.trim())
        if (list === placeWords && text.endsWith(` ${word}`))
          add(text.slice(0, -word.length - 1), distance + cost, `${group} ${word}`.trim())
      }
  }
  return found.sort((a, b) => a.distance - b.distance)
}

/** Which part the columns can play by their names, each at most one: the one that its name says most plainly. */
export function matched<Role extends string>(
  columns: readonly Column[],
  vocabulary: Vocabulary<Role>,
): Match<Role>[] {
  const roles = new Map<string, Role>()
  for (const [role, words] of Object.entries(vocabulary) as [Role, readonly string[]][])
    for (const word of words) if (!roles.has(word)) roles.set(word, role)
  return columns.flatMap(column => {
    for (const { words, distance, group } of reductions(column.words)) {
      const role = roles.get(words)
      if (role !== undefined) return [{ column, role, distance, group }]
    }
    return []
  })
}

/** The matches of a role, the plainest first. */
export const of = <Role extends string>(matches: readonly Match<Role>[], role: Role): Match<Role>[] =>
  matches.filter(match => match.role === role).sort((a, b) => a.distance - b.distance)

/** The plainest column of a role that holds something, else the plainest. */
export function plainest<Role extends string>(
  matches: readonly Match<Role>[],
  role: Role,
): Column | undefined {
  const found = of(matches, role)
  return (found.find(({ column }) => column.filled > 0) ?? found[0])?.column
}
