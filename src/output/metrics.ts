import { Gauge, Registry } from 'prom-client'
import { RowCounts } from '../result/row-counts.ts'
import { type CommandEnd, exitCodeOfPart, type ImportPart, type RunResult } from '../result/run-result.ts'

/** One import, with no rows if it could not begin. */
interface Measured {
  readonly command: CommandEnd
  readonly part: ImportPart
  readonly end: Partial<RunResult>
  readonly rows: RowCounts['fields']
  readonly past: PastMetrics
}

const seconds = (date: Date) => date.getTime() / 1000

const gauges: Readonly<Record<string, readonly [help: string, value: (measured: Measured) => number]>> = {
  rowlift_run_exit_code: ['Exit code of the last run.', ({ command, part }) => exitCodeOfPart(command, part)],
  rowlift_run_end_timestamp_seconds: ['When the last run ended.', ({ command }) => seconds(command.endedAt)],
  rowlift_run_duration_seconds: ['How long the last run took.', durationOf],
  rowlift_last_success_timestamp_seconds: [
    'When the last run with exit code 0 ended; 0 if there was none yet.',
    lastSuccessOf,
  ],
  rowlift_in_doubt_rows: [
    'Rows that the result log holds in doubt.',
    ({ end, past }) => end.in_doubt_total ?? past.inDoubt, // a run that could not begin settled none
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
    ({ end }) => end.unmet?.length ?? 0,
  ],
  rowlift_omitted_values: [
    'Values of the last run that the mapping left out.',
    ({ end }) => Object.values(end.omitted ?? {}).reduce((sum, count) => sum + count, 0),
  ],
  rowlift_incomplete_answers: [
    'Answers of the last run that lack fields that were sent.',
    ({ end }) => end.details?.tally.losses.incompleteAnswers ?? 0,
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
  const all = command.imports.map(part => {
    const { end = {} } = part
    const past = pastMetrics(before, part.name)
    return {
      ...{ command, part, end, past },
      rows: part.end ?? new RowCounts().fields,
      labels: labelsOf(part),
    }
  })
  for (const [name, [help, value]] of Object.entries(gauges)) {
    const gauge = gaugeOf(name, help)
    for (const measured of all) gauge.set(measured.labels, value(measured))
  }
  const gauge = gaugeOf('rowlift_rows', 'Rows of the last run, by what became of them in it.', 'status')
  const info = gaugeOf('rowlift_info', 'The version of rowlift that the last run had.', 'version')
  for (const { labels, rows } of all) {
    const { valid, ...counts } = rows.row_counts // of dry runs alone
    for (const [status, count] of Object.entries(counts)) gauge.set({ ...labels, status }, count)
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

function durationOf({ command: { startedAt, endedAt }, part, end }: Measured): number {
  const commandMs = endedAt.getTime() - startedAt.getTime()
  return (part.name === undefined ? commandMs : (end.duration_ms ?? 0)) / 1000
}

/** Another run may just have ended, but a time far in the future, left by a wrong clock, would keep an alert silent. */
function lastSuccessOf({ command, part, past }: Measured): number {
  const now = seconds(command.endedAt)
  if (exitCodeOfPart(command, part) === 0) return now
  return past.lastSuccess <= now + mostAheadS ? past.lastSuccess : now
}

const mostAheadS = 60

type PastMetrics = ReturnType<typeof pastMetrics>

const line =
  /^(rowlift_last_success_timestamp_seconds|rowlift_in_doubt_rows)(?:\{((?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*)\})? (\d{1,15}(?:\.\d{1,9})?)$/gm
const stepLabel = /(?:^|,)step="((?:[^"\\]|\\.)*)"/

/** Reads the metrics of an earlier run of a step, which still count; everything else in the file is ignored. */
function pastMetrics(text: string, step = '') {
  const values = new Map<string, number>()
  for (const [, metric = '', labels = '', value] of text.matchAll(line)) {
    const [, name = ''] = stepLabel.exec(labels) ?? []
    if (name.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign)) === step)
      values.set(metric, Number(value))
  }
  return {
    /** In seconds since 1970; 0 if there was none. */
    lastSuccess: values.get('rowlift_last_success_timestamp_seconds') ?? 0,
    inDoubt: values.get('rowlift_in_doubt_rows') ?? 0,
  }
}
