// The profile of a source on the page of a dry run: the first rows with their records, and what the columns hold.

import { isReservedColumn } from '../../model/content-key.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import type { Place, Row } from '../../model/row.ts'
import { leavesOf } from '../../model/values.ts'
import { type Child, html, placeMarkup, quoted, quotedList, table } from '../../output/page/html.ts'
import { counted, cut, grouped, rows } from '../../output/text.ts'
import type { Markup } from '../../result/facts.ts'
import { shorten } from '../../result/short-texts.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { type Sample, samplesMarkup, takeSample } from './samples.ts'

export function withProfile(prepared: PreparedImport): PreparedImport {
  const { mapping, sources } = prepared
  const samples: Sample[] = []
  const profile = new SourceProfile(sources.flatMap(({ columns = [] }) => columns))
  return {
    ...prepared,
    profile: {
      keep(outcome, row) {
        profile.take(row)
        takeSample(samples, outcome, row, each => mapping.map(each, true))
        return undefined
      },
      close: async () => {},
      markup(leftOut) {
        const facts = profile.facts(column => mapping.columns.fieldsOf(column))
        return { samples: samplesMarkup(samples), columns: profileMarkup(facts, leftOut) }
      },
    },
  }
}

const mostColumns = { counted: 10_000, shown: 1_000 }
const maxLength = 500

/** Gathers what the columns of the rows hold that can be read, in bounded memory. */
export class SourceProfile {
  readonly #profiles = new Map<string, ColumnProfile>()
  #rows = 0

  /** Columns are in the order of the header; the keys of objects follow. */
  constructor(header: readonly string[] = []) {
    for (const name of header) this.#profileOf(name)
  }

  take(row: Row): void {
    if (row.fault !== undefined) return
    this.#rows += 1
    for (const [column, cell] of row.cells())
      if (typeof cell === 'string') this.#profileOf(column)?.add(cell.trim(), row)
      else
        for (const { path, value } of leavesOf(cell, column))
          this.#profileOf(path.replaceAll(/\.\d+(?=\.|$)/g, ''))?.add(String(value ?? '').trim(), row)
  }

  #profileOf(column: string): ColumnProfile | undefined {
    const known = this.#profiles.get(column)
    if (known || column === '' || isReservedColumn(column) || this.#profiles.size >= mostColumns.counted)
      return known
    const profile = new ColumnProfile(() => this.#profiles.size)
    this.#profiles.set(column, profile)
    return profile
  }

  /** Called once, at the end; `fieldsOf` are the fields that a column feeds. */
  facts(fieldsOf: (column: string) => readonly string[]) {
    const columns = [...this.#profiles].slice(0, mostColumns.shown).map(([column, profile]) => ({
      column: shorten(column, maxLength),
      fields: fieldsOf(column).map(field => shorten(field, maxLength)),
      ...profile.facts(),
    }))
    return { rows: this.#rows, columns, more: this.#profiles.size - columns.length }
  }
}

const longestKept = 60
const mostShapes = 100
const mostListed = 3
type RowPlace = Pick<Place, 'source' | 'line'>

/** Counts what a column holds, in bounded memory. */
export class ColumnProfile {
  #filled = 0
  #last: RowPlace | undefined
  #longest = { start: '', length: 0, place: { source: '', line: 0 } }
  readonly #room: () => number
  /** How often the first values came that differ; of those without room only the shapes count. */
  readonly #values = new Map<string, number>()
  #hasMore = false
  readonly #shapes = new Map<string, number>()

  /** `columns` is how many share the memory. */
  constructor(columns: () => number) {
    this.#room = () => Math.max(50, Math.min(5_000, 300_000 / columns()))
  }

