// What `rowlift log` prints of a result log, and what it did to one.
import { type LogPart, type ReasonFacts, rowStatuses, runStatuses } from './page/facts.ts'
import { statusWord } from './statuses.ts'
import { aligned, counted, grouped, rows, spanOf, timeOf, visible, visibleJson } from './text.ts'

const mostRuns = 20

export function logText(part: LogPart): string {
  const { log, opening, counts, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const { record, organization_id: organization, base_url: url } = opening
  const now = rowStatuses.filter(status => counts[status] > 0)
  const others = otherReasons > 0 ? [`  ${rows(otherReasons)} for other reasons`] : []
  const calls = slowest.map(({ durationMs, attempts, source, line, key, run }) => [
    ...[grouped(durationMs), grouped(attempts), `${source}:${line}`, key, run],
  ])
  return [
    `${visible(`${log}: ${record}s of organization ${organization} at ${url}`)}\n`,
    section(
      'Rows now:',
      now.map(status => [statusWord(status), grouped(counts[status])]),
    ),
    runSection(part),
    reasons.length === 0
      ? ''
      : `${['Why rows have no record:', ...reasons.flatMap(reasonLines), ...others].join('\n')}\n`,
    section(
      'Values left out:',
      omitted.map(({ column, count }) => [column, grouped(count)]),
    ),
    section(
      'Sent, and not in the answer:',
      notInAnswer.map(({ path, count }) => [path, grouped(count)]),
    ),
    section('The slowest calls:', calls, ['ms', 'attempts', 'row', 'key', 'run']),
  ]
    .filter(Boolean)
    .join('\n')
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

/** For programs, in one line: the names stay. */
export const logJson = ({ log, opening, runs, byHand, ...part }: LogPart): string => {
  const { counts, duplicates, earlierRuns, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const told = {
    ...{ results: log, ...opening, counts, duplicates, settledByHand: byHand },
    ...{ runs, earlierRuns },
    ...{ reasons, otherReasons, omitted, notInAnswer, slowest },
  }
  return visibleJson(`${JSON.stringify(told, inSnakeCase)}\n`)
}

/** For JSON.stringify. */
export const inSnakeCase = (_: string, value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inner]))

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

type Size = Readonly<Record<'lines' | 'bytes', number>>

export const describeCompacted = (log: string, { before, after }: { before: Size; after: Size }): string =>
  `${visible(log)}: ${sizeText(before)} before, ${sizeText(after)} now\n`

const sizeText = ({ lines, bytes }: Size) => `${counted(lines, 'line')} (${counted(bytes, 'byte')})`

export function describeRepaired(
  log: string,
  damaged: { restored: number; moved: readonly unknown[] },
): string {
  const [restored, moved] = [damaged.restored, damaged.moved.length]
  const kept = `${counted(moved, 'damaged line')} moved to ${log}.damaged. A row without another line is in doubt now: rowlift resolve ${log}`
  const parts = [restored > 0 && `${counted(restored, 'line')} restored`, moved > 0 && kept].filter(Boolean)
  return `${log}: ${parts.join(', ') || 'no line is damaged'}\n`
}
