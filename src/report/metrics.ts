import { Gauge, Registry } from 'prom-client'
import { type CommandEnd, exitCodeOfPart, type ImportPart, rowCounts } from './command-end.ts'
import { type PastMetrics, pastMetrics } from './past-metrics.ts'
import { Tally } from './tally.ts'

/** What the metrics of one import are taken from. */
interface Told {
  readonly command: CommandEnd
  readonly part: ImportPart
  /** The end of the import; of one that could not begin, with nothing in it. */
  readonly tally: Tally
  readonly past: PastMetrics
}

const seconds = (date: Date) => date.getTime() / 1000

const gauges: readonly (readonly [name: string, help: string, value: (told: Told) => number])[] = [
  [
    'rowlift_run_exit_code',
    'Exit code of the last run.',
    ({ command, part }) => exitCodeOfPart(command, part),
  ],
  [
    'rowlift_run_end_timestamp_seconds',
    'When the last run ended.',
    ({ command }) => seconds(command.endedAt),
  ],
  ['rowlift_run_duration_seconds', 'How long the last run took.', durationOf],
  [
    'rowlift_last_success_timestamp_seconds',
    'When the last run with exit code 0 ended; 0 if there was none yet.',
    lastSuccessOf,
  ],
  [
    'rowlift_in_doubt_rows',
    'Rows that the result log holds in doubt.',
    ({ part, past }) => part.end?.inDoubt ?? past.inDoubt, // a run that could not begin settled none
  ],
  [
    'rowlift_changed_rows',
    'Rows of the last run that have their record and read otherwise now than when it was created.',
    ({ tally }) => tally.changed,
  ],
  ['rowlift_attempts_repeated', 'Attempts that the last run repeated.', ({ tally }) => tally.retries],
  [
    'rowlift_attempts_throttled',
    'Of the attempts that the last run repeated: those that the service asked to make later.',
    ({ tally }) => tally.throttled,
  ],
]

/**
 * What a command came to as Prometheus reads it; `before` is what the file held, whatever that is. Nothing of rows or
 * answers is in it.
 */
export function metricsText(command: CommandEnd, before: string): Promise<string> {
  const registry = new Registry()
  const labelled = (name: string, help: string, ...more: string[]) =>
    new Gauge({ name, help, labelNames: ['results', 'step', ...more], registers: [registry] })
  const past = pastMetrics(before)
  const all = command.imports.map(part => ({
    labels: labelsOf(part),
    told: { command, part, tally: part.end?.tally ?? new Tally(), past: past(part.name) },
  }))
  for (const [name, help, value] of gauges) {
    const gauge = labelled(name, help)
    for (const { labels, told } of all) gauge.set(labels, value(told))
  }
  const rows = labelled('rowlift_rows', 'Rows of the last run, by what became of them in it.', 'status')
  const info = labelled('rowlift_info', 'The version of rowlift that the last run had.', 'version')
  for (const { labels, told } of all) {
    const { valid, ...counts } = rowCounts(told.tally) // of dry runs alone
    for (const [status, count] of Object.entries(counts)) rows.set({ ...labels, status }, count)
    info.set({ ...labels, version: command.version }, 1)
  }
  return registry.metrics()
}

/** `results` keeps jobs apart, for the collector takes the files of a folder as one; `step` does so within a plan. */
const labelsOf = ({ name, asked: { results } }: ImportPart) => ({
  ...(results !== undefined && { results }),
  ...(name !== undefined && { step: name }),
})

function durationOf({ command: { startedAt, endedAt }, part: { name, end } }: Told): number {
  if (name !== undefined) return (end?.durationMs ?? 0) / 1000
  return (endedAt.getTime() - startedAt.getTime()) / 1000
}

/** Another run may just have ended; but a time that is long to come, as a wrong clock leaves it, would keep an alert silent. */
function lastSuccessOf({ command, part, past }: Told): number {
  const now = seconds(command.endedAt)
  if (exitCodeOfPart(command, part) === 0) return now
  return past.lastSuccess <= now + mostAheadS ? past.lastSuccess : now
}

const mostAheadS = 60
