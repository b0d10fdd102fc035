import { grouped, spanOf } from '../numbers.ts'
import { barChart } from './chart.ts'
import {
  type LogPart,
  type RowLabel,
  type RowStatus,
  type RunFacts,
  rowStatuses,
  type Timeline,
} from './facts.ts'
import { counted, rows, statusWords, type TimeFormat } from './format.ts'
import { type Child, html, type Markup, moment, type Place, quoted, type Section, table } from './html.ts'

/** The pace of the last run that settled a row. */
export function paceSection({ timeline, runs }: LogPart, { level }: Place): Section | undefined {
  if (timeline === undefined || timeline.slices === 0) return undefined
  const run = runs.findLast(each => each.run === timeline.run)
  return {
    id: 'time',
    title: 'Pace',
    body: html`${timeline.slices === 1 ? oneSlice(timeline) : timelineChart(timeline, level + 1)}
${run && html`<p>${repeatedSentence(run)}</p>`}`,
  }
}

const shortSpan = (ms: number) => (ms < 1000 ? `${ms} ms` : spanOf(ms).replace('.0 s', ' s'))

function oneSlice({ startedAt, sliceMs, counts }: Timeline): Markup {
  const settled = rowStatuses.reduce((sum, status) => sum + (counts[status][0] ?? 0), 0)
  return html`<p>In the run of ${moment(startedAt)} ${rows(settled)} were settled within ${shortSpan(sliceMs)}.</p>`
}

function timelineChart({ startedAt, sliceMs, slices, counts }: Timeline, level: number): Markup {
  return barChart({
    title: 'Rows settled over time',
    level,
    note: html`In the run of ${moment(startedAt)}. Each bar stands for ${shortSpan(sliceMs)}.`,
    times: Array.from({ length: slices }, (_, at) => sliceStart(startedAt, at * sliceMs)),
    format: sliceMs < 1000 ? 'tenths' : 'seconds',
    axisFormat: axisFormatOf(slices * sliceMs),
    counts,
  })
}

function sliceStart(startedAt: string, sinceMs: number): string {
  const start = Date.parse(startedAt)
  return Number.isNaN(start) ? startedAt : new Date(start + sinceMs).toISOString()
}

const axisFormatOf = (lengthMs: number): TimeFormat =>
  lengthMs < 10_000 ? 'clock_tenths' : lengthMs < 86_400_000 ? 'clock' : 'day'

const repeatedSentence = ({ repeated, throttled }: RunFacts) =>
  repeated + throttled === 0
    ? 'No attempt had to be repeated, and the service never asked to slow down.'
    : `${counted(repeated, 'attempt was', 'attempts were')} repeated; the service asked to slow down ${counted(throttled, 'time', 'times')}.`

/** The runs that wrote the log, if there was more than one. */
export function runsSection({ runs, earlierRuns }: LogPart, { level }: Place): Section | undefined {
  if (runs.length + earlierRuns < 2) return undefined
  return {
    id: 'runs',
    title: 'The runs so far',
    body: html`${runs.length > 1 && runsChart(runs, level + 1)}
${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${runsTable(runs)}`,
  }
}

function runsChart(runs: readonly RunFacts[], level: number): Markup {
  const counts = rowStatuses.map(status => [status, runs.map(run => run.counts[status])])
  return barChart({
    title: 'Rows by run',
    level,
    note: 'What became of the rows that each run settled, the oldest run first.',
    times: runs.map(({ startedAt }) => startedAt),
    format: 'minutes',
    axisFormat: 'day',
    counts: Object.fromEntries(counts) as Record<RowStatus, number[]>,
  })
}

function runsTable(runs: readonly RunFacts[]): Markup {
  const statuses = [...rowStatuses, 'duplicate'] as const
  const numbers = [...statuses.map(status => statusWords[status]), 'repeated', 'throttled']
  return table(
    'The runs so far',
    [
      { title: 'Started' },
      { title: 'Took' },
      ...numbers.map(title => ({ title, isNumber: true })),
      { title: 'Notes' },
    ],
    runs
      .toReversed()
      .map(run => [
        moment(run.startedAt),
        tookOf(run),
        ...[...statuses.map(status => run.counts[status]), run.repeated, run.throttled].map(number),
        notes(run),
      ]),
  )
}

function tookOf({ startedAt, lastAt }: RunFacts): string {
  const tookMs = Date.parse(lastAt) - Date.parse(startedAt)
  return Number.isFinite(tookMs) ? spanOf(tookMs) : ''
}

const number = (count: number): Child => (count === 0 ? html`<span class="none">0</span>` : grouped(count))

const notes = ({ byHand, mappingChanged, sources, rowlift }: RunFacts): Markup =>
  html`<div class="remarks">${byHand && html`<span class="tag">by hand</span> `}${
    mappingChanged && html`<span class="tag">mapping changed</span> `
  }${quoted(sources.join(', '))}${rowlift !== '' && html` <small>rowlift ${rowlift}</small>`}</div>`

/** Rows that the service took for one contact. */
export function mergedSection({ merged: { count, pairs } }: LogPart): Section | undefined {
  if (count === 0) return undefined
  const title = 'Rows that the service took for one contact'
  return {
    id: 'merged',
    title,
    body: html`<p>With use_created the service decides which contacts are the same. It took each of these two rows for one contact: check whether that is right.</p>
${table(
  title,
  [{ title: 'One row' }, { title: 'The other' }, { title: 'Their record' }],
  pairs.map(({ recordId, first, second }) => [label(first), label(second), html`<code>${recordId}</code>`]),
)}
${count > pairs.length && html`<p>And ${counted(count - pairs.length, 'more pair', 'more pairs')}; the result log has all of them.</p>`}`,
  }
}

const label = ({ source, line, row, key }: RowLabel): Child =>
  html`${quoted(key)}<br><small>${quoted(`${source}:${line}`)}, row ${String(row)}</small>`
