import type { LogPart, Markup, Part } from '../../result/facts.ts'
import type { UnreadColumn } from '../../result/losses.ts'
import type { AttentionRow, ReasonFacts } from '../../result/reasons.ts'
import { commandLine, counted, grouped, rows } from '../text.ts'
import { missedTexts } from '../words/notices.ts'
import {
  type Child,
  cellOf,
  command,
  html,
  marked,
  moment,
  placeMarkup,
  quoted,
  rowOf,
  type Section,
  table,
} from './html.ts'

const maxDoubts = 100

export function doubtsSection({ log, opening, counts, attention }: LogPart): Section | undefined {
  const { record, base_url, organization_id, delivery } = opening
  const inDoubt = counts.in_doubt
  if (inDoubt === 0) return undefined
  const shown = attention.rows.filter(({ status }) => status === 'in_doubt').slice(0, maxDoubts)
  const title = `${rows(inDoubt)} in doubt`
  const columns = ['Look for', 'Created at about', 'Row', 'Why', 'If it is there']
  const cells = shown.map(row => doubtCells(row, log))
  const more =
    shown.length > 0 && `${counted(inDoubt - shown.length, 'more row is', 'more rows are')} in doubt. `
  const body = html`<p>A call was sent for each of these rows, but no answer says whether the service created the ${record}.
Sending such a row again could create a second record; forgetting it could lose it. So a person has to look in the service.</p>
<p>Open ${quoted(base_url)}, organization ${String(organization_id)}, and look for each ${record}. If it
is there, settle the row with the id of its record. If it is not, write --not-created in place of --record-id ID, and the next
import sends the row again.</p>
${delivery === 'at-least-once' && html`<p>You may also just run the import again: it sends these rows once more, because the service was asked to find a record that exists already.</p>`}
${shown.length > 0 && table(title, columns, cells)}
${
  inDoubt > shown.length &&
  html`<p>${more}This lists all of them:</p>
${command(commandLine(['resolve', log]))}`
}
${
  inDoubt > 1 &&
  html`<p>If none of them is there:</p>
${command(commandLine(['resolve', log, '--all', '--not-created']))}`
}`
  return { id: 'doubts', title, body }
}

function doubtCells(row: AttentionRow, log: string): Child[] {
  const { key, at, messages, answer, recognizedBy } = row
  const keyArgs = key.startsWith('-') ? [`--key=${key}`] : ['--key', key] // a leading dash would make it an option
  const [name = key, ...others] = recognizedBy
  return [
    html`${quoted(name)}${others.map(text => html`<div>${quoted(text)}</div>`)}`,
    at !== undefined && moment(at),
    rowOf(row),
    html`${quoted(messages.join('; '))}${answer !== undefined && html`<div><code>${quoted(answer)}</code></div>`}`,
    command(commandLine(['resolve', log, ...keyArgs, '--record-id', 'ID'])),
  ]
}

/** The reasons why rows have no record or would get none, the most frequent first. */
export function reasonsSection(part: Part): Section | undefined {
  const { type, reasons, otherReasons, overlap, attention } = part
  const { known } = attention
  if (reasons.length === 0) return undefined
  const [are, them] = known === 1 ? ['is', 'it'] : ['are', 'them']
  const title = type === 'log' ? 'Why rows have no record' : 'What is wrong'
  const body = html`${known > 0 && html`<p>${rows(known)} ${are} known: an earlier run refused ${them}, for the reason given here, and the last one wrote no new line.</p>`}
${overlap && html`<p>A row with two reasons counts in both.</p>`}
<ol class="reasons">${reasons.map(reasonItem)}</ol>
${otherReasons > 0 && html`<p>${rows(otherReasons)} more ${otherReasons === 1 ? 'has' : 'have'} other reasons.</p>`}`
  return { id: 'reasons', title, body }
}

