import { type CommandEnd, exitCodeOfPart, type ImportPart, rowCounts } from './command-end.ts'
import { nextSentence } from './command-line.ts'
import { summaryFields } from './summary.ts'
import type { StepSummary, Summary } from './summary-schema.ts'

/**
 * What a command came to, as one object for programs that watch it. Whatever the JSON line of the log tells of an import
 * has the same name and value here.
 */
export function commandSummary(command: CommandEnd): Summary {
  const { version, startedAt, endedAt, dryRun, exitCode, error, imports } = command
  const next = nextSentence(command.next)
  const parts = imports.map(part => [part.name, partSummary(command, part)] as const)
  const [only] = parts
  return {
    schema_version: 1,
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
  const { dry_run, ...fields } = summaryFields({ ...end, next: undefined })
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
