import type { Estimate, RunEvent } from '../../model/events.ts'
import type { ColumnFacts, LookupFacts } from '../../model/mapping-report.ts'
import { missedLookups, type NextStep } from '../../result/run-result.ts'
import { commandLine, counted, due, oneLine, shellWord, spanOf } from '../text.ts'
import { describeError, describeProblem } from '../words.ts'
import { featureNotices } from './catalogue.ts'
import { holderName } from './run-words.ts'
import { listed, openElsewhere } from './sentence.ts'

/** Sentences about events that a person may want to know. */
export type Notices = {
  readonly [T in RunEvent['type']]?: (event: Omit<Extract<RunEvent, { type: T }>, 'type'>) => string
}

export const news = {
  lock_watched: ({ holder }) =>
    `the result log is held by ${holderName(holder)}; waiting some seconds for its heartbeat`,
  reading_ahead: () => 'rows may name each other here: the sources are read once in advance',
  not_remembered: () =>
    'the results go to standard output: nothing is remembered, and the next run creates these rows again',
  columns_added: ({ columns }) => `new columns since the last run: ${listed(columns, 12)}`,
  other_sources: ({ sources, last }) =>
    `the sources are ${listed(sources)}; the last run read ${listed(last)}`,
  proxied: ({ proxy }) => `calls go through the proxy ${proxy}`,
  estimated: describeEstimate,
  hold: ({ forMs, byService }) =>
    byService
      ? `the service asks to wait ${Math.ceil(forMs / 1000)} s; no call is made until then`
      : `the service asks to slow down without saying for how long; no call is made for ${Math.ceil(forMs / 1000)} s`,
  service_back: ({ forMs }) => `the service is back after ${spanOf(forMs)}; the run goes on`,
  ...featureNotices.news,
} satisfies Notices

export const warnings = {
  open_questions: ({ mapping, questions }) =>
    `${mapping}: ${counted(questions, 'question of its draft is', 'questions of its draft are')} open; a dry run lists them`,
  other_sheet: ({ source, sheet, last }) =>
    `${source}: the sheet "${sheet}" is read; the last run read "${last.join('", "')}"; if that is not meant, name the sheet in the mapping (source: { sheet: NAME })`,
  /** A dry run often comes before the import that writes the log. */
  lookup_assumed: ({ path }) =>
    `${path}: there is no such result log yet; this dry run assumes that every lookup in it succeeds, with ids of zeros`,
  unanswered: ({ path, count, words }) =>
    `${path}: ${counted(count, 'text has', 'texts have')} no answer yet${words.length > 0 ? ': ' : ''}${listed(words, 3)}`,
  made_before: ({ rows: count, mapping, log, run = 'ID' }) =>
    `${counted(count, 'row was', 'rows were')} made by an earlier version of ${mapping}, and ${count === 1 ? 'is' : 'are'} left alone; to make them again, delete their records, then: ${commandLine(['log', log, '--forget', '--run', run])}`,
  token_shared: ({ path }) =>
    `${path}: other users can read this token; allow its owner only: chmod 600 ${shellWord(path)}`,
  log_shared: ({ path }) =>
    `${path}: other users may write to this log, and it says which rows are sent; make it your own: chown "$USER" ${shellWord(path)} && chmod 600 ${shellWord(path)}`,
  token_command_said: ({ program, line }) => `${program}: ${line}`,
  token_not_renewed: ({ error }) => describeError(error),
  orphaned_calls: ({ calls }) =>
    `an earlier run was killed while ${counted(calls, 'call was', 'calls were')} under way; their rows are in doubt`,
  service_down: ({ last, until }) =>
    `the service is down (${describeProblem(last)}); the run waits for it, until ${until.toISOString()} at the latest`,
  ...featureNotices.warnings,
} satisfies Notices

/** Returns the notice at the first signal; `endedAtOnce` is for the second. */
export const stopping = (signal: string) =>
  `${signal}: no new call is made; waiting for those in flight, another signal ends the run at once`
export const endedAtOnce =
  'ended at once; rows whose calls were under way are in doubt: the next run of the same command says which'

export function unwritten(role: string, path: string, reason: string): string {
  const why =
    reason === 'EBUSY' ? `: it is ${openElsewhere}` : ` (${reason}); free some space or grant write access`
  return `${path}: the ${role} could not be written${why}. The result log is not affected.`
}

export const pageWritten = (path: string): string => `the page is ${path}`

/** The reason why there is no page, and the command that writes it later from the logs. */
export function pageNotWritten(error: unknown, logs: readonly string[]): string {
  const later = logs.length === 0 ? '' : `. To make it later: ${commandLine(['report', ...logs])}`
  return `no page was written: ${describeError(error)}${later}`
}

/** What is left to do after rows were sent again after an unclear answer; `log`: the words that name their log. */
export const lookForSpares = (...log: readonly string[]): NextStep => ({
  advice: 'Look for spare records in an export of the service',
  args: ['verify', ...log, '--against', 'EXPORT', '--id', 'COLUMN', '--match', 'COLUMN=PATH'],
})

/** Sentences about the lookups that found nothing, as those by a wrong key do. */
export const missedTexts = (columns: Pick<ColumnFacts, 'lookups'>, showsCells: boolean): string[] =>
  missedLookups(columns).map(each => missedText(each, showsCells))

function missedText({ name, values, table, column, missed, key }: LookupFacts, showsCells: boolean): string {
  const where = [...due(column && `the column ${column}`), ...due(table)].join(' of ')
  const cells =
    showsCells && missed && key ? `: "${oneLine(missed)}" was looked for, and "${oneLine(key)}" is there` : ''
  return `The lookup ${name} found none of ${counted(values, 'value')}${where && ` in ${where}`}${cells}. Correct key: of the lookup, or the column that is looked up.`
}

/** Milliseconds for a call, if no earlier run has made any. */
const assumed = [200, 1_000] as const

/** The duration of the calls, in milliseconds. */
const msOf = ({ calls, concurrency, rate = Infinity }: Estimate, callMs: number) =>
  Math.max(Math.ceil(calls / concurrency) * callMs, (calls * 1000) / rate)

/** The duration by the mean of earlier calls, or by the shorter of two assumptions. */
export const estimatedSeconds = (estimate: Estimate): number =>
  Math.ceil(msOf(estimate, estimate.callMs ?? assumed[0]) / 1000)

/** The duration of calls, such as `1,204 calls: about 40 s at 330 ms a call (as the last ones took), 10 at a time`. */
export function describeEstimate(estimate: Estimate): string {
  const { calls, extent, callMs, concurrency, rate } = estimate
  const what = { exact: '', most: 'up to about ', each: 'each ' }[extent] + counted(calls, 'call')
  const spans = (callMs === undefined ? assumed : [callMs]).map(
    ms => `${roughly(msOf(estimate, ms))} at ${callSpan(ms)} a call`,
  )
  return [
    `${what}: about ${spans.join(', ')}${callMs === undefined ? '' : ' (as the last ones took)'}`,
    `${concurrency} at a time`,
    ...(rate === undefined ? [] : [`at most ${rate} a second`]),
  ].join(', ')
}

const callSpan = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`)

/** Whole seconds up to two minutes, then whole minutes. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120 ? `${seconds} s` : spanOf(Math.round(seconds / 60) * 60_000).replace(/ 0 (s|min)$/, '')
}
