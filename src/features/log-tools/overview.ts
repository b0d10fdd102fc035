// Texts of `rowlift log`: the contents of a result log, and its repair.

import {
  aligned,
  counted,
  grouped,
  inSnakeCase,
  rows,
  spanOf,
  timeOf,
  visible,
  visibleJson,
} from '../../output/text.ts'
import type { LogPart } from '../../result/facts.ts'
import type { ReasonFacts } from '../../result/reasons.ts'
import { rowStatuses, runStatuses, statusWord } from '../../result/row-counts.ts'

const mostRuns = 20

export function logText(part: LogPart): string {
  const { log, opening, counts, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const { record, organization_id: organization, base_url: url } = opening
  const now = rowStatuses.filter(status => counts[status] > 0)
  const current = now.map(status => [statusWord(status), grouped(counts[status])])
  const left = omitted.map(({ column, count }) => [column, grouped(count)])
  const lacking = notInAnswer.map(({ path, count }) => [path, grouped(count)])
  const others = otherReasons > 0 ? [`  ${rows(otherReasons)} for other reasons`] : []
  const calls = slowest.map(({ durationMs, attempts, source, line, key, run }) => [
    ...[grouped(durationMs), grouped(attempts), `${source}:${line}`, key, run],
  ])
  const why = ['Why rows have no record:', ...reasons.flatMap(reasonLines), ...others]
  const parts = [
    `${visible(`${log}: ${record}s of organization ${organization} at ${url}`)}\n`,
    section('Rows now:', current),
    runSection(part),
    reasons.length === 0 ? '' : `${why.join('\n')}\n`,
    section('Values left out:', left),
    section('Sent, and not in the answer:', lacking),
    section('The slowest calls:', calls, ['ms', 'attempts', 'row', 'key', 'run']),
  ]
  return parts.filter(Boolean).join('\n')
}

type Cells = readonly string[]

const section = (title: string, table: readonly Cells[], header?: Cells) =>
  table.length === 0
    ? ''
    : `${title}\n${aligned(header ? [header, ...table] : table)
        .map(line => `  ${line}\n`)
        .join('')}`

function runSection({ runs, earlierRuns }: LogPart): string {
  const shown = runs.slice(-mostRuns)
  const used = runStatuses.filter(status => shown.some(({ counts }) => counts[status] > 0))
  const hasKnown = shown.some(({ known }) => known > 0)
  const total = earlierRuns + runs.length
  const title = shown.length < total ? `The last ${mostRuns} of ${grouped(total)} runs:` : 'Runs:'
  const table = shown.map(run => [
    ...[run.run, timeOf(run.startedAt), spanOf(run.durationMs)],
    run.byHand ? 'by hand' : run.rows === undefined ? '-' : grouped(run.rows),
    ...used.map(status => grouped(run.counts[status])),
    ...(hasKnown ? [grouped(run.known)] : []),
  ])
  const header = ['run', 'began (UTC)', 'took', 'rows', ...used.map(statusWord)]
  return section(title, table, hasKnown ? [...header, 'known'] : header)
}

const reasonLines = ({ status, rows: count, reason, answer, remedy, examples }: ReasonFacts) => [
  `  ${grouped(count)} × ${statusWord(status)}: ${visible([reason, answer].filter(Boolean).join(': '))}`,
  ...examples.slice(0, 1).map(({ source, line, key }) => `      ${visible(`${source}:${line}, key ${key}`)}`),
  `      ${remedy}`,
]

/** Makes one line for programs, with the names of the fields. */
export function logJson({ log: results, opening, byHand: settledByHand, ...part }: LogPart): string {
  const { counts, duplicates, runs, earlierRuns, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const rows = { counts, duplicates, settledByHand, runs, earlierRuns }
  const why = { reasons, otherReasons, omitted, notInAnswer, slowest }
  return visibleJson(`${JSON.stringify({ results, ...opening, ...rows, ...why }, inSnakeCase)}\n`)
}

export function describeRepaired(path: string, moved: number): string {
  const log = visible(path)
  if (moved === 0) return `${log}: no line is damaged\n`
  const lines = counted(moved, 'damaged line')
  return `${log}: ${lines} moved to ${log}.damaged. A row without another line is in doubt now: rowlift resolve ${log}\n`
}
