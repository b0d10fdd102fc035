import type { ChartConfiguration, ChartDataset, Chart as Drawn, Plugin, TooltipItem } from 'chart.js'
import { grouped } from '../../numbers.ts'
import type { ChartFacts, RunsChart, Series, SlicesChart, SpansChart } from '../embedded.ts'
import { momentIn } from '../moments.ts'
import { shortSpan } from '../words.ts'
import { clockTime, roundTimes } from './round-times.ts'

export type BarChart = ChartConfiguration<'bar', number[], string>

/** A colour of the style, as it is in the scheme of now. */
const colorOf = (name: string) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue(`--${name.replace('_', '-')}`)
    .trim()

/** How the library is asked for a chart. */
export function configOf(facts: ChartFacts): BarChart {
  switch (facts.is) {
    case 'slices':
      return slicesConfig(facts)
    case 'runs':
      return runsConfig(facts)
    case 'spans':
      return spansConfig(facts)
  }
}

const datasetOf = ({ name, color, values }: Series): ChartDataset<'bar', number[]> => ({
  label: name,
  data: [...values],
  backgroundColor: colorOf(color),
  borderColor: colorOf('paper'),
  borderWidth: { top: 0.5 },
  borderSkipped: false,
})

const plain = () => ({
  animation: false as const,
  maintainAspectRatio: false,
  color: colorOf('soft'),
  font: { family: getComputedStyle(document.body).fontFamily, size: 12 },
  interaction: { mode: 'index' as const, intersect: false },
})

const tooltip = (label: (value: number) => string, title?: (at: number) => string) => ({
  legend: { display: false },
  tooltip: {
    backgroundColor: colorOf('ink'),
    titleColor: colorOf('paper'),
    bodyColor: colorOf('paper'),
    padding: 10,
    cornerRadius: 4,
    boxPadding: 4,
    filter: ({ raw }: TooltipItem<'bar'>) => Number(raw) > 0,
    callbacks: {
      label: (item: TooltipItem<'bar'>) => `${item.dataset.label ?? ''}: ${label(Number(item.raw))}`,
      ...(title !== undefined && { title: ([item]: TooltipItem<'bar'>[]) => title(item?.dataIndex ?? 0) }),
    },
  },
})

const ticks = () => ({ color: colorOf('soft'), font: plain().font, maxRotation: 0 })
const countAxis = () => ({
  stacked: true,
  beginAtZero: true,
  border: { display: false },
  grid: { color: colorOf('line') },
  ticks: {
    ...ticks(),
    precision: 0,
    maxTicksLimit: 6,
    callback: (value: string | number) => grouped(Number(value)),
  },
})

const labelPx = 76

function slicesConfig({ startedAt, sliceMs, series }: SlicesChart): BarChart {
  const startMs = Date.parse(startedAt)
  const count = series[0]?.values.length ?? 0
  const labelsFor = oncePerArgument((most: number) => roundTimes({ startMs, sliceMs, count, most }))
  const titleOf = (at: number) =>
    [at, at + 1].map(slice => clockTime(startMs + slice * sliceMs, Math.min(sliceMs, 1_000))).join(' – ')
  return {
    type: 'bar',
    data: { labels: Array.from({ length: count }, () => ''), datasets: series.map(datasetOf) },
    options: {
      ...plain(),
      datasets: { bar: { categoryPercentage: 1, barPercentage: count > 60 ? 1 : 0.88, maxBarThickness: 56 } },
      scales: {
        x: {
          stacked: true,
          border: { color: colorOf('line') },
          grid: { display: false },
          ticks: {
            ...ticks(),
            autoSkip: false,
            callback(_value, at) {
              return labelsFor(Math.max(2, Math.floor(this.chart.width / labelPx)))[at]
            },
          },
        },
        y: countAxis(),
      },
      plugins: tooltip(grouped, titleOf),
    },
  }
}

/** The library asks for each label by itself, and again for each layout. */
function oncePerArgument<T>(of: (argument: number) => T): (argument: number) => T {
  const known = new Map<number, T>()
  return argument => {
    const value = known.get(argument) ?? of(argument)
    known.set(argument, value)
    return value
  }
}

function runsConfig({ startedAt, newMapping, series }: RunsChart): BarChart {
  const days = startedAt.map(at => momentIn(at, undefined).split(', '))
  return {
    type: 'bar',
    data: { labels: startedAt.map(() => ''), datasets: series.map(datasetOf) },
    options: {
      ...plain(),
      datasets: { bar: { categoryPercentage: 0.8, barPercentage: 1, maxBarThickness: 40 } },
      scales: {
        x: {
          stacked: true,
          border: { color: colorOf('line') },
          grid: { display: false },
          ticks: {
            ...ticks(),
            autoSkipPadding: 12,
            callback: (_value, at) => {
              const [day = '', time = ''] = days[at] ?? []
              return [day.replace(/ \d{4}$/, ''), time]
            },
          },
        },
        y: countAxis(),
      },
      plugins: tooltip(grouped, at => (days[at] ?? []).join(', ')),
    },
    plugins: [linesBefore(newMapping)],
  }
}

function spansConfig({ labels, series }: SpansChart): BarChart {
  return {
    type: 'bar',
    data: { labels: [...labels], datasets: series.map(datasetOf) },
    options: {
      ...plain(),
      indexAxis: 'y',
      layout: { padding: { right: 72 } },
      datasets: { bar: { categoryPercentage: 0.8, barPercentage: 0.9, maxBarThickness: 18 } },
      scales: {
        x: { display: false, beginAtZero: true, max: Math.max(...series.flatMap(({ values }) => values)) },
        y: { border: { color: colorOf('line') }, grid: { display: false }, ticks: ticks() },
      },
      plugins: tooltip(shortSpan),
    },
    plugins: [spanBesideBar],
  }
}

/** Writes each span beside its bar. */
const spanBesideBar: Plugin<'bar'> = {
  id: 'span-beside-bar',
  afterDatasetsDraw(chart: Drawn) {
    const { ctx } = chart
    ctx.save()
    ctx.font = `12px ${plain().font.family}`
    ctx.fillStyle = colorOf('ink')
    ctx.textBaseline = 'middle'
    chart.data.datasets.forEach((dataset, set) => {
      chart.getDatasetMeta(set).data.forEach((bar, at) => {
        ctx.fillText(shortSpan(Number(dataset.data[at])), bar.x + 6, bar.y)
      })
    })
    ctx.restore()
  },
}

/** Draws a dashed line before some of the bars. */
const linesBefore = (bars: readonly boolean[]): Plugin<'bar'> => ({
  id: 'lines-before',
  beforeDatasetsDraw({ ctx, chartArea: { left, top, bottom, width } }: Drawn) {
    ctx.save()
    ctx.strokeStyle = colorOf('soft')
    ctx.setLineDash([3, 3])
    bars.forEach((isMarked, at) => {
      if (!isMarked) return
      const x = Math.round(left + (at * width) / bars.length) + 0.5
      ctx.beginPath()
      ctx.moveTo(x, top)
      ctx.lineTo(x, bottom)
      ctx.stroke()
    })
    ctx.restore()
  },
})
