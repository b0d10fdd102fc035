import type { Column } from './column.ts'
import { field, off, type Part } from './lines.ts'
import { textRule } from './rules.ts'
import { type Flow, quote } from './yaml-words.ts'

const levels: readonly (readonly [level: string, words: RegExp])[] = [
  [
    'urgent',
    /^(urgent|highest|critical|blocker|immediate|asap|dringend|sofort|kritisch|urgente|urgent[e]?|kritiek|срочно|срочная|очень высокий|наивысший|неотложный|pilne|pilny|natychmiast|naléhavé|naliehavé|brådskande|akut|haster|sürgős|acil|kiireellinen|срочный|критический|紧急|緊急)$/,
  ],
  [
    'high',
    /^(high|major|important|hoch|haute?|élevée?|elevee|alta|alto|hoog|важно|важный|высокий|высокая|высокое|wysoki|wysoka|vysoká|vysoký|hög|høj|høy|magas|yüksek|korkea|tärkeä|ridicată|ridicat|mare|高)$/,
  ],
  [
    'medium',
    /^(medium|normal|moderate|mid|mittel|moyenne?|normale?|media|medio|média|gemiddeld|normaal|средний|средняя|среднее|обычный|обычная|нормальный|średni|średnia|normalny|střední|stredná|stredný|normální|medel|mellan|mellem|middels|közepes|orta|normaali|keskitaso|medie|mediu|中)$/,
  ],
  [
    'low',
    /^(low|lowest|minor|trivial|niedrig|gering|basse|faible|baja|bajo|bassa|basso|baixa|laag|низкий|низкая|низкое|niski|niska|nízká|nízka|nízky|låg|lav|alacsony|düşük|matala|scăzută|scăzut|mică|低)$/,
  ],
]

const levelOf = (word: string) =>
  levels.find(([, words]) =>
    words.test(word.toLowerCase().replace(/^[^\p{L}]*\d+[^\p{L}]+|[^\p{L}]+$/gu, '')),
  )?.[0]

/** The words of a priority column by what they mean; of numbers nobody can know which end is urgent. */
export function priorityPart(column: Column): Part {
  const words = [...column.values.keys()]
  const known = words.flatMap(word => {
    const level = levelOf(word)
    return level === undefined ? [] : [[word, level] as const]
  })
  const unknown = words.filter(word => levelOf(word) === undefined)
  if (known.length > 0)
    return field(
      'priority',
      rule(column, known),
      'Which words the service knows beyond "high" is not documented; what the table lacks is left out.',
      ...(unknown.length > 0 ? [`Not in the table: ${unknown.slice(0, 6).map(quote).join(', ')}`] : []),
    )
  const examples = words.slice(0, 6)
  return off(
    field(
      'priority',
      rule(
        column,
        examples.map((word, at) => [word, ['high', 'medium', 'low'][Math.min(at, 2)] ?? 'low'] as const),
      ),
      examples.length > 0
        ? `Which of ${examples.map(quote).join(', ')} is the most urgent? Put the words right, then take this in:`
        : 'No row has a priority; fill in its words:',
    ),
  )
}

const rule = (column: Column, table: readonly (readonly [string, string])[]): Flow => ({
  ...textRule(column),
  map: Object.fromEntries(table.length > 0 ? table : [['High', 'high']]),
  otherwise: 'omit',
})
