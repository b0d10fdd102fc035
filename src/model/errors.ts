import { type Holder, holderName } from './holder.ts'

/** One thing wrong with a file that a person wrote, and where it stands in it. */
export interface FileFault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Usage, settings, mapping or source could not be used, and nothing was sent: exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  /** Tells every fault of a file on a line of its own, in the order of the file. */
  static of(faults: readonly FileFault[]): UsageError {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
    return new UsageError(sorted.map(at => `${at.file}:${at.line}:${at.column}: ${at.message}`).join('\n'))
  }
}

/** A source broke off or could not be read: exit 2 before the first call, else 3. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** The result log could not be written: exit 3. */
export class LogError extends Error {
  override readonly name = 'LogError'
}

/** Every word about a result log or preview that cannot be written. */
export const logErrors = {
  cannotWrite: (path: string, cause: unknown) =>
    cause instanceof LogError || cause instanceof LockError
      ? cause
      : new LogError(
          `${path}: cannot be written (${reasonOf(cause)}). Make room or give the right to write there, then run the same command again.`,
        ),
  unfinishedGone: (path: string) =>
    new LogError(
      `${path}: was removed, renamed or cut short while the run was writing it; does another run write the same --rejects file? Run the same command again, it writes all rejected rows anew.`,
    ),
  gone: (path: string) =>
    new LogError(
      `${path}: was removed, renamed or cut short while the run was writing it. Put it back as it was, for it tells which rows were sent, then run the same command again.`,
    ),
}

/** What a person reads when a file could not be written at the end of a run. */
export const unwritten = (role: string, path: string, cause: unknown) =>
  `${path}: the ${role} could not be written (${reasonOf(cause)}); make room or give the right to write there. The result log is not touched by that.`

const reasonOf = (cause: unknown) =>
  (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause))

/** Another run holds the result log: exit 4. */
export class LockError extends Error {
  override readonly name = 'LockError'
}

/** Every word about a result log that another run holds. */
export const lockErrors = {
  watched: (holder: Holder | undefined) =>
    `the result log is held by ${holderName(holder)}; watching for some seconds whether that run is alive`,
  held: (log: string, holder: Holder | undefined) =>
    new LockError(
      `${log}: another run holds this result log (${holderName(holder)}); wait until it has ended, or stop it, then run the same command again`,
    ),
  lost: (log: string) =>
    new LockError(
      `this run holds ${log} no longer: another one took it over while this one showed no sign of life (was the machine asleep, or its disk stuck?), or ${log}.lock was removed. Run the same command again, it goes on or names the run that holds it`,
    ),
}

const at = (source: string, line: number) => `${source}:${line}`

/** Every word about a source that cannot be read on. */
export const sourceErrors = {
  unreadable: (source: string, reason: string) => new SourceError(`${source}: cannot be read (${reason})`),
  brokenGzip: (source: string, reason: string) =>
    new SourceError(`${source}: the gzip file is damaged or cut short (${reason}); fetch it again`),
  badBytes: (source: string, line: number, encoding: string) =>
    new SourceError(
      `${at(source, line)}: this line holds bytes that are not ${encoding}; say the encoding of the file with --encoding, for example --encoding windows-1252`,
    ),
  tooLong: (source: string, line: number, megabytes: number) =>
    new SourceError(
      `${at(source, line)}: the row that starts here is longer than ${megabytes} MB; look for a quote that is never closed`,
    ),
  openQuote: (source: string, line: number) =>
    new SourceError(`${at(source, line)}: the row that starts here has a quote that is never closed`),
  notCsv: (source: string, line: number, reason: string) =>
    new SourceError(`${at(source, line)}: the row that starts here is not CSV (${reason})`),
  noHeader: (source: string) =>
    new SourceError(`${source}: is empty; a CSV file needs a header line, or header.columns in the mapping`),
  headerNotFound: (source: string, wanted: string, seen: readonly string[]) =>
    new SourceError(
      `${source}: no line starts with the cell "${wanted}" (header.starts_with); the first cells are ${seen
        .map(cell => `"${cell}"`)
        .join(', ')}`,
    ),
  headerChanged: (source: string) =>
    new SourceError(
      `${source}: its header is not what it was when the run began; start again when the file is at rest`,
    ),
}

