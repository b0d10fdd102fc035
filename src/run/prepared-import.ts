import type { RowMapping } from '../engine/triage.ts'
import type { CheckedSource } from '../input/open.ts'
import type { Lookup, SearchedTable } from '../mapping/lookups/lookup.ts'
import type { LookupTable } from '../mapping/lookups/table.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { TableSpec } from '../mapping/schema.ts'
import type { ApprovalDifference } from '../model/errors.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ColumnHistory, PlannedCall, Row, RowIdentity, RowPlace } from '../model/row.ts'
import type { Stop } from '../model/stop.ts'
import type { JsonObject } from '../model/values.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import type { DryRunPart, Markup } from '../result/facts.ts'
import type { NearRows, RunResult } from '../result/run-result.ts'
import type { Tally } from '../result/tally.ts'
import type { ImportSettings } from '../settings/settings.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import type { Lock } from '../store/files/lock.ts'
import type { Log } from '../store/files/whole-lines.ts'
import type { ImportPorts } from './ports.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** An import that passed every check that needs no lock. It holds nothing open but its standard input. */
export interface PreparedImport {
  readonly settings: ImportSettings
  readonly options: ResolvedOptions
  readonly mapping: Mapping
  readonly sources: readonly CheckedSource[]
  readonly lookupFiles: readonly string[]
  /** Reads the records of the steps that are looked up; called once these have ended. */
  readonly readSteps: () => Promise<void>
  /** Undefined if a source is a pipe, or workers share the bytes. */
  readonly totalBytes: number | undefined
  readonly tally: Tally
  /** Compares rows with earlier ones; `markup` is for the page of a dry run, `groups` has all rows. */
  readonly comparison?: Pick<RowMapping, 'compare'> &
    Readonly<{
      result: () => NearRows
      markup: () => Markup | undefined
      groups: () => Iterable<readonly RowPlace[]>
    }>
  /** Takes the rows of a dry run for its page; `markup` is called once, at the end. */
  readonly profile?: OutcomeSink & {
    readonly markup: (leftOut: number) => Pick<DryRunPart, 'samples' | 'columns'>
  }
  /** Tells what is odd in the first rows; returns what an opening line keeps of it. */
  readonly inspect?: (rows: readonly Row[], before: Opening | undefined) => Promise<Pick<Opening, 'shapes'>>
  /** Lists the rows that changed: begun before the first call; `result` is called at the end, and has no file if rows are missing. */
  readonly changes?: {
    readonly open: () => Promise<OutcomeSink & AsyncDisposable>
    readonly result: () => { readonly file: string | undefined; readonly page: Markup | undefined }
  }
  /** An export of the service, and what it says of a row: the end of one that needs no call. */
  readonly existing?: {
    readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string }
    readonly find: (call: PlannedCall, claimRecord: Checkpoint['claimRecord']) => Outcome | undefined
  }
  /** A row of which another source has a correction is no rejected one. */
  readonly isCorrected?: (outcome: Outcome, row: Row) => boolean
  readonly stop: Stop
  readonly ports: ImportPorts
  readonly approval?: Approval
  /** Undefined if the service is not known, or there is no file. */
  readonly otherLogs?: OtherLogs
  /** Undefined if the rows are needed in any case. */
  readonly finished?: Finished
  /** Set for a step of a plan. */
  readonly isStep: boolean
  /** Undefined if there is a result log. A dry run needs the log alone. */
  readonly store?: (Pick<SharedStore, 'withLog'> & Partial<SharedStore>) | undefined
}

/** The first rows that the log does not know, of all that are imported, and what an opening line keeps of them. */
export interface CheckedRows {
  readonly count: number
  readonly unknown: number
  /** Names the unknown rows by the columns of another log. */
  readonly namedBy: (history: ColumnHistory) => readonly RowIdentity[]
  readonly opening: Pick<Opening, 'columns' | 'columns_read' | 'renamed' | 'first_rows' | 'accepted_rows'>
}

/** The logs of other places, which may have the records of an import. */
export interface OtherLogs {
  /** Looks there for rows that the own log does not know, and then begins the run, as one step. Throws a UsageError. */
  claim<T>(
    now: { readonly runId: string; readonly checkpoint: Checkpoint; readonly first: CheckedRows },
    begin: (opening: Partial<Opening>) => Promise<T>,
  ): Promise<T>
  /** Notes how far the own log is, after the run. */
  noteEnd(): Promise<void>
  /** Checks whether `claim` compares the log with a copy beside it. */
  hasCopies?(log: string): Promise<boolean>
}

