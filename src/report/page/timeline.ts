import { grouped } from '../numbers.ts'
import { type Chart, chartMarkup } from './chart.ts'
import { moment, table } from './elements.ts'
import type { Series } from './embedded.ts'
import type { LogPart, Timeline } from './facts.ts'
import { html, type Markup } from './html.ts'
import { momentIn } from './moments.ts'
import { counted, rows, shortSpan } from './words.ts'

/** What happened over the time of the last run that settled a row. */
export function timelineCharts({ timeline }: LogPart, level: number): Markup | undefined {
  if (timeline === undefined || timeline.created.length === 0) return undefined
  const settled =
    timeline.created.length === 1 ? atOnce(timeline) : chartMarkup(settledChart(timeline, level))
  return html`${settled}${repeatedPart(timeline, level)}`
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** One bar would tell no more. */
const atOnce = ({ startedAt, sliceMs, created, existing, inDoubt, failed, invalid }: Timeline): Markup =>
  html`<p>In the run of ${moment(startedAt)} ${rows(sum([created, existing, inDoubt, failed, invalid].flat()))} were settled within ${shortSpan(sliceMs)}.</p>
`

function settledChart(timeline: Timeline, level: number): Chart {
  const { created, existing, inDoubt, failed, invalid } = timeline
  const series = withoutEmpty([
    { name: 'created', color: 'created', values: created },
    { name: 'existing', color: 'existing', values: existing },
    { name: 'in doubt', color: 'in_doubt', values: inDoubt },
    { name: 'failed', color: 'failed', values: failed },
    { name: 'invalid', color: 'invalid', values: invalid },
  ])
  const perSlice = created.map((_, at) => sum(series.map(({ values }) => values[at] ?? 0)))
  const most = perSlice.reduce((highest, count) => Math.max(highest, count), 0)
  return {
    title: 'Rows settled over time',
    level,
    note: html`In the run of ${moment(timeline.startedAt)}. Each bar stands for ${shortSpan(timeline.sliceMs)}.`,
    told: `Rows settled over time, from ${momentIn(timeline.startedAt, 'UTC', 'seconds')} UTC in ${counted(created.length, 'slice', 'slices')} of ${shortSpan(timeline.sliceMs)}: ${series.map(({ name, values }) => `${grouped(sum(values))} ${name}`).join(', ')}; at most ${rows(most)} in one slice.`,
    facts: slices(timeline, series),
    table: slicesTable('Rows settled over time', timeline, series),
  }
}

function repeatedPart(timeline: Timeline, level: number): Markup {
  const { repeated, throttled } = timeline
  const isChart = repeated.length > 1 && sum(repeated) + sum(throttled) > 0
  return isChart
    ? repeatedChart(timeline, level)
    : html`<p>${repeatedSentence(sum(repeated), sum(throttled))}</p>
`
}

const repeatedSentence = (repeated: number, throttled: number) =>
  repeated + throttled === 0
    ? 'No attempt had to be repeated, and the service never asked to slow down.'
    : `${counted(repeated, 'attempt was', 'attempts were')} repeated; the service asked to slow down ${counted(throttled, 'time', 'times')}.`

function repeatedChart(timeline: Timeline, level: number): Markup {
  const { repeated, throttled } = timeline
  const others = repeated.map((count, at) => Math.max(0, count - (throttled[at] ?? 0)))
  const series = withoutEmpty([
    { name: 'asked to slow down', color: 'throttled', values: throttled },
    { name: 'repeated for other reasons', color: 'repeated', values: others },
  ])
  return chartMarkup({
    title: 'Attempts repeated over time',
    level,
    note: 'Attempts after the first of a call, at the time at which its row was settled.',
    told: `Attempts repeated over time: ${series.map(({ name, values }) => `${grouped(sum(values))} ${name}`).join(', ')}.`,
    facts: slices(timeline, series),
    table: slicesTable('Attempts repeated over time', timeline, series),
  })
}

const withoutEmpty = (series: readonly Series[]) =>
  series.filter(({ values }) => values.some(value => value > 0))

const slices = ({ startedAt, sliceMs }: Timeline, series: readonly Series[]) =>
  ({ is: 'slices', startedAt, sliceMs, series }) as const

function slicesTable(
  label: string,
  { startedAt, sliceMs, created }: Timeline,
  series: readonly Series[],
): Markup {
  const start = Date.parse(startedAt)
  const beginsAt = (slice: number) =>
    Number.isFinite(start)
      ? moment(new Date(start + slice * sliceMs).toISOString(), sliceMs < 1_000 ? 'tenths' : 'seconds')
      : `slice ${slice + 1}`
  return table(
    label,
    [{ title: 'From' }, ...series.map(({ name }) => ({ title: name, isNumber: true }))],
    created.map((_, at) => [beginsAt(at), ...series.map(({ values }) => grouped(values[at] ?? 0))]),
  )
}
