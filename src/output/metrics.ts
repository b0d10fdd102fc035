import { Gauge, Registry } from 'prom-client'
import { RowCounts } from '../result/row-counts.ts'
import { type CommandEnd, exitCodeOfPart, type ImportPart } from '../result/run-result.ts'

/** One import, with no rows if it could not begin. */
interface Measured {
  readonly command: CommandEnd
  readonly part: ImportPart
  readonly rows: RowCounts['fields']
  readonly past: PastMetrics
}

const seconds = (date: Date) => date.getTime() / 1000

type Gauges = Readonly<Record<string, readonly [help: string, value: (measured: Measured) => number]>>

const gauges: Gauges = {
  rowlift_run_exit_code: ['Exit code of the last run.', ({ command, part }) => exitCodeOfPart(command, part)],
  rowlift_run_end_timestamp_seconds: ['When the last run ended.', ({ command }) => seconds(command.endedAt)],
  rowlift_run_duration_seconds: ['How long the last run took.', durationOf],
  rowlift_last_success_timestamp_seconds: [
    'When the last run with exit code 0 ended; 0 if there was none yet.',
    lastSuccessOf,
  ],
  rowlift_in_doubt_rows: [
    'Rows that the result log holds in doubt.',
    ({ part, past }) => part.end?.in_doubt_total ?? past.inDoubt, // a run that could not begin settled none
  ],
  rowlift_changed_rows: [
    'Rows of the last run that have their record and read otherwise now than when it was created.',
    ({ rows }) => rows.changed,
  ],
  rowlift_known_rejected_rows: [
    'Rows of the last run that are invalid or failed as in an earlier run, and read the same.',
    ({ rows }) => rows.known,
  ],
  rowlift_new_rejected_rows: [
    'Other rows of the last run that are invalid or failed.',
    ({ rows: { invalid, failed, known } }) => invalid + failed - known,
  ],
  rowlift_unmet_expectations: [
    'Expectations that do not hold in the last run.',
    ({ part }) => part.end?.unmet.length ?? 0,
  ],
  rowlift_omitted_values: [
    'Values of the last run that the mapping left out.',
    ({ part }) => Object.values(part.end?.omitted ?? {}).reduce((sum, count) => sum + count, 0),
  ],
  rowlift_incomplete_answers: [
    'Answers of the last run that lack fields that were sent.',
    ({ part }) => part.end?.details.tally.losses.incompleteAnswers ?? 0,
  ],
  rowlift_attempts_repeated: ['Attempts that the last run repeated.', ({ rows }) => rows.retries],
  rowlift_attempts_throttled: [
    'Of the attempts that the last run repeated: those that the service asked to make later.',
    ({ rows }) => rows.throttled,
  ],
}

const labelNames = ['results', 'step', 'import', 'worker']

/**
 * The end of a command in the text format of Prometheus, without any data of rows or answers; `before` is what the file
 * contained until now, whatever that is.
 */
export function metricsText(command: CommandEnd, before: string): Promise<string> {
  const registry = new Registry()
  const gaugeOf = (name: string, help: string, ...more: string[]) =>
    new Gauge({ name, help, labelNames: [...labelNames, ...more], registers: [registry] })
  const past = pastMetrics(before)
  const all = command.imports.map(part => {
    const rows = part.end ?? new RowCounts().fields
    return { labels: labelsOf(part), measured: { command, part, rows, past: past(part.name) } }
  })
  for (const [name, [help, value]] of Object.entries(gauges)) {
    const gauge = gaugeOf(name, help)
    for (const { labels, measured } of all) gauge.set(labels, value(measured))
  }
  const rows = gaugeOf('rowlift_rows', 'Rows of the last run, by what became of them in it.', 'status')
  const info = gaugeOf('rowlift_info', 'The version of rowlift that the last run had.', 'version')
  for (const { labels, measured } of all) {
    const { valid, ...counts } = measured.rows.row_counts // of dry runs alone
    for (const [status, count] of Object.entries(counts)) rows.set({ ...labels, status }, count)
    info.set({ ...labels, version: command.version }, 1)
  }
  return registry.metrics()
}

/** `results` keeps jobs apart, because the collector reads all files of a folder as one; `step` does so within a plan. */
const labelsOf = ({ name, asked: { results }, end }: ImportPart) => ({
  ...(results !== undefined && { results }),
  ...(end?.ledger && { import: end.ledger.import, worker: end.ledger.worker }),
  ...(name !== undefined && { step: name }),
})

function durationOf({ command: { startedAt, endedAt }, part: { name, end } }: Measured): number {
  if (name !== undefined) return (end?.duration_ms ?? 0) / 1000
  return (endedAt.getTime() - startedAt.getTime()) / 1000
}

/** Another run may just have ended, but a time far in the future, left by a wrong clock, would keep an alert silent. */
function lastSuccessOf({ command, part, past }: Measured): number {
  const now = seconds(command.endedAt)
  if (exitCodeOfPart(command, part) === 0) return now
  return past.lastSuccess <= now + mostAheadS ? past.lastSuccess : now
}

const mostAheadS = 60

/** The metrics of earlier runs that still count. */
interface PastMetrics {
  /** In seconds since 1970; 0 if there was none. */
  readonly lastSuccess: number
  readonly inDoubt: number
}

const line =
  /^(rowlift_last_success_timestamp_seconds|rowlift_in_doubt_rows)(?:\{((?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*)\})? (\d{1,15}(?:\.\d{1,9})?)$/gm
const stepLabel = /(?:^|,)step="((?:[^"\\]|\\.)*)"/

/** Reads the file of an earlier run, for each step of a plan; everything else in it is ignored. */
function pastMetrics(text: string): (step: string | undefined) => PastMetrics {
  const values = new Map<string, number>()
  for (const [, metric, labels = '', value] of text.matchAll(line)) {
    const step = stepLabel.exec(labels)?.[1]
    values.set(`${metric} ${step === undefined ? '' : unescaped(step)}`, Number(value))
  }
  return (step = '') => ({
    lastSuccess: values.get(`rowlift_last_success_timestamp_seconds ${step}`) ?? 0,
    inDoubt: values.get(`rowlift_in_doubt_rows ${step}`) ?? 0,
  })
}

const unescaped = (value: string) => value.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign))