/** Why a run ends before its last row. */
export type StopReason =
  | {
      readonly is: 'unauthorized'
      readonly httpStatus: number
      readonly location?: string
      /** A rule of the settings file says so. */
      readonly byRule?: true
    }
  | { readonly is: 'not_answering'; readonly inARow: number; readonly last: string }
  | { readonly is: 'asked_to_wait'; readonly until: Date }
  | { readonly is: 'throttled'; readonly forMs: number }
  | { readonly is: 'too_many_failures'; readonly failures: number; readonly allowed: string }
  | { readonly is: 'log'; readonly message: string }
  | { readonly is: 'lock'; readonly message: string }
  | { readonly is: 'source'; readonly message: string }
  | { readonly is: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }
  /** The program that runs the import as a library said so: by its abort signal, or by leaving the loop over outcomes. */
  | { readonly is: 'aborted'; readonly by: 'signal' | 'loop' }
  /** Nobody reads any more what a dry run writes to standard output. */
  | { readonly is: 'reader_gone' }
  | { readonly is: 'defect'; readonly error: unknown }

/** Says why a run stopped and what to do next. */
export function describeStop(reason: StopReason): string {
  switch (reason.is) {
    case 'unauthorized':
      return `${refusedAll(reason)} Nothing else was sent; mend it and run the same command again.`
    case 'not_answering':
      return `the service is not answering: ${reason.inARow} calls in a row came to nothing (${reason.last}). Run the same command again when it is back.`
    case 'asked_to_wait':
      return `the service asks to wait until ${reason.until.toISOString()}. Run the same command again after that.`
    case 'throttled':
      return `the service asks to slow down, and has taken no call for ${Math.round(reason.forMs / 60_000)} minutes. Run the same command again later.`
    case 'too_many_failures':
      return `${reason.failures} rows are invalid, failed or in doubt, more than --max-failures ${reason.allowed} allows. Look at the result log, then run the same command again.`
    case 'log':
      return reason.message
    case 'lock':
      return `${reason.message}.`
    case 'source':
      return `${reason.message}. The rows that were read before it are in the result log; mend the source and run the same command again.`
    case 'signal':
      return `interrupted by ${reason.signal}. Run the same command again to go on.`
    case 'aborted':
      return `${reason.by === 'signal' ? 'the abort signal ended it' : 'the loop over its outcomes was left'}. Run the same command again to go on.`
    case 'reader_gone':
      return 'nobody reads standard output any more.'
    case 'defect':
      return `a defect in rowlift: ${reason.error instanceof Error ? reason.error.stack : String(reason.error)}`
  }
}

/** Rows that name each other are read twice. */
export const readingAhead = 'rows may name each other here: the sources are read once in advance'

/** A dry run comes before the import whose result log it would look ids up in. */
export const lookupAssumed = (path: string): string =>
  `${path}: there is no such result log yet; this dry run takes whatever is looked up there for found, and the ids are zeros`

/** What a person reads where calls do not go straight to the service. */
export const proxied = (proxy: string): string => `calls go through the proxy ${proxy}`

/** What a person reads when a run that was killed left calls in the air. */
export const abandoned = (calls: number) =>
  `an earlier run was ended while ${calls === 1 ? '1 call was' : `${calls} calls were`} under way; their rows are in doubt`

/** What a person reads when the service asks to slow down. */
export const waiting = (ms: number, asked: boolean): string =>
  asked
    ? `the service asks to wait ${Math.ceil(ms / 1000)} s; no call is made until then`
    : `the service asks to slow down and does not say for how long; no call is made for ${Math.ceil(ms / 1000)} s`

/** What a person reads at the first signal, and at the second. */
export const stopping = (signal: string) =>
  `${signal}: no new call is made; waiting for those in flight, another signal ends the run at once`
export const endedAtOnce =
  'ended at once; rows whose calls were under way are in doubt: the next run of the same command tells which'

function refusedAll({ httpStatus, location, byRule }: Extract<StopReason, { is: 'unauthorized' }>): string {
  if (byRule)
    return `a rule of the settings file (responses:) takes an answer of the service (${httpStatus}) for a refusal of the token or of access: give a valid token in ROWLIFT_TOKEN or --token-file, check that it may create records in --organization-id, or mend the rule.`
  if (httpStatus === 401)
    return 'the service refuses the token (401): give a valid one in ROWLIFT_TOKEN or --token-file.'
  if (httpStatus === 403)
    return 'the service forbids the call (403): check that the token may create records in --organization-id.'
  if (httpStatus >= 300 && httpStatus < 400)
    return `the service redirects to ${location ?? 'another address'} (${httpStatus}): give the final address as --base-url.`
  return `the service does not know this address (${httpStatus}): check --base-url, --api-version and --organization-id.`
}
