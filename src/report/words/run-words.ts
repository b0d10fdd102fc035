import type { LockProblems, LogProblems, StopReasons } from '../../model/errors.ts'
import type { UnmetExpectations } from '../../model/expectations.ts'
import type { LockOwner } from '../../model/lock-owner.ts'
import type { Problem } from '../../model/problem.ts'
import { counted, shellWord, spanOf, visible } from '../text.ts'
import { describeProblem } from './row-words.ts'
import {
  Blank,
  type Catalogue,
  type Coded,
  type Face,
  partsOf,
  type Sentence,
  sentenceOf,
} from './sentence.ts'
import { sourceWords } from './source-words.ts'

/** Sentences about a result log or another file that cannot be written. */
export const logWords: Catalogue<LogProblems> = {
  cannot_write: ({ path, reason }, { again }) => [
    `${path}: cannot be written (${reason})`,
    `free some space or grant write access, then ${again}`,
  ],
  too_few_open_files: ({ more }, { option }) => [
    `this process may not open enough files at a time; nothing was sent`,
    `allow ${more} more (ulimit -n), or give a lower ${option('concurrency')}`,
  ],
  stdout_keeps_nothing: (_, { option }) => [
    'standard output is closed or /dev/null, so no outcome would be kept; nothing was sent',
    `open it, or give ${option('results')} a file`,
  ],
  rejects_moved: ({ path }, { option, again }) => [
    `${path}: was removed, renamed or cut short while the run was writing it, perhaps by another run with the same ${option('rejects')} file`,
    `${again}: it writes all rejected rows anew`,
  ],
  log_moved: ({ path }, { again }) => [
    `${path}: was removed, renamed or cut short, or got a second name (a hard link), while the run was writing it`,
    `put it back as it was, because it tells which rows were sent, then ${again}`,
  ],
  ledger_away: ({ ledger, reason }, { again }) => [
    `${ledger}: the database does not answer (${reason})`,
    `start it, then ${again} in this folder, where a *.spool file may have outcomes that the ledger lacks`,
  ],
}

/** Sentences about the lock of a result log. */
export const lockWords: Catalogue<LockProblems> = {
  log_locked: ({ log, holder }, { again }) => [
    `${log}: another run holds this result log (${holderName(holder)})`,
    `wait until it has ended, or stop it, then ${again}`,
  ],
  lock_lost: ({ log }, { again }) => [
    `this run no longer holds ${log}: another run took over its stale lock (was the machine asleep, or its disk stuck?), or ${log}.lock was removed`,
    `${again}: it goes on, or names the run that holds the log`,
  ],
  ledger_busy: ({ ledger, import: name, worker }, { again }) => [
    `${ledger}: the worker ${worker} still works on the last run of the import ${name}`,
    `stop all its workers, then ${again}`,
  ],
  ledger_run_over: ({ ledger, import: name }, { again }) => [
    `${ledger}: the run of the import ${name} is no longer there: another worker began a new one, or the import was dropped`,
    `${again} to take part in the new one`,
  ],
}

/** Names the holder of a lock; one that has just begun may not have written its name yet. */
export const holderName = (holder: LockOwner | undefined): string =>
  holder === undefined
    ? 'a run that has just begun'
    : visible(`pid ${holder.pid} on ${holder.host}, since ${holder.since}`)

export const stopWords: Catalogue<StopReasons> = {
  unauthorized: refusedAll,
  not_answering: ({ inARow, last, waitedMs }, face) => [
    `the service is not answering: ${inARow} ${typeof waitedMs !== 'number' ? 'calls in a row failed' : `attempts failed in ${spanOf(waitedMs)} of waiting`} (${last === undefined ? 'no reason given' : describeProblem(last, face)})`,
    `${face.again} when it is back`,
  ],
  asked_to_wait: ({ until }, { again }) => [
    `the service asks to wait until ${until.toISOString()}`,
    `${again} after that`,
  ],
  throttled: ({ minutes }, { again }) => [
    `the service asks to slow down, and has accepted no call for ${minutes} minutes`,
    `${again} later`,
  ],
  too_many_failures: ({ failures, allowed }, { option, again }) => [
    `${failures} rows are invalid, failed or in doubt, more than ${option('max-failures')} ${allowed} allows`,
    `look at the result log, then ${again}`,
  ],
  log: ({ problem }, face) => nested(logWords, problem, face),
  lock: ({ problem }, face) => nested(lockWords, problem, face),
  source: ({ problem }, face) =>
    problem.code === 'source_changed'
      ? nested(sourceWords, problem, face)
      : [sentenceOf(sourceWords, problem, face), `fix the source, then ${face.again}`],
  signal: ({ signal }, { again }) => [`interrupted by ${signal}`, `${again} to go on`],
  aborted: ({ by }, { again }) => [
    by === 'signal' ? 'ended by the abort signal' : 'the loop over its outcomes was left',
    `${again} to go on`,
  ],
  reader_gone: () => 'standard output was closed',
  defect: ({ error }) =>
    `a defect in rowlift: ${error instanceof Error ? error.stack?.replace(error.message, visible) : visible(String(error))}`,
}

