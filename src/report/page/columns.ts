import type { TextCount } from '../../model/column-profile.ts'
import { counted, grouped, rows } from '../text.ts'
import type { DryRunPart, Part, ProfiledColumn } from './facts.ts'
import { type Child, html, list, type Markup, placeOf, quoted, type Section, table } from './html.ts'

/** What the columns of a dry run hold, and columns that may be a mistake. Unused ones are reported where a mapping is checked, in a dry run. */
export function columnsSection(part: Part): Section | undefined {
  const { type, lastRun } = part
  const { unused = [], unseen = [], missingKey = [] } = lastRun?.columns ?? {}
  const notes = [
    type === 'dry_run' && part.profile.columns.length > 0 && profileTable(part),
    type === 'dry_run' &&
      columnsNote('The mapping does not use these columns, so their cells are not imported:', unused),
    columnsNote('The mapping names these keys, but no row has them:', unseen),
    columnsNote(
      'Rows are named by their content, and a row that changes is a new row, because no source has these key columns:',
      missingKey,
    ),
  ].filter(Boolean)
  return notes.length === 0 ? undefined : { id: 'columns', title: 'Columns', body: notes }
}

const columnsNote = (sentence: string, columns: readonly string[]): Child =>
  columns.length > 0 &&
  html`<p>${sentence}</p>
<ul class="columns">${columns.map(column => html`<li>${quoted(column)}</li>`)}</ul>`

function profileTable({ profile: { rows: count, columns, more }, lastRun }: DryRunPart): Markup {
  const leftOut = (lastRun.rows.left_out ?? 0) > 0 && ' and that where selects'
  return html`<p>What they hold in the ${rows(count)} that can be read${leftOut}. In shapes, 9 is any digit, a and A are letters.</p>
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
