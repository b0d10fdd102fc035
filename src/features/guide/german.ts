// The German texts of codes: a text is chosen by the facts of its code, never by the English sentence.
import { RowliftError } from '../../model/errors.ts'
import { spanOf } from '../../output/text.ts'
import type { Words } from '../../output/words/sentence.ts'
import catalogue from './words.de.json' with { type: 'json' }

/** A text, or one with words at its places in capitals. Each is that of the first pattern which a fact matches; without one there is none. */
type Text = string | readonly [text: string, words: Chosen]
type Chosen = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
type Facts = Readonly<Record<string, unknown>>

/** Entries of the catalogue of sentences. Notices, the checks of `doctor` and their findings begin with `on_`, `check_` and `finding_`. */
export const germanWords: Words = Object.fromEntries(
  Object.entries<unknown>(catalogue).map(([code, text]) => [
    code,
    (params: object = {}) => {
      const facts = Object.fromEntries(factsOf(params))
      return [numbered(textFor(text as Text, facts), facts), facts]
    },
  ]),
)

function textFor(entry: Text, facts: Facts): string {
  const [text, chosen = {}] = [entry].flat() as [string, Chosen?]
  return text.replaceAll(/\{([A-Z]\w*)\}/g, (_, place) => {
    const [[fact, texts] = ['', {}]] = Object.entries(chosen[place] ?? {})
    const [, words = ''] =
      Object.entries(texts).find(([pattern]) => new RegExp(pattern).test(String(facts[fact] ?? ''))) ?? []
    return textFor([words, chosen], facts)
  })
}

const numbers = new Intl.NumberFormat('de')
const mostListed = 12

/** Puts in numbers of things, such as `{#rows|Zeile|Zeilen}`, also of the items of a list. The first items stand for a long list. */
const numbered = (text: string, facts: Facts) =>
  text
    .replaceAll(/\{#(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name, one, many) => {
      const value = facts[name]
      const count = Array.isArray(value) ? value.length : Number(value)
      return `${numbers.format(count)} ${count === 1 ? one : many}`
    })
    .replaceAll(/\{\.{3}(\w+)\}/g, '{...$1-first|, }')

/** The facts by their names, those of an object after its own name; durations and sizes as people read them. */
function factsOf(params: object, before = ''): (readonly [string, unknown])[] {
  return Object.entries(params).flatMap(([own, value]) => {
    const name = before + own
    if (value instanceof RowliftError) return [[name, value.problem]]
    if (Array.isArray(value)) return [[name, value] as const, [`${name}-first`, firstOf(value)] as const]
    if (typeof value === 'number' && /Ms$/.test(own)) return [[name, spanOf(value).replace('.', ',')]]
    if (typeof value === 'number' && /_bytes$/.test(own))
      return [[name, `${numbers.format(Math.ceil(value / 1_000_000))} MB`]]
    if (Object.prototype.toString.call(value) !== '[object Object]' || 'code' in Object(value))
      return [[name, value]]
    return factsOf(Object(value), `${name}_`)
  })
}

const firstOf = (list: readonly unknown[]) =>
  list.length > mostListed
    ? [...list.slice(0, mostListed), `${numbers.format(list.length - mostListed)} weitere`]
    : list