/** What a run does not find as it is expected. */
export const unmetWords: Catalogue<UnmetExpectations> = {
  too_few_rows: ({ expected, actual }, { option }) => [
    `the sources have ${rowsIn(actual)}, at least ${expected} are expected (${option('expect-rows-min')})`,
    'check the export, and where of the mapping',
  ],
  fewer_rows_than_last: ({ expected, actual, last }, { option }) => [
    `the sources have ${rowsIn(actual)}, the last run had ${last}, and at least ${expected} of that are expected (${option('expect-rows-of-last')})`,
    'check the export',
  ],
  too_many_merged: ({ expected, actual }, { option }) => [
    `${rowsIn(actual)} got the record of another row and left no values in the service; allowed are ${expected} (${option('expect-merged')})`,
    `check the pairs: different contacts need an import without ${option('use-created')}`,
  ],
  too_many_omitted: ({ expected, actual, column, values }, { option }) => [
    `${actual} of ${values} values of ${column} are left out; allowed are ${expected} (${option('expect-omitted')})`,
    'check the map or the lookup of this column',
  ],
  too_many_invalid: ({ expected, actual }, { option }) =>
    `${rowsIn(actual)} ${actual === 1 ? 'is' : 'are'} invalid; allowed are ${expected} (${option('expect-invalid')})`,
  incomplete_answers: ({ actual, path }, { option }) => [
    `${actual} answers lack fields that were sent, such as ${path} (${option('expect-answers')})`,
    'check in the service whether it kept these values',
  ],
}

const rowsIn = (count: number) => (count === 1 ? '1 row' : `${count} rows`)

function refusedAll(
  { httpStatus, location, byRule }: StopReasons['unauthorized'],
  { option, token, again }: Face,
): Sentence {
  const tokenFrom = `${token}, ${option('token-file')} or ${option('token-command')}`
  const say = (what: string, fix: string): Sentence => [
    `the service ${what}, so nothing else was sent`,
    `${fix}, then ${again}`,
  ]
  if (byRule)
    return say(
      `answered ${httpStatus}, which a rule of the settings file (responses:) treats as unauthorized`,
      `give a valid token in ${tokenFrom}, check that it may create records in ${option('organization-id')}, or fix the rule`,
    )
  if (httpStatus === 401) return say('refuses the token (401)', `give a valid one in ${tokenFrom}`)
  if (httpStatus === 403)
    return say(
      'forbids the call (403)',
      `check that the token may create records in ${option('organization-id')}`,
    )
  if (httpStatus >= 300 && httpStatus < 400)
    return say(
      `redirects to ${location ?? 'another address'} (${httpStatus})`,
      `give the final address as ${option('base-url')}`,
    )
  const parts = ['base-url', 'api-version', 'organization-id'].map(option)
  return say(
    `does not know this address (${httpStatus})`,
    `check ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
  )
}

const nested = <P>(words: Catalogue<P>, problem: Coded, face: Face): Sentence =>
  problem instanceof Blank ? `${problem}` : (partsOf(words, problem, face) as Sentence)

/** Rows that name each other are read twice. */
export const readingAhead = 'rows may name each other here: the sources are read once in advance'

/** A dry run often comes before the import whose result log it looks ids up in. */
export const lookupAssumed = (path: string): string =>
  `${path}: there is no such result log yet; this dry run assumes that every lookup in it succeeds, with ids of zeros`

export const tokenShared = (path: string): string =>
  `${path}: other users can read this token; allow its owner only: chmod 600 ${shellWord(path)}`

export const proxied = (proxy: string): string => `calls go through the proxy ${proxy}`

export const abandoned = (calls: number) =>
  `an earlier run was killed while ${counted(calls, 'call was', 'calls were')} under way; their rows are in doubt`

export const watchingLock = (holder: LockOwner | undefined) =>
  `the result log is held by ${holderName(holder)}; waiting some seconds for its heartbeat`

export const waiting = (ms: number, asked: boolean): string =>
  asked
    ? `the service asks to wait ${Math.ceil(ms / 1000)} s; no call is made until then`
    : `the service asks to slow down without saying for how long; no call is made for ${Math.ceil(ms / 1000)} s`

export const serviceDown = (last: Problem, until: Date): string =>
  `the service is down (${describeProblem(last)}); the run waits for it, until ${until.toISOString()} at the latest`

export const serviceBack = (forMs: number): string =>
  `the service is back after ${spanOf(forMs)}; the run goes on`

export const ledgerAway = (ledger: string, reason: string): string =>
  `${ledger}: the database does not answer (${reason}); no call starts until it does`

export const ledgerBack = (ledger: string, forMs: number): string =>
  `${ledger}: the database is back after ${spanOf(forMs)}; the run goes on`

/** At the first signal; `endedAtOnce` at the second. */
export const stopping = (signal: string) =>
  `${signal}: no new call is made; waiting for those in flight, another signal ends the run at once`
export const endedAtOnce =
  'ended at once; rows whose calls were under way are in doubt: the next run of the same command says which'

export const unwritten = (role: string, path: string, reason: string) =>
  `${path}: the ${role} could not be written (${reason}); free some space or grant write access. The result log is not affected.`
