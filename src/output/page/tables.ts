import type { DryRunPart, LogPart, Markup, Part, RunFacts } from '../../result/facts.ts'
import type { AttentionRow } from '../../result/reasons.ts'
import { allStatuses, runStatuses, type Status, statuses, statusWord } from '../../result/row-counts.ts'
import type { RowLabel } from '../../result/short-texts.ts'
import { counted, grouped, rows, spanOf } from '../text.ts'
import {
  type Child,
  cellOf,
  html,
  marked,
  moment,
  placeMarkup,
  quoted,
  quotedList,
  rowOf,
  type Section,
  table,
  termList,
} from './html.ts'

/** Ends that only a run counts, and that need nobody. */
const unmarked: ReadonlySet<Status> = new Set(['done', 'left_out', 'held'])

/** The rows by their end: in the last run, as in its summary, and so far, each row once by its latest line. */
export function figuresSection(part: Part): Section {
  const isLog = part.type === 'log'
  const run = part.lastRun
  const ended: Partial<Record<Status, number>> = run ?? {}
  const soFar: Readonly<Record<string, number>> = isLog ? { ...part.counts, duplicate: part.duplicates } : {}
  const line = (label: Child, inRun = 0, inLog: number | '', note: string) =>
    inRun > 0 || Number(inLog) > 0 ? [[label, inRun, inLog, note && html`<small>${note}</small>`]] : []
  const title = isLog ? 'What became of the rows' : 'What would become of the rows'
  const figures = [
    ...allStatuses.map(status => {
      const label = unmarked.has(status) ? statusWord(status) : marked(status)
      return line(label, ended[status], soFar[status] ?? '', statuses[status][1])
    }),
    line('sent again', run?.unclear, isLog ? part.unclear : '', 'perhaps made twice: see rowlift verify'),
    line('of these changed', run?.changed, '', 'since their record was created; there is no update call'),
    line('all rows', run?.rows, '', 'that were read'),
  ]
  const columns = ['Rows that are', isLog ? 'Last run' : 'Rows', 'So far', 'Note']
  const body = html`${table(title, columns, figures.flat())}
${isLog && remarks(part)}`
  return { id: 'figures', title, body }
}

const remarks = ({ recovered, byHand }: LogPart): Child[] => [
  recovered > 0 &&
    html`<p>${rows(recovered)} had been refused or in doubt, and ${recovered === 1 ? 'has its' : 'have their'} record now.</p>`,
  byHand > 0 && html`<p>${rows(byHand)} ${byHand === 1 ? 'was' : 'were'} settled by hand.</p>`,
]

export const aboutSection = (part: Part): Section => ({
  id: 'about',
  title: part.type === 'log' ? 'This import' : 'This dry run',
  body: termList(
    part.type === 'log' ? logTerms(part) : [...sourceTerms(part), ['Took', spanOf(part.lastRun.duration_ms)]],
  ),
})

type Terms = Parameters<typeof termList>[0]

function logTerms({ opening, log, runs, lastRun }: LogPart): Terms {
  const { base_url, organization_id, record, use_created, key_columns, delivery, at } = opening
  const durationMs = lastRun?.duration_ms ?? runs.at(-1)?.durationMs
  const key = key_columns.length > 0 ? quotedList(key_columns) : 'none; the content names a row'
  return [
    ['Service', html`${quoted(base_url)}, organization ${String(organization_id)}`],
    ['Records', html`${record}s${use_created === true && ' (use_created)'}`],
    ...sourceTerms(opening),
    ['Key columns', key],
    ['Delivery', delivery],
    ['Last run', html`${moment(at)}${durationMs !== undefined && `, ${spanOf(durationMs)}`}`],
    ['Result log', quoted(log)],
  ]
}

const sourceTerms = ({ sources, mapping }: Pick<DryRunPart, 'sources' | 'mapping'>): Terms => [
  [sources.length === 1 ? 'Source' : 'Sources', quotedList(sources)],
  ['Mapping', quoted(mapping)],
]

export function attentionSection({ type, attention }: Part): Section | undefined {
  const { rows: shown, total } = attention
  if (shown.length === 0) return undefined
  const title = type === 'log' ? 'All rows without a record' : 'All invalid rows'
  const fullList = type === 'log' ? 'the result log' : 'the preview (--preview FILE)'
  const statuses = [...new Set(shown.map(({ status }) => statusWord(status)))]
  const body = html`${total > shown.length && html`<p>The first ${grouped(shown.length)} of ${rows(total)} are here; ${fullList} has all of them.</p>`}
<div class="rows">
<div class="controls" hidden>
<label>Search <input type="search" placeholder="key, source, message or value" autocomplete="off" spellcheck="false"></label>
<label>Status <select><option value="">all</option>${statuses.map(status => html`<option>${status}</option>`)}</select></label>
<output aria-live="polite"></output>
</div>
${table(title, ['Row', 'Status', 'What is wrong', 'When'], shown.map(attentionCells))}
</div>`
  return { id: 'attention', title, body }
}

const attentionCells = (row: AttentionRow): Child[] => [
  rowOf(row),
  marked(row.status),
  [
    row.messages.map(message => html`<div>${quoted(message)}</div>`),
    row.value !== undefined &&
      html`<div><small>${row.column}</small> <code>${cellOf(row.value)}</code></div>`,
    row.answer !== undefined && html`<div><small>answer</small> <code>${quoted(row.answer)}</code></div>`,
  ],
  row.at !== undefined && moment(row.at),
]

export function runsSection({ runs, earlierRuns }: LogPart): Section | undefined {
  if (runs.length === 0) return undefined
  const title = 'The runs so far'
  const statuses = runStatuses.map(statusWord)
  const columns = ['Started', 'Took', ...statuses, 'known', 'repeated', 'throttled', 'Notes']
  const cells = runs
    .toReversed()
    .map(run => [
      moment(run.startedAt),
      spanOf(run.durationMs),
      ...runStatuses.map(status => run.counts[status]),
      ...[run.known, run.repeated, run.throttled, notesOf(run)],
    ])
  const body = html`${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${table(title, columns, cells)}`
  return { id: 'runs', title, body }
}

const notesOf = ({ byHand, command, mappingChanged, sources, rowlift }: RunFacts): Markup =>
  html`${command && html`<b>${command}</b> `}${byHand && html`<b>by hand</b> `}${mappingChanged && html`<b>mapping changed</b> `}${quoted(sources.join(', '))}${
    rowlift !== '' && html` <small>rowlift ${rowlift}</small>`
  }`

export function mergedSection({ merged: { count, pairs } }: LogPart): Section | undefined {
  if (count === 0) return undefined
  const title = `${rows(count)} merged into the record of another`
  const labelOf = ({ key, row, ...place }: RowLabel) =>
    html`${quoted(key)}<br><small>${placeMarkup(place)}, row ${String(row)}</small>`
  const cells = pairs.map(pair => [
    labelOf(pair.second),
    labelOf(pair.first),
    html`<code>${pair.recordId}</code>`,
  ])
  const body = html`<p>With use_created the service decides which contacts are the same. For these rows it returned a record that another row of the import had made, so their own values are nowhere in the service. Check whether each pair is one contact.</p>
${table(title, ['Merged row', 'Has the record of', 'Record'], cells)}
${count > pairs.length && html`<p>And ${counted(count - pairs.length, 'more pair', 'more pairs')}; the result log has all of them.</p>`}`
  return { id: 'merged', title, body }
}
