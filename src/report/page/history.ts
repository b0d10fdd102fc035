import { grouped, spanOf } from '../text.ts'
import { type LogPart, type RowLabel, type RowStatus, type RunFacts, rowStatuses } from './facts.ts'
import { counted, rows, showTime, statusWords } from './format.ts'
import { type Child, html, Markup, marked, moment, placeOf, quoted, type Section, table } from './html.ts'

/** The pace of the last run that settled a row. */
export function paceSection({ timeline, runs }: LogPart): Section | undefined {
  if (timeline === undefined || timeline.slices === 0) return undefined
  const { run, startedAt, sliceMs, slices, counts } = timeline
  const settled = sum(rowStatuses.map(status => sum(counts[status])))
  const { repeated, throttled } = runs.findLast(each => each.run === run) ?? { repeated: 0, throttled: 0 }
  const startMs = Date.parse(startedAt) || 0
  const times = Array.from({ length: slices }, (_, at) => new Date(startMs + at * sliceMs).toISOString())
  return {
    id: 'time',
    title: 'Pace',
    body: html`${
      slices === 1
        ? html`<p>In the run of ${moment(startedAt)} ${rows(settled)} were settled within ${shortSpan(sliceMs)}.</p>`
        : barChart('Rows settled over time', `Each bar stands for ${shortSpan(sliceMs)}.`, times, counts)
    }
<p>${
      repeated + throttled === 0
        ? 'No attempt had to be repeated, and the service never asked to slow down.'
        : `${counted(repeated, 'attempt was', 'attempts were')} repeated; the service asked to slow down ${counted(throttled, 'time', 'times')}.`
    }</p>`,
  }
}

const shortSpan = (ms: number) => spanOf(ms).replace('.0 s', ' s')

/** The runs that wrote the log, if there was more than one. */
export function runsSection({ runs, earlierRuns }: LogPart): Section | undefined {
  if (runs.length + earlierRuns < 2) return undefined
  const title = 'The runs so far'
  const statuses = [...rowStatuses, 'duplicate'] as const
  return {
    id: 'runs',
    title,
    body: html`${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${table(
  title,
  ['Started', 'Took', ...statuses.map(status => statusWords[status]), 'repeated', 'throttled', 'Notes'],
  runs
    .toReversed()
    .map(run => [
      moment(run.startedAt),
      tookOf(run),
      ...[...statuses.map(status => run.counts[status]), run.repeated, run.throttled],
      notesOf(run),
    ]),
)}`,
  }
}

function tookOf({ startedAt, lastAt }: RunFacts): string {
  const tookMs = Date.parse(lastAt) - Date.parse(startedAt)
  return Number.isFinite(tookMs) ? spanOf(tookMs) : ''
}

const notesOf = ({ byHand, mappingChanged, sources, rowlift }: RunFacts): Markup =>
  html`${byHand && html`<b>by hand</b> `}${mappingChanged && html`<b>mapping changed</b> `}${quoted(sources.join(', '))}${
    rowlift !== '' && html` <small>rowlift ${rowlift}</small>`
  }`

/** Rows that got the record of another one. */
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

type Counts = Readonly<Record<RowStatus, readonly number[]>>

/** Few bars leave room at the end instead of becoming too wide. */
const minWidth = 8

/** Rows by status in stacked bars over time: the picture, and its figures in a table. Each status has a count for each bar. */
function barChart(title: string, note: string, times: readonly string[], counts: Counts): Markup {
  const shown = rowStatuses.filter(status => sum(counts[status]) > 0)
  const top = Math.max(1, ...times.map((_, bar) => sum(shown.map(status => counts[status][bar] ?? 0))))
  const [first = '', last = ''] = [times[0], times.at(-1)]
  const totals = shown.map(status => `${grouped(sum(counts[status]))} ${statusWords[status]}`).join(', ')
  const label = `${title}, from ${showTime(first)} UTC in ${times.length} bars: ${totals}; at most ${rows(top)} in one bar.`
  return html`<figure class="chart">
<figcaption>From ${moment(first)} to ${moment(last)}. ${note}
<ul class="legend">${shown.map(status => html`<li>${marked(status)}</li>`)}</ul></figcaption>
<div class="plot">
<div class="scale" aria-hidden="true"><span>${grouped(top)}</span><span>0</span></div>
<svg class="bars" role="img" aria-label="${label}" viewBox="0 0 ${Math.max(minWidth, times.length)} ${top}" preserveAspectRatio="none">${stackedPaths(shown, counts, top)}</svg>
</div>
<details><summary>The figures</summary>${table(
    title,
    ['From', ...shown.map(status => statusWords[status])],
    times.map((at, bar) => [moment(at), ...shown.map(status => counts[status][bar] ?? 0)]),
  )}</details>
</figure>
`
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** One path for each status. A bar is one unit wide and as high as its count. */
function stackedPaths(shown: readonly RowStatus[], counts: Counts, top: number): Markup[] {
  const tops: number[] = []
  return shown.map(status => {
    const bars = counts[status].map((value, bar) => {
      if (value === 0) return ''
      tops[bar] = (tops[bar] ?? top) - value
      return `M${bar} ${tops[bar]}h.9v${value}h-.9z`
    })
    return html`<path class="${status}" d="${new Markup(bars.join(''))}"/>`
  })
}