/** A note beside the log of an import in which nothing is left to do, so that its rows need not be read again. It is never needed. */
export interface Finished {
  /** What this run finds and comes to, if all is as it was noted. Called under the lock. */
  recall(): Promise<
    { readonly checkpoint: Checkpoint; readonly startedMs: number; readonly count: () => void } | undefined
  >
  /** Notes the end of a run that closed its log, if the same again would do nothing. */
  note(run: { runId: string; checkpoint: Checkpoint; lock: Lock | undefined }): Promise<void>
}

export type StorePlace = Partial<Pick<ImportSettings, 'ledger' | 'import'>>

/** A store that several workers share, in the place of a result log. */
export interface SharedStore {
  /** Throws a UsageError if the store cannot keep such an import. */
  check(prepared: PreparedImport): void
  /** Takes part in an import until its run has ended, or this worker stops. Throws the errors of `run`. */
  work(prepared: PreparedImport, ports: RunPorts): Promise<RunResult>
  /** Reads how far an import is now, in one view. Throws a UsageError or a LogError. */
  withPosition<T>(prepared: PreparedImport, read: (position: StorePosition) => Promise<T>): Promise<T>
  /** The other imports of the store, where a dry run looks as its run would. */
  otherLogs(prepared: PreparedImport): OtherLogs
  /** Reads the log of an import; returns undefined if there is none. Throws a UsageError or a LogError. */
  withLog<T>(place: StorePlace, info: ProcessInfo, read: (log: Log) => Promise<T>): Promise<T | undefined>
}

export type PositionFacts = JsonObject & { readonly run?: string }

/** How far an import of a store is, as an approval keeps and compares it. */
export interface StorePosition {
  /** Counts what is equal as long as no run, no row and no call of the import is another one; `run` is the last run. */
  readonly facts: () => Promise<PositionFacts>
  /** All runs, with the hashes of the approvals that they began with. */
  readonly runs: readonly Pick<Opening, 'run' | 'approval'>[]
  /** The last run has not ended. */
  readonly isOpen: boolean
}

/** The part of an approval in a run. */
export interface Approval {
  /** The hash of its file; undefined in a dry run. */
  readonly sha256: string | undefined
  /**
   * Compares the approval with the files of now; a dry run has no differences. `begun` is the position at which a run begins in a store:
   * without it an open run is not compared, because who joins it needs the same approval.
   */
  readonly differences: (begun?: StorePosition) => Promise<readonly ApprovalDifference[]>
  /** The calls of earlier runs with it: its limit is for all of them. */
  readonly sentBefore: () => number
  /** Notes a call that a dry run would send. */
  readonly noteCall: (call: PlannedCall) => void
  /** The content that a dry run writes at its end. */
  readonly contentAt: (tally: Tally) => { readonly imports: readonly object[] }
}

/** Takes outcomes after the result log has them, and before they count. */
export interface OutcomeSink {
  /** The run waits for the promise, so that a slow sink is not flooded. */
  readonly keep: (outcome: Outcome, row: Row) => Promise<void> | undefined
  close(): Promise<void>
}

export interface RunPorts {
  /** Sinks that take every outcome once the result log has it. */
  readonly sinks?: readonly OutcomeSink[]
  /** Called before the first row is taken; returns the function to call after the last one. */
  readonly onStart?: () => () => void
  /** Imports of the steps that come later in a plan, with a ledger. */
  readonly later?: readonly string[]
}

/** The lookups of a plan in the records of its steps. */
export interface StepLookups {
  /** The name of the step that has a result log. */
  withLog(path: string): Promise<string | undefined>
  /** The known records of a step. Throws a UsageError. */
  lookup(step: string, lookup: string, service: OfService): Promise<Lookup>
}

/** The ids must be of this service, as far as it is known. */
export type OfService = Pick<ResolvedOptions, 'baseUrl' | 'organizationId'>

export type LookingUp = Pick<
  PreparedImport,
  'mapping' | 'settings' | 'options' | 'sources' | 'stop' | 'ports'
>
/** Reads a table for a lookup. Throws a UsageError or a SourceError. */
export type OpenTable = (
  path: string,
  lookup: string,
  spec: TableSpec,
  prepared: LookingUp,
) => Promise<LookupTable & SearchedTable>
/** Makes what opens also tables that a person filled in; `features.ts` fills it in. */
export const featureTables = {} as { filledIn(open: OpenTable): Promise<OpenTable> }
