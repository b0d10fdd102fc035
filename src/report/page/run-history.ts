import { grouped, spanOf } from '../numbers.ts'
import { chartMarkup } from './chart.ts'
import { moment, table } from './elements.ts'
import type { Series } from './embedded.ts'
import type { LogPart, RunLine } from './facts.ts'
import { type Child, html, type Markup, quoted } from './html.ts'
import type { Section, Spot } from './section.ts'
import { counted } from './words.ts'

/** The runs that wrote the log, where there was more than one. */
export function runsSection({ runs, earlierRuns }: LogPart, { level }: Spot): Section | undefined {
  if (runs.length + earlierRuns < 2) return undefined
  return {
    id: 'runs',
    title: 'The runs so far',
    body: html`${runs.length > 1 && runsChart(runs, level + 1)}
${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${table('The runs so far', columns, [...runs].reverse().map(runCells))}`,
  }
}

function runsChart(runs: readonly RunLine[], level: number): Markup {
  const of = (name: string, color: string, count: (run: RunLine) => number): Series => ({
    name,
    color,
    values: runs.map(count),
  })
  const series = [
    of('created', 'created', run => run.created),
    of('existing', 'existing', run => run.existing),
    of('in doubt', 'in_doubt', run => run.inDoubt),
    of('failed', 'failed', run => run.failed),
    of('invalid', 'invalid', run => run.invalid),
  ].filter(({ values }) => values.some(value => value > 0))
  const figures = series.map(({ name, values }) => `${grouped(values.reduce((a, b) => a + b, 0))} ${name}`)
  return chartMarkup({
    title: 'Rows by run',
    level,
    note: `What each run made of the rows that it settled, the oldest first.${runs.some(({ mappingChanged }) => mappingChanged) ? ' A dashed line stands where the mapping was changed.' : ''}`,
    told: `Rows by run, over ${counted(runs.length, 'run', 'runs')}: ${figures.join(', ')}.`,
    facts: {
      is: 'runs',
      startedAt: runs.map(({ startedAt }) => startedAt),
      newMapping: runs.map(({ mappingChanged }) => mappingChanged),
      series,
    },
    table: table(
      'Rows by run',
      [{ title: 'Run' }, ...series.map(({ name }) => ({ title: name, isNumber: true }))],
      runs.map(({ startedAt }, at) => [
        moment(startedAt),
        ...series.map(({ values }) => grouped(values[at] ?? 0)),
      ]),
    ),
  })
}

const numbers = ['created', 'existing', 'in doubt', 'failed', 'invalid', 'duplicate', 'repeated', 'throttled']
const columns = [
  { title: 'Begun' },
  { title: 'Took' },
  ...numbers.map(title => ({ title, isNumber: true })),
  { title: 'What else' },
]

const runCells = (run: RunLine): Child[] => [
  moment(run.startedAt),
  tookOf(run),
  ...[
    run.created,
    run.existing,
    run.inDoubt,
    run.failed,
    run.invalid,
    run.duplicate,
    run.repeated,
    run.throttled,
  ].map(count => (count === 0 ? html`<span class="none">0</span>` : grouped(count))),
  remarks(run),
]

function tookOf({ startedAt, lastAt }: RunLine): string {
  const tookMs = Date.parse(lastAt) - Date.parse(startedAt)
  return Number.isFinite(tookMs) ? spanOf(tookMs) : ''
}

const remarks = ({ byHand, mappingChanged, sources, rowlift }: RunLine): Markup =>
  html`<div class="remarks">${
    byHand && html`<span class="tag">by hand</span> `
  }${mappingChanged && html`<span class="tag">mapping changed</span> `}${quoted(sources.join(', '))}${rowlift !== '' && html` <small>rowlift ${rowlift}</small>`}</div>`
