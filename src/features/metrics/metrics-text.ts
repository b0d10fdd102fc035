import { Gauge, Registry } from 'prom-client'
import { RowCounts } from '../../result/row-counts.ts'
import { type CommandEnd, exitCodeOfPart, type ImportPart } from '../../result/run-result.ts'

/** The help of each gauge that has one value for an import. */
const gauges = {
  rowlift_run_exit_code: 'Exit code of the last run.',
  rowlift_run_end_timestamp_seconds: 'When the last run ended.',
  rowlift_run_duration_seconds: 'How long the last run took.',
  rowlift_last_success_timestamp_seconds:
    'When the last run with exit code 0 ended; 0 if there was none yet.',
  rowlift_in_doubt_rows: 'Rows that the result log holds in doubt.',
  rowlift_changed_rows:
    'Rows of the last run that have their record and read otherwise now than when it was created.',
  rowlift_known_rejected_rows:
    'Rows of the last run that are invalid or failed as in an earlier run, and read the same.',
  rowlift_new_rejected_rows: 'Other rows of the last run that are invalid or failed.',
  rowlift_unmet_expectations: 'Expectations that do not hold in the last run.',
  rowlift_omitted_values: 'Values of the last run that the mapping left out.',
  rowlift_kept_values: 'Values of the last run that the mapping sent as they are.',
  rowlift_incomplete_answers: 'Answers of the last run that lack fields that were sent.',
  rowlift_unclear_rows: 'Rows that the last run sent again after an unclear answer.',
  rowlift_attempts_repeated: 'Attempts that the last run repeated.',
  rowlift_attempts_throttled:
    'Of the attempts that the last run repeated: those that the service asked to make later.',
}
type GaugeName = keyof typeof gauges

const sumOf = (counts: Readonly<Record<string, number>> = {}) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

function valuesOf(command: CommandEnd, part: ImportPart, before: string): Record<GaugeName, number> {
  const { name, end } = part
  const { changed, invalid, failed, known, unclear, retries, throttled } = rowsOf(part)
  const past = pastMetrics(before, name)
  const commandMs = command.endedAt.getTime() - command.startedAt.getTime()
  const exitCode = exitCodeOfPart(command, part)
  const endedS = command.endedAt.getTime() / 1000
  return {
    rowlift_run_exit_code: exitCode,
    rowlift_run_end_timestamp_seconds: endedS,
    rowlift_run_duration_seconds: (name === undefined ? commandMs : (end?.duration_ms ?? 0)) / 1000,
    rowlift_last_success_timestamp_seconds:
      exitCode === 0 || past.successS > endedS + mostAheadS ? endedS : past.successS,
    rowlift_in_doubt_rows: end?.in_doubt_total ?? past.inDoubt, // a run that could not begin settled none
    rowlift_changed_rows: changed,
    rowlift_known_rejected_rows: known,
    rowlift_new_rejected_rows: invalid + failed - known,
    rowlift_unmet_expectations: end?.unmet.length ?? 0,
    rowlift_omitted_values: sumOf(end?.omitted),
    rowlift_kept_values: sumOf(end?.kept),
    rowlift_incomplete_answers: end?.details.tally.losses.incompleteAnswers ?? 0,
    rowlift_unclear_rows: unclear,
    rowlift_attempts_repeated: retries,
    rowlift_attempts_throttled: throttled,
  }
}

/** An import that could not begin has no rows. */
const rowsOf = ({ end }: ImportPart) => end ?? new RowCounts().fields

/** Another run may just have ended, but a time far in the future, left by a wrong clock, would keep an alert silent. */
const mostAheadS = 60

/** `results` keeps jobs apart, because the collector reads all files of a folder as one; `step` does so within a plan. */
const labelsOf = ({ name, paths: { results }, end }: ImportPart) => ({
  ...(results !== undefined && { results }),
  ...(end?.ledger && { import: end.ledger.import, worker: end.ledger.worker }),
  ...(name !== undefined && { step: name }),
})

/**
 * The end of a command in the text format of Prometheus, without any data of rows or answers; `before` is what the file
 * contained until now, whatever that is.
 */
export function metricsText(command: CommandEnd, before: string): Promise<string> {
  const registry = new Registry()
  const labelNames = ['results', 'step', 'import', 'worker', 'status', 'version']
  const gaugeOf = (name: string, help: string) => new Gauge({ name, help, labelNames, registers: [registry] })
  const values = command.imports.map(part => [labelsOf(part), valuesOf(command, part, before)] as const)
  for (const [name, help] of Object.entries(gauges)) {
    const gauge = gaugeOf(name, help)
    for (const [labels, value] of values) gauge.set(labels, value[name as GaugeName])
  }
  const rows = gaugeOf('rowlift_rows', 'Rows of the last run, by what became of them in it.')
  const info = gaugeOf('rowlift_info', 'The version of rowlift that the last run had.')
  for (const part of command.imports) {
    const { valid, ...counts } = rowsOf(part).row_counts // of dry runs alone
    for (const [status, count] of Object.entries(counts)) rows.set({ ...labelsOf(part), status }, count)
    info.set({ ...labelsOf(part), version: command.version }, 1)
  }
  return registry.metrics()
}

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
    successS: values.get('rowlift_last_success_timestamp_seconds') ?? 0,
    inDoubt: values.get('rowlift_in_doubt_rows') ?? 0,
  }
}
