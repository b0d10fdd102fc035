import type { Estimate } from '../model/events.ts'
import type { Unmet } from '../model/expectations.ts'
import type { ColumnFacts, OpenQuestion } from '../model/mapping-report.ts'
import type { RunFields } from './summary-schema.ts'
import type { Tally } from './tally.ts'

/** The result of an import that began. All but `details` is for programs, and may be kept. */
export interface RunResult extends RunFields {
  readonly exit_code: number
  readonly finished: boolean
  readonly dry_run: boolean
  readonly duration_ms: number
  readonly details: ResultDetails
}

/** Parts of a result that stay in the process: cells, keys, and values for the next steps. */
export interface ResultDetails {
  readonly tally: Tally
  readonly columns: ColumnFacts
  readonly unmet: readonly Unmet[]
  readonly questions: readonly OpenQuestion[]
  readonly estimate?: Estimate | undefined
  /** Undefined if near duplicates were not looked for. */
  readonly near?: NearRows | undefined
  /** The key of the first row of each record in `tally.mergedRows`, if it is known. */
  readonly firstKeys?: ReadonlyMap<string, string> | undefined
  /** The approval that a dry run writes. */
  readonly approval?: { readonly imports: readonly object[] } | undefined
  readonly resendsDoubts: boolean
  /** Sources that lookups read: rejected rows are imported before them. */
  readonly documents: readonly string[]
}

/** Rows that may be one record, in groups, ready to be told. */
export interface NearRows {
  readonly groups: number
  readonly rows: number
  readonly fields: RunFields['near_duplicates']
  readonly lines: readonly string[]
}

/** The fields of a result that programs may read and keep. */
export const fieldsOf = ({ details, ...fields }: RunResult) => fields

export const missedLookups = ({ lookups }: Pick<ColumnFacts, 'lookups'>) =>
  lookups.filter(({ values, hits }) => values > 0 && hits === 0)

/** Something to do next as a sentence without its end, and the command for it, without the word `rowlift`. */
export interface NextStep {
  readonly advice: string
  readonly args: readonly string[]
}

export interface ImportPart {
  /** The step of a plan; undefined for a single import. */
  readonly name: string | undefined
  /** The paths on the command line, known even if it could not begin. */
  readonly paths: {
    readonly sources: readonly string[]
    readonly mapping: string | undefined
    readonly results: string | undefined
  }
  /** Undefined if it could not begin, or if the plan stopped before it. */
  readonly end: RunResult | undefined
  /** The reason why it could not begin, if that ended a plan. */
  readonly refused?: string | undefined
}

export interface CommandEnd {
  readonly version: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly dryRun: boolean
  readonly exitCode: number
  /** The reason why it could not begin, or what went wrong after its last row. */
  readonly error: string | undefined
  /** One without a name, or every step of a plan, also those it did not reach. */
  readonly imports: readonly ImportPart[]
  /** All that is left to do, in this order. */
  readonly next: readonly NextStep[]
}

/** A single import has the exit code of its command. */
export const exitCodeOfPart = ({ exitCode }: CommandEnd, { name, end }: ImportPart): number =>
  name === undefined ? exitCode : (end?.exit_code ?? exitCode)
