import { statusWord } from '../statuses.ts'
import { counted, rows, spanOf } from '../text.ts'
import { type LogPart, type RowLabel, type RunFacts, runStatuses } from './facts.ts'
import { type Child, html, type Markup, moment, placeOf, quoted, type Section, table } from './html.ts'

export function runsSection({ runs, earlierRuns }: LogPart): Section | undefined {
  if (runs.length === 0) return undefined
  const title = 'The runs so far'
  const hasKnown = runs.some(({ known }) => known > 0)
  return {
    id: 'runs',
    title,
    body: html`${earlierRuns > 0 && html`<p>${counted(earlierRuns, 'earlier run is', 'earlier runs are')} not shown.</p>`}
${table(
  title,
  [
    'Started',
    'Took',
    ...runStatuses.map(statusWord),
    ...(hasKnown ? ['known'] : []),
    'repeated',
    'throttled',
    'Notes',
  ],
  runs
    .toReversed()
    .map(run => [
      moment(run.startedAt),
      spanOf(run.durationMs),
      ...runStatuses.map(status => run.counts[status]),
      ...(hasKnown ? [run.known] : []),
      ...[run.repeated, run.throttled],
      notesOf(run),
    ]),
)}`,
  }
}

const notesOf = ({ byHand, mappingChanged, sources, rowlift }: RunFacts): Markup =>
  html`${byHand && html`<b>by hand</b> `}${mappingChanged && html`<b>mapping changed</b> `}${quoted(sources.join(', '))}${
    rowlift !== '' && html` <small>rowlift ${rowlift}</small>`
  }`

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
