import type { ChartConfiguration } from 'chart.js'
import { grouped } from '../../numbers.ts'
import type { ChartFacts, RunsChart, SlicesChart, SpansChart } from '../embedded.ts'
import { momentIn } from '../moments.ts'
import { shortSpan } from '../words.ts'
import { colorOf, countAxis, datasetOf, plain, ticks, tooltip } from './chart-look.ts'
import { linesBefore, spanBesideBar } from './chart-plugins.ts'
import { clockTime, roundTimes } from './round-times.ts'

export type BarChart = ChartConfiguration<'bar', number[], string>

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
          ...slots(),
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

/** An axis with a place for each bar, which is stacked there. */
const slots = () => ({ stacked: true, border: { color: colorOf('line') }, grid: { display: false } })

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
          ...slots(),
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
