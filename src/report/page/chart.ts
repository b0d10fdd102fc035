import { grouped } from '../numbers.ts'
import { type RowStatus, rowStatuses } from './facts.ts'
import { momentIn, rows, statusWords, type TimeFormat } from './format.ts'
import { type Child, heading, html, Markup, marked, moment, table } from './html.ts'

export interface BarChart {
  readonly title: string
  /** Of the heading. */
  readonly level: number
  readonly note: Child
  /** The start of each bar. */
  readonly times: readonly string[]
  readonly format: TimeFormat
  readonly axisFormat: TimeFormat
  /** One number for each bar. */
  readonly counts: Readonly<Record<RowStatus, readonly number[]>>
}

interface Series {
  readonly status: RowStatus
  readonly values: readonly number[]
}

const maxTicks = 5
/** Few bars leave room at the end instead of becoming too wide. */
const minWidth = 8

/** Rows by status in stacked bars over time: the picture, and its figures in a table. */
export function barChart({ title, level, note, times, format, axisFormat, counts }: BarChart): Markup {
  const series = rowStatuses
    .map(status => ({ status, values: counts[status] }))
    .filter(({ values }) => sum(values) > 0)
  const highest = Math.max(0, ...times.map((_, at) => barTotal(series, at)))
  const top = roundedUp(highest)
  const start = momentIn(times[0] ?? '', 'UTC', format)
  const label = `${title}, from ${start} UTC in ${times.length} bars: ${countsIn(series, sum)}; at most ${rows(highest)} in one bar.`
  return html`<figure class="chart">
<figcaption>
${heading(level, title)}
<p>${note}</p>
${series.length > 1 && html`<ul class="legend">${series.map(({ status }) => html`<li>${marked(status)}</li>`)}</ul>`}
</figcaption>
<div class="plot">
<div class="scale" aria-hidden="true"><span>${grouped(top)}</span><span>0</span></div>
<svg class="bars" role="img" aria-label="${label}" viewBox="0 0 ${Math.max(minWidth, times.length)} ${top}" preserveAspectRatio="none">${stackedPaths(series, top)}${times.map(
    (at, bar) =>
      hoverArea(
        countsIn(series, values => values[bar] ?? 0),
        bar,
        top,
        timeData(at, format),
      ),
  )}</svg>
<svg class="axis" aria-hidden="true">${ticksOf(times.length).map(bar => tick(times, bar, axisFormat))}</svg>
</div>
<details><summary>The figures</summary>${table(
    title,
    [{ title: 'From' }, ...series.map(({ status }) => ({ title: statusWords[status], isNumber: true }))],
    times.map((at, bar) => [moment(at, format), ...series.map(({ values }) => grouped(values[bar] ?? 0))]),
  )}</details>
</figure>
`
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const barTotal = (series: readonly Series[], bar: number) => sum(series.map(({ values }) => values[bar] ?? 0))

/** `4 created, 1 failed`. */
const countsIn = (series: readonly Series[], count: (values: readonly number[]) => number): string =>
  series
    .map(({ status, values }) => ({ status, count: count(values) }))
    .filter(each => each.count > 0)
    .map(each => `${grouped(each.count)} ${statusWords[each.status]}`)
    .join(', ')

/** The next round number: 7, 15, 350. */
function roundedUp(count: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, count))) / 2
  return Math.max(1, Math.ceil(count / step) * step)
}

/** One path for each status. A bar is one unit wide and as high as its count. */
function stackedPaths(series: readonly Series[], top: number): Markup[] {
  const tops: number[] = []
  return series.map(({ status, values }) => {
    const bars = values.map((value, bar) => {
      if (value === 0) return ''
      tops[bar] = (tops[bar] ?? top) - value
      return `M${bar} ${tops[bar]}h.9v${value}h-.9z`
    })
    return html`<path class="${status}" d="${new Markup(bars.join(''))}"/>`
  })
}

/** Shows the counts of a bar under the pointer; the page's script adds the time. */
const hoverArea = (title: string, bar: number, top: number, time: Markup): Child =>
  title !== '' &&
  html`<rect class="hover" x="${bar}" width="1" height="${top}"${time}><title>${title}</title></rect>`

/** What the page's script turns into the reader's own time. */
const timeData = (at: string, format: TimeFormat) => html` data-at="${at}" data-format="${format}"`

/** The bars that have a label: the first, the last, and some between them. */
function ticksOf(bars: number): number[] {
  const count = Math.min(bars, maxTicks)
  return Array.from({ length: count }, (_, at) => Math.round((at * (bars - 1)) / Math.max(1, count - 1)))
}

function tick(times: readonly string[], bar: number, format: TimeFormat): Markup {
  const at = times[bar] ?? ''
  const width = Math.max(minWidth, times.length)
  const anchor = bar === 0 ? 'start' : bar === width - 1 ? 'end' : 'middle'
  const x = anchor === 'start' ? 0 : anchor === 'end' ? 100 : ((bar + 0.5) / width) * 100
  return html`<text x="${x.toFixed(1)}%" y="1em" text-anchor="${anchor}"${timeData(at, format)}>${momentIn(at, 'UTC', format)}</text>`
}
