import {
  type DryRunPart,
  type LogPart,
  type Markup,
  type Part,
  type RunFacts,
  runStatuses,
} from '../../result/facts.ts'
import type { AttentionRow } from '../../result/reasons.ts'
import { statusWord } from '../../result/row-counts.ts'
import type { RowLabel } from '../../result/short-texts.ts'
import { counted, grouped, rows, spanOf } from '../text.ts'
import {
  type Child,
  cellOf,
  html,
  marked,
  moment,
  placeOf,
  quoted,
  rowOf,
  type Section,
  table,
} from './html.ts'

/** Rows that may be one record. */
export function nearSection({ lastRun: { details } }: DryRunPart): Section | undefined {
  const { near } = details
  if (near === undefined || near.groups === 0) return undefined
  const title = `Near duplicates: ${rows(near.rows)}`
  const { text, columns, cells } = near.page
  const lineOf = (texts: readonly string[]) =>
    html`<div>${texts.map((each, at) => html`${at > 0 && ' '}${quoted(each)}`)}</div>`
  const shown = cells.map(row => row.map(cell => (typeof cell === 'number' ? cell : cell.map(lineOf))))
  return { id: 'near', title, body: html`<p>${text}</p>\n${table(title, columns, shown)}` }
}

/** All rows that need attention, in a table that the page's script filters. */
export function attentionSection({ type, attention }: Part): Section | undefined {
  const { rows: shown, total } = attention
  if (shown.length === 0) return undefined
  const title = type === 'log' ? 'All rows without a record' : 'All invalid rows'
  const fullList = type === 'log' ? 'the result log' : 'the preview (--preview FILE)'
  const statuses = [...new Set(shown.map(({ status }) => statusWord(status)))]
  return {
    id: 'attention',
    title,
    body: html`${total > shown.length && html`<p>The first ${grouped(shown.length)} of ${rows(total)} are here; ${fullList} has all of them.</p>`}
<div class="rows">
<div class="controls" hidden>
<label>Search <input type="search" placeholder="key, source, message or value" autocomplete="off" spellcheck="false"></label>
<label>Status <select><option value="">all</option>${statuses.map(status => html`<option>${status}</option>`)}</select></label>
<output aria-live="polite"></output>
</div>
${table(title, ['Row', 'Status', 'What is wrong', 'When'], shown.map(attentionCells))}
</div>`,
  }
}

function attentionCells(row: AttentionRow) {
  const { status, column, value, messages, answer, at } = row
  return [
    rowOf(row),
    marked(status),
    html`${messages.map(message => html`<div>${quoted(message)}</div>`)}${
      value !== undefined && html`<div><small>${column}</small> <code>${cellOf(value)}</code></div>`
    }${answer !== undefined && html`<div><small>answer</small> <code>${quoted(answer)}</code></div>`}`,
    at !== undefined && moment(at),
  ]
}

export function runsSection({ runs, earlierRuns }: LogPart): Section | undefined {
  if (runs.length === 0) return undefined
  const title = 'The runs so far'
  const hasKnown = runs.some(({ known }) => known > 0)
  return {
    id: 'runs',
    title,
    body: html`${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${table(
  title,
  [
    'Started',
    'Took',
    ...runStatuses.map(statusWord),
    ...(hasKnown ? ['known'] : []),
    'repeated',
    'throttled',
    'Notes',
  ],
  runs
    .toReversed()
    .map(run => [
      moment(run.startedAt),
      spanOf(run.durationMs),
      ...runStatuses.map(status => run.counts[status]),
      ...(hasKnown ? [run.known] : []),
      ...[run.repeated, run.throttled],
      notesOf(run),
    ]),
)}`,
  }
}

const notesOf = ({ byHand, mappingChanged, sources, rowlift }: RunFacts): Markup =>
  html`${byHand && html`<b>by hand</b> `}${mappingChanged && html`<b>mapping changed</b> `}${quoted(sources.join(', '))}${
    rowlift !== '' && html` <small>rowlift ${rowlift}</small>`
  }`

export function mergedSection({ merged: { count, pairs } }: LogPart): Section | undefined {
  if (count === 0) return undefined
  const title = `${rows(count)} merged into the record of another`
  return {
    id: 'merged',
    title,
    body: html`<p>With use_created the service decides which contacts are the same. For these rows it returned a record that another row of the import had made, so their own values are nowhere in the service. Check whether each pair is one contact.</p>
${table(
  title,
  ['Merged row', 'Has the record of', 'Record'],
  pairs.map(({ recordId, first, second }) => [
    labelOf(second),
    labelOf(first),
    html`<code>${recordId}</code>`,
  ]),
)}
${count > pairs.length && html`<p>And ${counted(count - pairs.length, 'more pair', 'more pairs')}; the result log has all of them.</p>`}`,
  }
}

const labelOf = (row: RowLabel): Child =>
  html`${quoted(row.key)}<br><small>${placeOf(row)}, row ${String(row.row)}</small>`
