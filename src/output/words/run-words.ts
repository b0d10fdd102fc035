import type { LockOwner } from '../../model/lock-owner.ts'
import { spanOf, visible } from '../text.ts'
import { type Coded, heldFile, type Words } from './sentence.ts'

/** Reasons why a result log or another file cannot be written. */
export const logWords = {
  cannot_write: '{path}: cannot be written ({reason}) → free some space or grant write access, then {$again}',
  cannot_read: '{path}: cannot be read any more ({reason}) → look after its disk, then {$again}',
  stdout_keeps_nothing: `standard output is closed or /dev/null, so no outcome would be kept; nothing was sent
    → open it, or give {--results} a file`,
  too_few_open_files: `this process may not open enough files at a time; nothing was sent
    → allow {#more} more (ulimit -n), or give a lower {--concurrency}`,
  rejects_moved: `{path}: was removed, renamed or cut short while the run was writing it, perhaps by another run with the same {--rejects} file
    → {$again}: it writes all rejected rows anew`,
  log_moved: `{path}: was removed, renamed or cut short, or got a second name (a hard link), while the run was writing it
    → put it back as it was, because it tells which rows were sent, then {$again}`,
} as const satisfies Words

export const lockWords = {
  log_locked: (p: { log: string; holder: LockOwner | undefined }) => [
    `{log}: another run holds this result log ({holder})
    → wait until it has ended, or stop it, then {$again}`,
    { holder: holderName(p.holder) },
  ],
  lock_lost: `this run no longer holds {log}: another run took over its stale lock (was the machine asleep, or its disk stuck?), or {log}.lock was removed
    → {$again}: it goes on, or names the run that holds the log`,
} as const satisfies Words

/** Names the holder of a lock; one that has just begun may not have written its name yet. */
export const holderName = (holder: LockOwner | undefined): string =>
  holder === undefined
    ? 'a run that has just begun'
    : visible(`pid ${holder.pid} on ${holder.host}, since ${holder.since}`)

export const stopWords = {
  unauthorized: refusedAll,
  /** `waitedMs` is the time for which the run waited for the service, if it is to wait. */
  not_answering: (p: { inARow: number; last: Coded | undefined; waitedMs?: number }) => {
    const calls = p.waitedMs === undefined ? 'calls in a row failed' : 'attempts failed in {span} of waiting'
    return [
      `the service is not answering: {inARow} ${calls} (${p.last ? '{last}' : 'no reason given'})
      → {$again} when it is back`,
      { span: spanOf(p.waitedMs ?? 0) },
    ]
  },
  asked_to_wait: (_: { until: Date }) => 'the service asks to wait until {until} → {$again} after that',
  throttled: `the service asks to slow down, and has accepted no call for {#minutes} minutes
    → {$again} later`,
  too_many_failures: `{#failures} rows are invalid, failed or in doubt, more than {--max-failures} {allowed} allows
    → look at the result log, then {$again}`,
  log: (p: { problem: Coded }) => p.problem,
  lock: (p: { problem: Coded }) => p.problem,
  source: (p: { problem: Coded }) =>
    p.problem.code === 'source_changed' || heldFile(p.problem.params)
      ? p.problem
      : '{problem} → fix the source, then {$again}',
  signal: (_: { signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }) => 'interrupted by {signal} → {$again} to go on',
  /** The program aborted the signal, or left the loop over outcomes. */
  aborted: (p: { by: 'signal' | 'loop' }) =>
    `${p.by === 'signal' ? 'ended by the abort signal' : 'the loop over its outcomes was left'} → {$again} to go on`,
  reader_gone: 'standard output was closed',
  defect: (_: { error: unknown }) => 'a defect in rowlift: {error}',
} as const satisfies Words

type Refusal = { readonly httpStatus: number; readonly location?: string; readonly byRule?: true }

function refusedAll({ httpStatus: status, location, byRule }: Refusal): string {
  const words = (what: string, fix: string) =>
    `the service ${what}, so nothing else was sent → ${fix}, then {$again}`
  const give = 'in {$token}, {--token-file} or {--token-command}'
  if (byRule)
    return words(
      'answered {httpStatus}, which a rule of the settings file (responses:) treats as unauthorized',
      `give a valid token ${give}, check that it may create records in {--organization-id}, or fix the rule`,
    )
  if (status === 401) return words('refuses the token (401)', `give a valid one ${give}`)
  if (status === 403)
    return words('forbids the call (403)', 'check that the token may create records in {--organization-id}')
  const place = location === undefined ? 'another address' : '{location}'
  if (status >= 300 && status < 400)
    return words(`redirects to ${place} ({httpStatus})`, 'give the final address as {--base-url}')
  return words(
    'does not know this address ({httpStatus})',
    'check {--base-url}, {--api-version} and {--organization-id}',
  )
}

/** Expectations that a run does not meet. */
export const unmetWords = {
  too_few_rows: `the sources have {#actual|row}, at least {#expected} are expected ({--expect-rows-min})
    → check the export, and where of the mapping; if it is right, give {--accept-fewer} for one run`,
  fewer_rows_than_last: `the sources have {#actual|row}, the last run that met its expectations had {#last}, and at least {#expected} are expected ({--expect-rows-of-last})
    → check the export; if it is right, give {--accept-fewer} for one run; if each file holds only what is new, write expect: { rows: { of_last: 0% } } into the mapping`,
  too_many_merged: `{#actual|row} got the record of another row and left no values in the service; allowed are {expected} ({--expect-merged})
    → check the pairs: different contacts need an import without {--use-created}, or more fields in {--match}`,
  too_many_conflicts: `conflicts: {#actual|row} with the key of another row and other contents; allowed are {expected} ({--expect-conflicts})
    → correct the keys, or take one of each pair out`,
  too_many_unclear: `sent again after an unclear answer: {#actual|row}, whose records may be there twice; allowed are {expected} ({--expect-unclear})
    → look for the spare records in an export of the service, and delete them there`,
  too_many_changed: `changed: {#actual|row} with a record would be sent otherwise now; allowed are {expected} ({--expect-changed})
    → look through them ({--changes} FILE lists them), and change their records by hand`,
  too_many_omitted: `{#actual} of {#values} values of {column} are left out; allowed are {expected} ({--expect-omitted})
    → check the map or the lookup of this column`,
  too_many_kept: `{#actual} of {#values} values of {column} are sent as they are; allowed are {expected} ({--expect-kept})
    → put them into the map of this column, or check its type`,
  too_many_invalid: (p: { expected: string; actual: number }) =>
    `{#actual|row} ${p.actual === 1 ? 'is' : 'are'} invalid; allowed are {expected} ({--expect-invalid})`,
  incomplete_answers: `{#actual} answers lack fields that were sent, such as {path} ({--expect-answers})
    → check in the service whether it kept these values`,
} as const satisfies Words
