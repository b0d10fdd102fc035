import { commandLine } from '../command-line.ts'
import { grouped } from '../numbers.ts'
import type { AttentionRow, DryRunPart, LogPart, ReasonFacts } from './facts.ts'
import { counted, rows } from './format.ts'
import {
  command,
  heading,
  html,
  type Markup,
  marked,
  moment,
  type Place,
  quoted,
  type Section,
  termList,
} from './html.ts'

const maxDoubts = 20

/** The rows in doubt: what that means, and how each is settled. */
export function doubtsSection(part: LogPart, { level }: Place): Section | undefined {
  const { log, opening, counts, attention } = part
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
${shown.length > 0 && html`<ol class="doubts">${shown.map(row => doubtItem(row, log, level + 1))}</ol>`}
${inDoubt > shown.length && html`<p>${shown.length > 0 && `${counted(inDoubt - shown.length, 'more row is', 'more rows are')} in doubt. `}This lists all of them, with what was sent: ${command(commandLine(['resolve', log]))}</p>`}`,
  }
}

function doubtItem(row: AttentionRow, log: string, level: number): Markup {
  const { source, line, key, at, messages, answer } = row
  const keyArgs = key.startsWith('-') ? [`--key=${key}`] : ['--key', key] // a leading dash would make it an option
  const settle = (...args: string[]) => command(commandLine(['resolve', log, ...keyArgs, ...args]))
  return html`<li>
${heading(level, quoted(key))}
${termList([
  ['Row', html`${quoted(`${source}:${line}`)} (row ${String(row.row)})`],
  ['When', at !== undefined && moment(at, 'seconds')],
  ['Why', quoted(messages.join('; '))],
  ['Answer', answer !== undefined && html`<code>${quoted(answer)}</code>`],
  ['It is there', settle('--record-id', 'ID')],
  ['It is not', settle('--not-created')],
])}
</li>
`
}

/** Why rows of a log have no record, the most frequent reason first. */
export function reasonsSection({ reasons, otherReasons }: LogPart, { level }: Place): Section | undefined {
  if (reasons.length === 0) return undefined
  return {
    id: 'reasons',
    title: 'Why rows have no record',
    body: html`${reasonList(reasons, level + 1)}
${otherReasons > 0 && html`<p>${rows(otherReasons)} more have other reasons.</p>`}`,
  }
}

/** What is wrong in the rows of a dry run, by column. */
export function columnProblemsSection({ problems }: DryRunPart, { level }: Place): Section | undefined {
  if (problems.length === 0) return undefined
  return {
    id: 'problems',
    title: 'What is wrong, by column',
    body: html`${problems.map(
      ({ column, rows: count, reasons }) => html`<div class="column">
${heading(level + 1, html`${column === '' ? 'The row as a whole' : quoted(column)} <small>${rows(count)}</small>`)}
${reasonList(reasons, level + 2)}
</div>
`,
    )}`,
  }
}

const reasonList = (reasons: readonly ReasonFacts[], level: number): Markup =>
  html`<ol class="reasons">${reasons.map(
    ({ status, code, rows: count, reason, answer, remedy, examples }) => html`<li>
<p class="count"><b>${grouped(count)}</b> ${marked(status)}</p>
<div>
${heading(level, html`${quoted(reason)}${code !== undefined && html` <small>${code}</small>`}`)}
${answer !== undefined && html`<p class="answer"><span>Answer</span> <code>${quoted(answer)}</code></p>`}
${remedy !== '' && html`<p class="remedy">${remedy}</p>`}
${examples.length > 0 && html`<ul class="examples">${examples.map(exampleItem)}</ul>`}
</div>
</li>
`,
  )}</ol>`

function exampleItem({ source, line, row, key, value, answer }: AttentionRow): Markup {
  const text = value ?? answer
  return html`<li><span class="place">${quoted(`${source}:${line}`)}</span> <span>row ${String(row)}, key ${quoted(key)}</span>${
    text !== undefined && html` <code>${text === '' ? 'empty' : quoted(text)}</code>`
  }</li>`
}
