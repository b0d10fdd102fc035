import { commandLine } from '../command-line.ts'
import { command, heading, moment, termList } from './elements.ts'
import type { AttentionRow, LogPart } from './facts.ts'
import { html, type Markup, quoted } from './html.ts'
import type { Section, Spot } from './section.ts'
import { counted, rows } from './words.ts'

const mostShown = 20

/** The rows in doubt: what that means, and how each is settled. */
export function doubtsSection(part: LogPart, { level }: Spot): Section | undefined {
  const { inDoubt } = part.now
  if (inDoubt === 0) return undefined
  const shown = part.attention.rows.filter(({ status }) => status === 'in_doubt').slice(0, mostShown)
  return {
    id: 'doubts',
    title: `${rows(inDoubt)} in doubt`,
    body: html`${explanation(part)}
${inDoubt > 1 && noneOfThem(part)}
${shown.length > 0 && html`<ol class="doubts">${shown.map(row => doubtMarkup(row, part.log, level + 1))}</ol>`}
${inDoubt > shown.length && theOthers(part, shown.length)}`,
  }
}

function explanation({ opening }: LogPart): Markup {
  return html`<p>A call went out for each of these rows, and no answer came back that tells whether the service made the ${opening.record}: the
connection broke, the time ran out, or the answer could not be read. To send such a row again could make a second
record; to forget it could lose it. So only somebody who looks in the service can tell.</p>
<p>Look at ${quoted(opening.base_url)} in organization ${String(opening.organization_id)} for a ${opening.record} that was made about the time
that stands at the row and holds what the row holds. If it is there, copy its id and settle the row with it. If it is not,
say so, and the next import sends the row again.</p>
${opening.delivery === 'at-least-once' && html`<p>You may also just run the import again: it sends these rows once more by itself, for here the service is asked to find the record that an unseen answer made.</p>`}`
}

const noneOfThem = ({ log }: LogPart) =>
  html`<p>If none of them is there: ${command(commandLine(['resolve', log, '--all', '--not-created']))}</p>`

const theOthers = ({ log, now }: LogPart, shown: number) =>
  html`<p>${shown > 0 && `${counted(now.inDoubt - shown, 'more row is', 'more rows are')} in doubt. `}This lists all of them, with what was sent: ${command(commandLine(['resolve', log]))}</p>`

function doubtMarkup(row: AttentionRow, log: string, level: number): Markup {
  const { source, line, key, at, messages, answer } = row
  const settle = (...how: string[]) => command(commandLine(['resolve', log, ...keyWords(key), ...how]))
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

/** A key that begins with a dash would be taken for an option. */
const keyWords = (key: string) => (key.startsWith('-') ? [`--key=${key}`] : ['--key', key])
