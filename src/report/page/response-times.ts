import { grouped } from '../numbers.ts'
import { chartMarkup } from './chart.ts'
import { table } from './elements.ts'
import type { LogPart, ResponseTimes } from './facts.ts'
import { html, type Markup } from './html.ts'
import { counted, shortSpan } from './words.ts'

interface Named {
  readonly name: string
  readonly color: string
  readonly times: ResponseTimes
}

/** How long calls took, in the last run and, where it was not the only one, in all. */
export function responseTimesChart({ responses }: LogPart, level: number): Markup | undefined {
  const named = namedTimes(responses)
  const [first] = named
  if (first === undefined) return undefined
  const percents = first.times.percentiles.map(({ percent }) => percent)
  const labels = [...percents.map(percent => `${percent}%`), 'longest']
  const values = named.map(({ times }) => [
    ...percents.map(percent => times.percentiles.find(at => at.percent === percent)?.ms ?? 0),
    times.maxMs,
  ])
  return chartMarkup({
    title: 'How long calls took',
    level,
    note: html`The share of calls that took no longer, waits between attempts included. ${named.map(meanSentence)}`,
    told: `How long calls took: ${named.map(({ name, times }) => `${name}: ${toldPercentiles(times)}`).join('; ')}.`,
    facts: {
      is: 'spans',
      labels,
      series: named.map(({ name, color }, at) => ({ name, color, values: values[at] ?? [] })),
    },
    table: table(
      'How long calls took',
      [{ title: 'Of the calls' }, ...named.map(({ name }) => ({ title: name, isNumber: true }))],
      labels.map((label, at) => [label, ...values.map(list => shortSpan(list[at] ?? 0))]),
    ),
  })
}

function namedTimes({ lastRun, allRuns }: LogPart['responses']): Named[] {
  const isOnlyRun = lastRun !== undefined && lastRun.calls === allRuns?.calls
  return [
    ...(lastRun === undefined ? [] : [{ name: 'last run', color: 'created', times: lastRun }]),
    ...(allRuns === undefined || isOnlyRun ? [] : [{ name: 'all runs', color: 'existing', times: allRuns }]),
  ]
}

const meanSentence = ({ name, times }: Named) =>
  ` ${name === 'last run' ? 'Last run' : 'All runs'}: ${counted(times.calls, 'call', 'calls')}, ${shortSpan(times.meanMs)} on average.`

const toldPercentiles = ({ percentiles, maxMs, calls }: ResponseTimes) =>
  `${grouped(calls)} calls, ${percentiles.map(({ percent, ms }) => `${percent}% within ${shortSpan(ms)}`).join(', ')}, the longest ${shortSpan(maxMs)}`
