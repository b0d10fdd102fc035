import { grouped } from '../../../output/text.ts'
import type { Column, Columns } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { anyOf, oneOf } from '../columns/words.ts'
import { textIn } from '../fields/rules.ts'
import { field, type Line, suggestion } from '../lines.ts'
import notes from '../notes.json' with { type: 'json' }
import { comment, compact, flow, quote, told } from '../yaml.ts'

export type RowKind = 'person' | 'organization' | 'task'

/** Ids of accounts, owners or projects. */
const { foreignToPerson: person, foreignToOrganization: organization, foreignToTask: task } = anyOf
const foreignIds = { person, organization, task }
const isForeign = (column: Column, kind: RowKind) => foreignIds[kind].test(plainWords(column))

/** The words without a number, and without the ending of a custom field. */
const plainWords = ({ words }: Column) => words.replace(/ (\d+|c)$/, '')

/** The words are those of an id or a code, of whatever it is. */
export const isCode = (words: string): boolean => oneOf.ids.test(words) || oneOf.numbers.test(words)

/** Texts such as "WO-7001" or "00071", written alike. */
function areCodes(column: Column): boolean {
  const forms = [...column.samples].map(text => text.replaceAll(/\d+/g, '9').replaceAll(/\p{L}/gu, 'a'))
  return new Set(forms).size <= 2 && column.shareOf(text => code.test(text)) === 1
}
const code = /^(\d{4,12}|(?=.*\d)(?=.*[\p{L}/_-])[\p{L}\d/_#.-]{3,24})$/u

const isUuid = (text: string) => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text)

/** The best first: ids, then addresses, then links. */
function candidates(all: Columns, kind: RowKind): Column[] {
  const named = all.filter(({ isList, name }) => !isList && name !== '')
  const columns = named.filter(({ words }) => !anyOf.notNames.test(words))
  // A dot is in a path of NDJSON; after an abbreviation comes a blank.
  const own = columns.filter(({ name, words }) => !anyOf.notKeys.test(words) && !/\.\S/.test(name))
  // of what the row is, such as `airtable record id`
  const isId = (column: Column) => isCode(plainWords(column)) && !isForeign(column, kind)
  const isLink = ({ words }: Column) => /\b(url|link|profile|permalink)\b/.test(words)
  const rank = (column: Column) =>
    (anyOf.lesserIds.test(column.words) ? 1e3 : 0) -
    (column.shareOf(isUuid) === 1 ? 1e2 : 0) +
    column.words.length
  return [
    ...columns.filter(isId).sort((a, b) => rank(a) - rank(b)),
    ...columns.filter(({ name }) => name === '#' && kind === 'task'),
    ...own.filter(column => kind !== 'task' && column.share('email') > 0.5),
    ...own.filter(column => column.share('url') === 1 && isLink(column)),
  ]
}

/** Lines about `key:`: the column that identifies every row, or why there is none. */
export function keyLines(columns: Columns, kind: RowKind, facts: RowFacts, names: Columns): readonly Line[] {
  const { rows, isAll } = facts
  const all = candidates(columns, kind)
  const counter = columns.find(
    ({ countsUp, isDistinct, words }) => countsUp && isDistinct && oneOf.counters.test(words),
  )
  const usable = (column: Column) => column !== counter && column.isDistinct && rows > 1
  const best = all.find(usable)
  const basis = isAll ? '' : ` among the first ${grouped(rows)} rows`
  if (best !== undefined) {
    const inCase = best.share('email') > 0.5 ? ', in whatever case' : ''
    const note = told(notes.key.found, { key: flow(best.name), basis, case: inCase })
    return field('key', best.name, note, notes.key.why).lines
  }
  // whatever its word, the first column of codes tells rows apart
  const [first] = columns.filter(column => column !== counter)
  const isPerhaps = (column: Column) =>
    (oneOf.perhapsIds.test(plainWords(column)) && !isForeign(column, kind)) ||
    (column === first && areCodes(column))
  const isOwn = (column: Column) => column.share('emails', 'url', 'date', 'international') === 0
  const perhaps = columns.find(column => usable(column) && isPerhaps(column) && isOwn(column))
  const [nearest] = all
  const isShared = perhaps === undefined && nearest !== undefined && isOfSeveral(nearest, names, facts)
  const why = perhaps
    ? [told(notes.key.perhaps, { key: flow(perhaps.name), basis })]
    : whyNone(nearest, rows, isShared)
  const key = field('key', (perhaps ?? nearest)?.name ?? 'COLUMN')
  const lines = isShared ? why.map(comment) : suggestion(key, ...why).lines
  const counting = counter && told(notes.key.counter, { counter: flow(counter.name) })
  return [comment(notes.key.without), ...lines, ...compact(counting).map(comment)]
}

/** Rows that share a value are called otherwise, so they are not one record. */
function isOfSeveral(column: Column, names: Columns, { kept }: RowFacts): boolean {
  const called = new Map<string, string>()
  return kept.some(row => {
    const value = textIn(row, column)
    const name = names.map(each => textIn(row, each).toLowerCase()).join(' ')
    if (value === '' || name.trim() === '') return false
    const first = called.get(value) ?? name
    called.set(value, first)
    return first !== name
  })
}

function whyNone(nearest: Column | undefined, rows: number, isShared: boolean): string[] {
  if (nearest === undefined || rows < 2) return [notes.key.none]
  const { name, words, repeated, filled, samples } = nearest
  const empty = nearest.rows - filled
  const lacks = told(notes.key.empty, { empty: grouped(empty), rows: grouped(nearest.rows) })
  const repeats = repeated && told(notes.key.repeats, { ...repeated, text: quote(repeated.text) })
  const values = {
    key: flow(name),
    repeats,
    reason: repeats ? `line ${repeats}` : empty > 0 ? lacks : 'not all of its values can name a row',
  }
  if (repeats && isShared) return [told(notes.key.shared, values)]
  if (repeats && filled > 3 && isCode(words) && samples.size <= Math.min(filled, 60) / 2)
    return [told(notes.key.several, values)]
  return [told(notes.key.other, values), notes.key.with]
}
