import { commandLine, grouped } from '../text.ts'
import type { AttentionRow, DryRunPart, LogPart, Part, ReasonFacts } from './facts.ts'
import { counted, rows } from './format.ts'
import {
  type Child,
  cellOf,
  command,
  html,
  type Markup,
  marked,
  moment,
  placeOf,
  quoted,
  type Section,
  termList,
} from './html.ts'

const maxDoubts = 20

/** The rows in doubt: what that means, and how each is settled. */
export function doubtsSection({ log, opening, counts, attention }: LogPart): Section | undefined {
  const inDoubt = counts.in_doubt
  if (inDoubt === 0) return undefined
  const shown = attention.rows.filter(({ status }) => status === 'in_doubt').slice(0, maxDoubts)
  return {
    id: 'doubts',
    title: `${rows(inDoubt)} in doubt`,
    body: html`<p>A call was sent for each of these rows, but no answer says whether the service created the ${opening.record}.
The connection broke, the call timed out, or the answer could not be read. Sending such a row again could create a second
record; forgetting it could lose it. So a person has to look in the service.</p>
<p>Open ${quoted(opening.base_url)}, organization ${String(opening.organization_id)}. Look for a ${opening.record} with the
content of the row, created at about the time given here. If it is there, copy its id and settle the row with it. If it is
not, say so, and the next import sends the row again.</p>
${opening.delivery === 'at-least-once' && html`<p>You may also just run the import again: it sends these rows once more, because the service was asked to find a record that exists already.</p>`}
${inDoubt > 1 && html`<p>If none of them is there: ${command(commandLine(['resolve', log, '--all', '--not-created']))}</p>`}
${shown.length > 0 && html`<ol class="doubts">${shown.map(row => doubtItem(row, log))}</ol>`}
${inDoubt > shown.length && html`<p>${shown.length > 0 && `${counted(inDoubt - shown.length, 'more row is', 'more rows are')} in doubt. `}This lists all of them, with what was sent: ${command(commandLine(['resolve', log]))}</p>`}`,
  }
}

function doubtItem(row: AttentionRow, log: string): Markup {
  const { key, at, messages, answer } = row
  const keyArgs = key.startsWith('-') ? [`--key=${key}`] : ['--key', key] // a leading dash would make it an option
  const settle = (...args: string[]) => command(commandLine(['resolve', log, ...keyArgs, ...args]))
  return html`<li>
<p class="name">${quoted(key)}</p>
${termList([
  ['Row', html`${placeOf(row)} (row ${String(row.row)})`],
  ['When', at !== undefined && moment(at)],
  ['Why', quoted(messages.join('; '))],
  ['Answer', answer !== undefined && html`<code>${quoted(answer)}</code>`],
  ['It is there', settle('--record-id', 'ID')],
  ['It is not', settle('--not-created')],
])}
</li>
`
}

/** Why rows of a log have no record, the most frequent reason first. */
export function reasonsSection({ reasons, otherReasons }: LogPart): Section | undefined {
  if (reasons.length === 0) return undefined
  return {
    id: 'reasons',
    title: 'Why rows have no record',
    body: html`${reasonList(reasons)}
${otherReasons > 0 && html`<p>${rows(otherReasons)} more have other reasons.</p>`}`,
  }
}

/** What is wrong in the rows of a dry run, by column. */
export function columnProblemsSection({ problems }: DryRunPart): Section | undefined {
  if (problems.length === 0) return undefined
  return {
    id: 'problems',
    title: 'What is wrong, by column',
    body: problems.map(
      ({ column, rows: count, reasons }) => html`<p class="name">${
        column === '' ? 'The row as a whole' : quoted(column)
      } <small>${rows(count)}</small></p>
${reasonList(reasons)}
`,
    ),
  }
}

const reasonList = (reasons: readonly ReasonFacts[]): Markup =>
  html`<ol class="reasons">${reasons.map(
    ({ status, code, rows: count, reason, answer, remedy, examples }) => html`<li>
<p><b class="count">${grouped(count)}</b> ${marked(status)}</p>
<div>
<p class="name">${quoted(reason)}${code !== undefined && html` <small>${code}</small>`}</p>
${answer !== undefined && html`<p><small>Answer</small> <code>${quoted(answer)}</code></p>`}
${remedy !== '' && html`<p>${remedy}</p>`}
<ul class="examples">${examples.map(exampleItem)}</ul>
</div>
</li>
`,
  )}</ol>`

function exampleItem(example: AttentionRow): Markup {
  const { row, key, value, answer } = example
  const text = value ?? answer
  return html`<li>${placeOf(example)} <small>row ${String(row)}, key ${quoted(key)}</small>${
    text !== undefined && html` <code>${cellOf(text)}</code>`
  }</li>`
}

/** Columns that may be a mistake. Unused ones are reported where a mapping is checked, in a dry run. */
export function columnsSection({ type, lastRun }: Part): Section | undefined {
  const { unused = [], unseen = [], missingKey = [] } = lastRun?.columns ?? {}
  const notes = [
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
