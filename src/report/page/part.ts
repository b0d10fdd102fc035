import { attentionSection } from './attention.ts'
import { problemsSection } from './column-problems.ts'
import { columnsSection } from './columns.ts'
import { doubtsSection } from './doubts.ts'
import type { DryRunPart, LogPart, Part } from './facts.ts'
import { figures } from './figures.ts'
import { html } from './html.ts'
import { mergedSection } from './merged.ts'
import { reasonsSection } from './reasons.ts'
import { responseTimesChart } from './response-times.ts'
import { runsSection } from './run-history.ts'
import { samplesSection } from './samples.ts'
import type { Section, Spot } from './section.ts'
import { timelineCharts } from './timeline.ts'

/** What there is to say of a part, in the order in which it is read. */
export const sectionsOf = (part: Part, spot: Spot): Section[] =>
  (part.is === 'log' ? logSections(part, spot) : dryRunSections(part, spot)).filter(
    section => section !== undefined,
  )

const logSections = (part: LogPart, spot: Spot) => [
  figures(part),
  doubtsSection(part, spot),
  reasonsSection(part, spot),
  attentionSection(part, spot),
  overTimeSection(part, spot),
  mergedSection(part),
  runsSection(part, spot),
  columnsSection(part),
]

const dryRunSections = (part: DryRunPart, spot: Spot) => [
  figures(part),
  samplesSection(part, spot),
  problemsSection(part, spot),
  attentionSection(part, spot),
  columnsSection(part),
]

function overTimeSection(part: LogPart, { level }: Spot): Section | undefined {
  const charts = [timelineCharts(part, level + 1), responseTimesChart(part, level + 1)].filter(
    chart => chart !== undefined,
  )
  return charts.length === 0
    ? undefined
    : { id: 'time', title: 'Pace and response times', body: html`${charts}` }
}
