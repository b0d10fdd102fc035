import { brokenRow, readLine } from '../../input/ndjson.ts'
import { openObjects, primed, type Reader, type SourceBytes } from '../../input/reader.ts'
import { maxRowBytes, type SourceSettings } from '../../input/source.ts'
import { problem } from '../../model/problem.ts'
import { addTo } from '../../model/values.ts'
import {
  bytesOfLine,
  type ContentLine,
  contentLines,
  linesText,
  oneOrAll,
  problemOf,
  resolved,
  splitEscaped,
} from './content-lines.ts'

export const cardReader: Reader = {
  open: async (source, settings) => openObjects(source.bytes, await primed(vcardRows(source, settings))),
}

/** Each card as the NDJSON of an object; its number is the line. One that is not whole has a fault. Throws a SourceError. */
async function* vcardRows({ path, bytes }: SourceBytes, { encoding, keepsLines = false }: SourceSettings) {
  let row = 0
  let card = newCard(0)
  let isAgent = false
  const isAny = ({ depth, lines }: Card) => depth > 0 || lines.length > 0
  const rowOf = ({ lines, bytes, depth, isWhole }: Card) => {
    row += 1
    const place = { source: path, row, line: row }
    const fault =
      (depth === 0 && problem('outside_of_cards')) ||
      (!isWhole && problem('card_not_ended')) ||
      problemOf(lines) ||
      (bytes > maxRowBytes && problem('too_long', { characters: maxRowBytes }))
    if (fault) return brokenRow(place, linesText(lines), fault)
    return readLine(place, JSON.stringify(objectOf(lines)), keepsLines)
  }
  for await (const batch of contentLines(bytes, path, { encoding })) {
    const cards: Card[] = []
    for (const line of batch.flatMap(splitJoinedLines)) {
      const mark = /^\s*vcard\s*$/i.test(line.value) ? line.name : ''
      if (mark === 'BEGIN' && isAgent) card.depth += 1
      else if (mark === 'END' && card.depth > 1) card.depth -= 1
      else if (mark === 'BEGIN' || (mark === 'END' && card.depth === 1)) {
        card.isWhole = mark === 'END'
        cards.push(card)
        card = newCard(mark === 'BEGIN' ? 1 : 0)
      } else if (card.depth < 2) {
        card.bytes += line.value.length + bytesOfLine
        if (card.bytes <= maxRowBytes) card.lines.push(line)
      }
      isAgent = line.name === 'AGENT' && line.value.trim() === ''
    }
    yield cards.filter(isAny).map(rowOf)
  }
  yield [card].filter(isAny).map(rowOf)
}

/** The depth is 0 outside of cards; from 2 on in the card of an agent within the card, which is left out. */
const newCard = (depth: number) => ({ lines: [] as ContentLine[], bytes: 0, depth, isWhole: false })
type Card = ReturnType<typeof newCard>

/** Files that were joined may have no line break between END and BEGIN, and the card of an agent may begin on its line. */
const splitJoinedLines = (line: ContentLine): ContentLine[] => {
  const [, value] = /^(vcard|)\s*begin:vcard\s*$/i.exec(line.value) ?? []
  if (value === undefined || !/^(END|AGENT)$/.test(line.name)) return [line]
  return [line.name, 'BEGIN'].map(name => ({ ...line, name, value: name === 'BEGIN' ? 'VCARD' : value }))
}

/** Properties that are always lists of objects; others that a card has once are texts. */
const typed = /^(?:adr|email|impp|label|org|related|tel|url|(?:x-)?socialprofile|x-abdate|x-abrelatednames)$/

function objectOf(all: readonly ContentLine[]): object {
  const isOld = all.some(({ name, value }) => name === 'VERSION' && value.trim() === '2.1')
  const isLabel = ({ name }: ContentLine) => name === 'X-ABLABEL'
  const labels = new Map(all.filter(isLabel).map(({ group = '', value }) => [group, resolved(value)]))
  const lines = all.filter(line => !isLabel(line))
  const lists = new Map<string, unknown[]>(lines.map(line => [keyOf(line), []]))
  for (const line of lines.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const value = valueIn(line, isOld)
    const label = line.group && labels.get(line.group)
    const isTyped = value !== undefined && typed.test(keyOf(line))
    addTo(lists.get(keyOf(line)) ?? [], isTyped ? withTypes(value, line, label) : value)
  }
  const toValue = (key: string, list: unknown[]) =>
    typed.test(key) && list.length > 0 ? list : oneOrAll(list)
  return Object.fromEntries([...lists].map(([key, list]) => [key, toValue(key, list)]))
}

const keyOf = ({ name }: ContentLine) => name.toLowerCase()

/** The preferred ones come first. */
const rankOf = (line: ContentLine): number =>
  Number(line.params.PREF?.[0] ?? (typesOf(line).includes('pref') ? 1 : 101))

const typesOf = ({ params }: ContentLine): string[] =>
  [params.TYPE ?? [], params['X-SERVICE-TYPE'] ?? []].flat().join(',').toLowerCase().split(',')

function withTypes(value: object | string, line: ContentLine, label = ''): object {
  // Apple's own labels are between signs: _$!<HomePage>!$_
  const named = label.trim().replace(/^_\$!<(.*)>!\$_$/s, (_, name: string) => name.toLowerCase())
  const types = new Set([...typesOf(line).map(type => type.trim()), named].filter(type => type !== ''))
  const content = typeof value === 'object' ? { ...value, label: line.params.LABEL?.[0] } : { value }
  return { ...content, type: types.size === 0 ? undefined : [...types] }
}

const partsOf = new Map([
  ['n', ['family', 'given', 'additional', 'prefix', 'suffix']],
  ['adr', ['po_box', 'extended', 'street', 'locality', 'region', 'postal_code', 'country']],
  ['org', ['name', 'unit']],
])

/** A text, a list of several, or an object of these; undefined if it holds nothing. */
function valueIn(line: ContentLine, isOld: boolean): string | object | undefined {
  const key = keyOf(line)
  const names = partsOf.get(key)
  // in vCard 2.1 a backslash is a sign like others but before a separator
  const toText = (part: string) => (isOld ? part.replaceAll(/\\([;,])/g, '$1') : resolved(part)).trim()
  const read = (parts: readonly string[]) => oneOrAll(parts.map(toText).filter(text => text !== ''))
  const itemsOf = (part: string) => (isOld ? [part] : splitEscaped(part, ','))
  if (names !== undefined) {
    const all = splitEscaped(line.value, ';')
    const parts = key === 'org' ? [all.slice(0, 1), all.slice(1)] : all.slice(0, names.length).map(itemsOf)
    const entries = names.map((name, at) => [name, read(parts[at] ?? [])])
    return entries.some(([, value]) => value !== undefined) ? Object.fromEntries(entries) : undefined
  }
  if (key === 'nickname' || key === 'categories') return read(splitEscaped(line.value, ','))
  return read([cleaned(key, line)])
}

/** Leaves out the scheme of numbers and addresses, and the year that Apple writes for none. */
function cleaned(key: string, { value, params }: ContentLine): string {
  const [year] = params['X-APPLE-OMIT-YEAR'] ?? []
  if (year !== undefined && value.startsWith(year)) return `--${value.slice(year.length).replace(/^-/, '')}`
  return /^(?:tel|email)$/.test(key) ? value.replace(/^(?:tel|mailto):/i, '') : value
}