function reasonItem(group: ReasonFacts): Markup {
  const { status, code, rows: count, known, reason, answer, remedy, examples } = group
  return html`<li>
<p><b class="count">${rows(count)}</b> ${marked(status)}${known > 0 && html`<br><small>${known === count ? 'all' : grouped(known)} known</small>`}</p>
<div>
<p class="name">${quoted(reason)}${code !== undefined && html` <small>${code}</small>`}</p>
${answer !== undefined && html`<p><small>Answer</small> <code>${quoted(answer)}</code></p>`}
${remedy !== '' && html`<p>${remedy}</p>`}
<ul class="examples">${examples.map(exampleItem)}</ul>
</div>
</li>
`
}

function exampleItem(example: AttentionRow): Markup {
  const { column, value, answer } = example
  const text = value ?? answer ?? (column && '')
  return html`<li>${rowOf(example)}${
    text !== undefined &&
    html` <small>${text === answer ? 'answer' : column}</small> <code>${cellOf(text)}</code>`
  }</li>`
}

export function lossesSection({ type, omitted, kept, notInAnswer, lastRun }: Part): Section | undefined {
  const { fallbacks = [], lookups = [] } = lastRun?.details.columns ?? {}
  const ofAll = type === 'log' ? 'In the last run' : 'Of all'
  const tableOf = (title: string, columns: readonly UnreadColumn[], name: 'omitted' | 'kept') => {
    const inRun = new Map(fallbacks.map(of => [of.column, `${grouped(of[name])} of ${grouped(of.values)}`]))
    const cells = columns.map(({ column, count, examples }) => [
      quoted(column),
      count,
      inRun.get(column),
      examples.map(
        each => html`<div><code>${cellOf(each.value)}</code> <small>${placeMarkup(each)}</small></div>`,
      ),
    ])
    return table(title, ['Column', 'Values', ofAll, 'Examples'], cells)
  }
  const lackingCells = notInAnswer.map(({ path, count }) => [quoted(path), count])
  return sectionOf('losses', 'Values that did not arrive as mapped', [
    ...missedTexts({ lookups }, true).map(text => html`<p class="callout">${text}</p>`),
    omitted.length > 0 &&
      html`<p>A rule of the mapping with omit leaves these values out, so they are not in the records.</p>
${tableOf('Values left out', omitted, 'omitted')}`,
    kept.length > 0 &&
      html`<p>A rule of the mapping with keep sends these values as they are, for its map or type does not have them.</p>
${tableOf('Values sent as they are', kept, 'kept')}`,
    notInAnswer.length > 0 &&
      html`<p>These fields were sent, but the answer of the service does not have them. Look at one of the records: the service may not keep them.</p>
${table('Fields that answers lack', ['Field', 'Rows'], lackingCells)}`,
  ])
}

/** A section of notes; undefined if there are none. */
function sectionOf(id: string, title: string, notes: readonly Child[]): Section | undefined {
  const body = notes.filter(Boolean)
  return body.length === 0 ? undefined : { id, title, body }
}

/** The open questions of the mapping. */
export function questionsSection({ lastRun }: Part): Section | undefined {
  const items = lastRun?.details.questions.map(({ place, text }) => html`<li>${place}: ${text}</li>`) ?? []
  return sectionOf('questions', 'Open questions', [items.length > 0 && html`<ul>${items}</ul>`])
}

/** The profile of the columns of a dry run, and columns that may be a mistake. Unused ones are for dry runs, which check mappings. */
export function columnsSection(part: Part): Section | undefined {
  const { unused_columns: unused = [], unseen_columns: unseen = [], missing_key = [] } = part.lastRun ?? {}
  const isDry = part.type === 'dry_run'
  return sectionOf('columns', 'Columns', [
    isDry && part.columns,
    isDry && columnsNote('The mapping does not use these columns, so their cells are not imported:', unused),
    columnsNote('The mapping names these keys, but no row has them:', unseen),
    columnsNote(
      'Rows are named by their content, and a row that changes is a new row, because no source has these key columns:',
      missing_key,
    ),
  ])
}

const columnsNote = (sentence: string, columns: readonly string[]): Child =>
  columns.length > 0 &&
  html`<p>${sentence}</p>
<ul class="columns">${columns.map(column => html`<li>${quoted(column)}</li>`)}</ul>`