  /** Takes a value of a row, which may have several; an empty one counts for nothing. */
  add(value: string, row: RowPlace): void {
    const { length } = value
    if (length === 0) return
    if (row !== this.#last) this.#filled += 1
    this.#last = row
    const { source, line } = row
    if (length > this.#longest.length)
      this.#longest = { start: ownText(cut(value, longestKept)), length, place: { source, line } }
    const text = length > longestKept ? `${cut(value, longestKept)}${fingerprint(value)[0]}` : value
    const count = this.#values.get(text)
    if (count !== undefined) this.#values.set(text, count + 1)
    else if (this.#values.size < this.#room()) this.#values.set(ownText(text), 1)
    else {
      this.#hasMore = true
      this.#addShape(text, 1)
    }
  }

  #addShape(text: string, times: number): void {
    const shape = shapeOf(text)
    const count = this.#shapes.get(shape) ?? 0
    if (count > 0 || this.#shapes.size < mostShapes) this.#shapes.set(shape, count + times)
  }

  /** Called once, at the end. Lists have the most frequent first, long texts are cut. `filled` are the rows with a value. */
  facts() {
    for (const [text, count] of this.#values) this.#addShape(text, count)
    return {
      filled: this.#filled,
      distinct: this.#values.size,
      hasMore: this.#hasMore,
      longest: this.#longest,
      values: mostFrequent(this.#values, 1),
      shapes: mostFrequent(this.#shapes, 0),
    }
  }
}

const mostFrequent = (counts: ReadonlyMap<string, number>, above: number) =>
  [...counts]
    .filter(([, count]) => count > above)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostListed)
    .map(([text, count]) => [cut(text, longestKept), count] as const)

/** A copy, because a slice would hold all that was read with it in memory. */
const ownText = (text: string) => `_${text}`.slice(1)

const longestShape = 40
const signs: string[] = []

/** A shape such as `9999-99-99 aaa`: 9 is a digit, a and A are letters, and of those that follow each other there are three. */
function shapeOf(text: string): string {
  let shape = ''
  for (let at = 0; at < text.length && at < longestShape; at += 1) {
    const code = text.charCodeAt(at)
    signs[code] ??= signOf(String.fromCharCode(code))
    const sign = signs[code]
    if (!((sign === 'a' || sign === 'A') && shape.endsWith(sign.repeat(3)))) shape += sign
  }
  return text.length > longestShape ? `${shape}…` : shape
}

const signOf = (unit: string) =>
  unit
    .replace(/(?!\p{Lu})[\p{L}\p{M}]/u, 'a')
    .replace(/\p{Lu}/u, 'A')
    .replace(/\p{Nd}/u, '9')

/** A table of the columns, of the rows that `where` selects; `leftOut` rows are others. */
export function profileMarkup(
  { rows: count, columns, more }: ReturnType<SourceProfile['facts']>,
  leftOut: number,
): Markup | undefined {
  if (columns.length === 0) return undefined
  const selected = leftOut > 0 && ' and that where selects'
  return html`<p>What they hold in the ${rows(count)} that can be read${selected}. In shapes, 9 is any digit, a and A are letters.</p>
${table(
  'What the columns hold',
  ['Column', 'Filled', 'Distinct', 'Most frequent', 'Shapes', 'Longest', 'Feeds'],
  columns.map(({ column, filled, distinct, hasMore, values, shapes, longest, fields }) => [
    quoted(column),
    `${count > 0 ? Math.floor((filled / count) * 100) : 0}%`,
    `${hasMore ? 'more than ' : ''}${grouped(distinct)}`,
    countsMarkup(values),
    countsMarkup(shapes),
    longest.length > 0 &&
      html`${grouped(longest.length)} <small>${placeMarkup(longest.place)}</small> <code>${quoted(longest.start)}</code>`,
    fields.length > 0 ? quotedList(fields) : html`<span class="none">no field</span>`,
  ]),
)}
${more > 0 && html`<p>${counted(more, 'more column')}.</p>`}`
}

const countsMarkup = (counts: ReturnType<typeof mostFrequent>): Child =>
  counts.map(
    ([text, count]) => html`<div><code>${quoted(text)}</code> <small>${grouped(count)}</small></div>`,
  )
