// The end of a command (CommandEnd), of which the files at its end are made, and the summary file.
import type { RecordType } from '../records/kinds.ts'
import { type RunFacts, summaryFields } from './summary.ts'
import type { StepSummary, Summary } from './summary-schema.ts'
import type { Tally } from './tally.ts'
import { type NextStep, nextText } from './text.ts'

/** What is known of an import once everything was checked. */
export interface About {
  /** Names this run in the result log. */
  readonly run: string
  readonly baseUrl: string | undefined
  readonly organizationId: number | undefined
  readonly record: RecordType
  readonly delivery: string
}

export interface ImportPart {
  /** The step of a plan; undefined for a single import. */
  readonly name: string | undefined
  /** As the command names it, known even if it could not begin. */
  readonly asked: {
    readonly sources: readonly string[]
    readonly mapping: string | undefined
    /** The result log; undefined where none was named. */
    readonly results: string | undefined
  }
  /** Undefined if it could not begin, or if the plan stopped before it. */
  readonly end: (RunFacts & { readonly exitCode: number; readonly about: About }) | undefined
  /** Why it could not begin, where that ended a plan. */
  readonly refused?: string | undefined
}

export interface CommandEnd {
  readonly version: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly dryRun: boolean
  readonly exitCode: number
  /** Why it could not begin, or what went wrong after its last row. */
  readonly error: string | undefined
  /** One without a name, or every step of a plan, also those it did not reach. */
  readonly imports: readonly ImportPart[]
  /** All that is left to do; what comes first stands first. */
  readonly next: readonly NextStep[]
}

/** A single import has the exit code of its command. */
export const exitCodeOfPart = ({ exitCode }: CommandEnd, { name, end }: ImportPart): number =>
  name === undefined ? exitCode : (end?.exitCode ?? exitCode)

/** Rows by their end in this run; the sum is all rows. */
export const rowCounts = ({ ends: { done, ...ends }, leftOut }: Tally) => ({
  ...ends,
  left_alone: done,
  left_out: leftOut,
})

/** The summary file: one object for programs. What the JSON line in the log has, has the same name and value here. */
export function commandSummary(command: CommandEnd): Summary {
  const { version, startedAt, endedAt, dryRun, exitCode, error, imports } = command
  const next = nextText(command.next)
  const parts = imports.map(part => [part.name, partSummary(command, part)] as const)
  const [only] = parts
  return {
    schema_version: 2,
    rowlift: version,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    dry_run: dryRun,
    exit_code: exitCode,
    finished: parts.length > 0 && parts.every(([, { finished }]) => finished),
    ...(error !== undefined && { error }),
    ...(only?.[0] === undefined ? only?.[1] : { steps: Object.fromEntries(parts) }),
    ...(next !== undefined && { next }),
  }
}

function partSummary(command: CommandEnd, part: ImportPart): StepSummary {
  const { asked, end } = part
  return {
    exit_code: exitCodeOfPart(command, part),
    finished: false,
    sources: [...asked.sources],
    ...(asked.mapping !== undefined && { mapping: asked.mapping }),
    ...(asked.results !== undefined && { results: asked.results }),
    ...(end !== undefined && begunFields(end)),
  }
}

function begunFields(end: NonNullable<ImportPart['end']>): Partial<StepSummary> {
  const { about, tally } = end
  const { dry_run, ...fields } = summaryFields(end)
  return {
    run: about.run,
    ...(about.baseUrl !== undefined && { base_url: about.baseUrl }),
    ...(about.organizationId !== undefined && { organization_id: about.organizationId }),
    record: about.record,
    delivery: about.delivery,
    ...(tally.stopReason !== undefined && { stop_reason: tally.stopReason.code }),
    row_counts: rowCounts(tally),
    ...fields,
  }
}
