// The profile of a source on the page of a dry run: the first rows beside their records, and what the columns hold.
import { isReservedColumn } from '../../../model/reserved-columns.ts'
import type { Row } from '../../../model/row.ts'
import { type Child, html, list, placeOf, quoted, table } from '../../../output/page/html.ts'
import { counted, grouped, rows } from '../../../output/text.ts'
import type { Markup } from '../../../result/facts.ts'
import { shorten } from '../../../result/short-texts.ts'
import type { PreparedImport } from '../../../run/prepare.ts'
import { ColumnProfile, type ColumnProfileFacts, type TextCount } from './column-profile.ts'
import { leavesOf, RowSamples, samplesMarkup } from './samples.ts'

/** Adds the profile of its sources to a dry run. */
export function withProfile(prepared: PreparedImport): PreparedImport {
  const { mapping, sources } = prepared
  const header = sources.flatMap(({ columns = [] }) => columns)
  const samples = new RowSamples(row => mapping.map(row, true))
  const profile = new SourceProfile(header)
  return {
    ...prepared,
    profile: {
      keep(outcome, row) {
        profile.take(row)
        samples.take(outcome, row)
        return undefined
      },
      close: async () => {},
      markup: leftOut => ({
        samples: samplesMarkup(samples.found),
        columns: profileMarkup(
          profile.facts(column => mapping.fieldsOf(column)),
          leftOut,
        ),
      }),
    },
  }
}

const mostColumns = { counted: 10_000, shown: 1_000 }
const maxLength = 500

type SourceProfileFacts = ReturnType<SourceProfile['facts']>

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
    const found = this.#profiles.get(column)
    if (found || column === '' || isReservedColumn(column) || this.#profiles.size >= mostColumns.counted)
      return found
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

interface ProfiledColumn extends ColumnProfileFacts {
  readonly column: string
  /** The fields that it feeds; empty if the mapping does not use it. */
  readonly fields: readonly string[]
}

/** A table of the columns, of the rows that `where` selects; `leftOut` rows are others. */
export function profileMarkup(
  { rows: count, columns, more }: SourceProfileFacts,
  leftOut: number,
): Markup | undefined {
  if (columns.length === 0) return undefined
  const selected = leftOut > 0 && ' and that where selects'
  return html`<p>What they hold in the ${rows(count)} that can be read${selected}. In shapes, 9 is any digit, a and A are letters.</p>
${table(
  'What the columns hold',
  ['Column', 'Filled', 'Distinct', 'Most frequent', 'Shapes', 'Longest', 'Feeds'],
  columns.map(column => profileCells(column, count)),
)}
${more > 0 && html`<p>${counted(more, 'more column')}.</p>`}`
}

function profileCells(
  { column, filled, distinct, hasMore, longest, fields, ...counted }: ProfiledColumn,
  all: number,
) {
  const { start, length, place } = longest
  return [
    quoted(column),
    `${all > 0 ? Math.floor((filled / all) * 100) : 0}%`,
    hasMore ? `more than ${grouped(distinct)}` : grouped(distinct),
    counts(counted.values, hasMore),
    counts(counted.shapes, false),
    length > 0 && html`${grouped(length)} <small>${placeOf(place)}</small> <code>${quoted(start)}</code>`,
    fields.length > 0 ? list(fields) : html`<span class="none">no field</span>`,
  ]
}

const counts = (found: readonly TextCount[], areLeast: boolean): Child =>
  found.map(
    ([text, count]) =>
      html`<div><code>${quoted(text)}</code> <small>${areLeast && 'at least '}${grouped(count)}</small></div>`,
  )
