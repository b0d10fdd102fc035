import { statusWord } from '../statuses.ts'
import { counted, grouped, rows } from '../text.ts'
import { keyWords, likenessWords } from '../words/near-words.ts'
import type { AttentionRow, Cell, DryRunPart, Part, Sample } from './facts.ts'
import {
  cellOf,
  html,
  type Markup,
  marked,
  moment,
  placeOf,
  quoted,
  rowOf,
  type Section,
  table,
} from './html.ts'

const mostOpen = 3

/** The first rows that a dry run would send, each with its cells beside the fields that the mapping makes of them. */
export function samplesSection({ samples }: DryRunPart): Section | undefined {
  if (samples.length === 0) return undefined
  const more = samples.slice(mostOpen)
  return {
    id: 'samples',
    title: 'From row to record',
    body: html`<p>The first ${samples.length === 1 ? 'row' : rows(samples.length)} that would be sent: the cells of the source, and the fields that the service would get.</p>
${samples.slice(0, mostOpen).map(sampleItem)}
${more.length > 0 && html`<details><summary>${counted(more.length, 'more row')}</summary>${more.map(sampleItem)}</details>`}`,
  }
}

function sampleItem(sample: Sample): Markup {
  const { row, key, fields, unused } = sample
  const namesOf = (cells: readonly Cell[]) => cells.map(({ column }) => html`<div>${quoted(column)}</div>`)
  const textsOf = (cells: readonly Cell[]) => cells.map(({ value }) => html`<div>${cellOf(value)}</div>`)
  const none = (text: string) => html`<span class="none">${text}</span>`
  return html`<article class="sample">
<p class="name">${quoted(key)} <small>${placeOf(sample)}, row ${String(row)}</small></p>
${table(
  `From ${sample.source}:${sample.line} to its record`,
  ['Column', 'Cell', 'Field', 'Value'],
  [
    ...fields.map(({ path, value, cells }) => [
      cells.length === 0 ? none('the mapping') : namesOf(cells),
      textsOf(cells),
      quoted(path),
      quoted(value),
    ]),
    ...unused.map(cell => [namesOf([cell]), textsOf([cell]), none('no field'), '']),
  ],
)}
</article>
`
}

/** Rows that may be one record. */
export function nearSection({ lastRun: { near } }: DryRunPart): Section | undefined {
  if (near === undefined || near.groups === 0) return undefined
  const title = `Near duplicates: ${rows(near.rows)}`
  const cells = near.first.map(({ by, size, rows: shown, names }) => [
    by.map(each => html`<div>${likenessWords[each]}</div>`),
    size,
    shown.map((row, at) => html`<div>${placeOf(row)} ${quoted(names[at] ?? '')}</div>`),
  ])
  return {
    id: 'near',
    title,
    body: html`<p>The rows of a group may be one record: ${counted(near.groups, 'group')}. ${keyWords(near)}</p>
${table(title, ['What they share', 'Rows', 'The first of them'], cells)}`,
  }
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
