import { problem } from '../model/problem.ts'
import type { Place, Row } from '../model/row.ts'
import { addTo } from '../model/values.ts'
import { type ContentLine, contentLines, splitEscaped, unescaped } from './content-lines.ts'
import { brokenRow, readLine } from './ndjson.ts'
import { maxRowBytes, type SourceSettings } from './source.ts'

/** Each card as the NDJSON of an object; its number is the line. What is no whole card has a fault. Throws a SourceError. */
export async function* vcardRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { encoding, keepsLines = false }: Pick<SourceSettings, 'encoding' | 'keepsLines'>,
): AsyncGenerator<Row[]> {
  let row = 0
  for await (const cards of cardsIn(contentLines(bytes, source, { encoding })))
    yield cards.map(card => {
      row += 1
      return rowOf(card, { source, row, line: row }, keepsLines)
    })
}

interface Card {
  readonly lines: ContentLine[]
  bytes: number
  /** 0 outside of cards; from 2 on in the card of an agent within the card, which is left out. */
  depth: number
  isWhole: boolean
}

const newCard = (depth: number): Card => ({ lines: [], bytes: 0, depth, isWhole: false })

async function* cardsIn(batches: AsyncIterable<ContentLine[]>): AsyncGenerator<Card[]> {
  let card = newCard(0)
  let before: ContentLine | undefined
  for await (const batch of batches) {
    const cards: Card[] = []
    for (const line of batch) {
      const mark = /^\s*vcard\s*$/i.test(line.value) ? line.name : ''
      const isAgent = mark === 'BEGIN' && before?.name === 'AGENT' && before.value.trim() === ''
      before = line
      if (isAgent) card.depth += 1
      else if (mark === 'END' && card.depth > 1) card.depth -= 1
      else if (mark === 'BEGIN' || (mark === 'END' && card.depth === 1)) {
        card.isWhole = mark === 'END'
        if (card.depth > 0 || card.lines.length > 0) cards.push(card)
        card = newCard(mark === 'BEGIN' ? 1 : 0)
      } else if (card.depth < 2) addLine(card, line)
    }
    yield cards
  }
  if (card.depth > 0 || card.lines.length > 0) yield [card]
}

/** What a line holds beside its value counts too, so that a card has at most 100,000 lines. */
const bytesOfLine = 100

function addLine(card: Card, line: ContentLine): void {
  card.bytes += bytesOfLine + line.value.length
  if (card.bytes <= maxRowBytes) card.lines.push(line)
}

const longestText = 1_000_000

function rowOf({ lines, bytes, depth, isWhole }: Card, place: Place, keepsLine: boolean): Row {
  const unread = lines.find(({ name }) => name === '')
  const fault =
    (depth === 0 && problem('outside_of_cards')) ||
    (!isWhole && problem('card_not_ended')) ||
    (unread && problem('not_a_property', { line: unread.line })) ||
    (bytes > maxRowBytes && problem('too_long', { characters: maxRowBytes }))
  if (!fault) return readLine(place, JSON.stringify(objectOf(lines)), keepsLine)
  const texts = lines.map(({ name, value }) => (name === '' ? value : `${name}:${value}`))
  return brokenRow(place, texts.join('\n').slice(0, longestText), fault)
}

/** Always lists of objects; what else a card has once is a text. */
const typed = /^(?:adr|email|impp|label|org|related|tel|url|(?:x-)?socialprofile|x-abdate|x-abrelatednames)$/
const fieldsOf = new Map([
  ['n', ['family', 'given', 'additional', 'prefix', 'suffix']],
  ['adr', ['po_box', 'extended', 'street', 'locality', 'region', 'postal_code', 'country']],
  ['org', ['name', 'unit']],
])

function objectOf(all: readonly ContentLine[]): object {
  const isOld = all.some(({ name, value }) => name === 'VERSION' && value.trim() === '2.1')
  const labels = new Map<string | undefined, string>()
  for (const { name, group, value } of all)
    if (name === 'X-ABLABEL' && group !== undefined) labels.set(group, unescaped(value).trim())
  const lines = all.filter(({ name }) => name !== 'X-ABLABEL')
  const values = new Map<string, unknown[]>(lines.map(line => [keyOf(line), []]))
  for (const line of lines.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const value = valueIn(line, isOld)
    const isTyped = typed.test(keyOf(line)) && value !== undefined
    addTo(values.get(keyOf(line)) ?? [], isTyped ? withTypes(value, line, labels.get(line.group)) : value)
  }
  return Object.fromEntries(
    [...values].map(([key, list]) => [key, typed.test(key) && list.length > 0 ? list : oneOrAll(list)]),
  )
}

const keyOf = ({ name }: ContentLine) => name.toLowerCase()

/** The preferred ones come first. */
const rankOf = (line: ContentLine): number =>
  Number(line.params.PREF?.[0] ?? (typesOf(line).includes('pref') ? 1 : 101))

const typesOf = ({ params }: ContentLine): string[] =>
  ['TYPE', 'SERVICE-TYPE', 'X-SERVICE-TYPE'].flatMap(name =>
    (params[name] ?? []).flatMap(types => types.toLowerCase().split(/\s*,\s*/)),
  )

function withTypes(value: object | string, line: ContentLine, label: string | undefined): object {
  // Apple's own labels stand between signs: _$!<HomePage>!$_
  const known = label?.replace(/^_\$!<(.*)>!\$_$/s, (_, name: string) => name.toLowerCase())
  const type = [...new Set([...typesOf(line), ...(known ? [known] : [])])]
  const content = typeof value === 'object' ? { ...value, label: line.params.LABEL?.[0] } : { value }
  return { ...content, type: type.length === 0 ? undefined : type }
}

/** A text, a list of several, or an object of these; undefined where it holds nothing. */
function valueIn(line: ContentLine, isOld: boolean): string | object | undefined {
  const { value, params } = line
  const read = (parts: readonly string[]) =>
    oneOrAll(parts.map(part => textOf(part, isOld)).filter(text => text !== ''))
  const key = keyOf(line)
  const fields = fieldsOf.get(key)
  if (fields !== undefined) {
    const [first = '', ...rest] = splitEscaped(value, ';')
    const itemsOf = (part: string) => (isOld ? [part] : splitEscaped(part, ','))
    const parts = key === 'org' ? [[first], rest] : [first, ...rest].map(itemsOf)
    const entries = fields.map((field, at) => [field, read(parts[at] ?? [])])
    return entries.some(([, found]) => found !== undefined) ? Object.fromEntries(entries) : undefined
  }
  const [year] = params['X-APPLE-OMIT-YEAR'] ?? []
  if (year !== undefined && value.startsWith(year)) return `--${value.slice(year.length).replace(/^-/, '')}`
  if (key === 'nickname' || key === 'categories') return read(splitEscaped(value, ','))
  if (key === 'tel' || key === 'email') return read([value.replace(/^(?:tel|mailto):/i, '')])
  return read([value])
}

/** In vCard 2.1 a backslash is a sign like others but before a separator. */
const textOf = (part: string, isOld: boolean) =>
  (isOld ? part.replaceAll(/\\([;,])/g, '$1') : unescaped(part)).trim()

const oneOrAll = <T>(list: readonly T[]): T | readonly T[] | undefined => (list.length > 1 ? list : list[0])
