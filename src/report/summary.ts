// The summary at the end of a run: text for people, one JSON object for programs.

import type { Estimate } from '../model/events.ts'
import type { Unmet } from '../model/expectations.ts'
import type { ColumnFacts } from '../model/mapping-report.ts'
import type { RowPlace } from '../model/row.ts'
import { describeEstimate, estimatedSeconds } from './estimate.ts'
import { type Example, proposalLines, proposedRules, type ReasonGroup } from './reasons.ts'
import type { Tally } from './tally.ts'
import { counted, grouped, type NextStep, nextText, perSecond, rows, spanOf } from './text.ts'
import { describeStop, describeUnmet } from './words.ts'

/** The end of a command, as a reporter shows it. */
export interface EndReport {
  /** `showsCells` is for terminals only: logs are kept and passed on, and must not hold the data of rows. */
  readonly text: (showsCells: boolean) => string
  readonly fields: () => object
  /** Why it stopped early, and whether a signal asked for it, which is no error. */
  readonly stopped: { readonly words: string; readonly wasAsked: boolean } | undefined
}

/** What a summary is made of. */
export interface RunFacts {
  readonly dryRun: boolean
  readonly tally: Tally
  readonly durationMs: number
  /** Of a dry run: how long its calls would take. */
  readonly estimate?: Estimate | undefined
  /** Rows that the result log holds in doubt now. */
  readonly inDoubt: number
  /** What the import expects and what does not hold. */
  readonly unmet: readonly Unmet[]
  readonly columns: ColumnFacts
  /** Whether the settings file holds rules for answers. */
  readonly hasRules: boolean
  /** Where the result log or the preview is; undefined when there is none. */
  readonly written: string | undefined
  /** The file of rejected rows, and how many it holds; undefined where none was asked for. */
  readonly rejects?: { readonly path: string; readonly rows: number } | undefined
  readonly next: readonly NextStep[]
}

const mostReasonsShown = 10

export function endReport(facts: RunFacts): EndReport {
  const { stopReason } = facts.tally
  return {
    text: showsCells => summaryText(facts, showsCells),
    fields: () => summaryFields(facts),
    stopped: stopReason && { words: describeStop(stopReason), wasAsked: stopReason.code === 'signal' },
  }
}

/** The summary for people; see EndReport for `showsCells`. */
export function summaryText(facts: RunFacts, showsCells: boolean): string {
  const blocks = [
    headline(facts),
    counts(facts),
    reasons(facts, showsCells),
    proposals(facts),
    notes(facts),
    ending(facts),
    nextLines(facts.next),
  ]
  return `\n${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
}

function headline({ dryRun, tally, durationMs, unmet }: RunFacts): string[] {
  const what = dryRun ? 'Dry run' : 'Import'
  const how = tally.stopReason === undefined ? 'finished' : 'stopped early'
  return [
    `${what} ${how} after ${spanOf(durationMs)}: ${rows(tally.rows)}, ${perSecond(tally.rows, durationMs)} rows/s`,
    ...(tally.stopReason === undefined ? [] : [`Stopped: ${describeStop(tally.stopReason)}`]),
    ...unmet.map(each => `Not as expected: ${describeUnmet(each)}`),
  ]
}

/** The numbers of the table of counts. */
export interface Counted {
  readonly dryRun: boolean
  readonly tally: Pick<Tally, 'ends' | 'leftOut' | 'changed'>
  readonly inDoubt: number
}

/** The table of what became of rows. */
export function counts({ dryRun, tally, inDoubt }: Counted): string[] {
  const { ends } = tally
  const changed =
    tally.changed > 0 ? `; ${grouped(tally.changed)} of them changed since, and there is no update call` : ''
  const table: readonly (readonly [label: string, count: number, note: string])[] = [
    ['would be sent', ends.valid, ''],
    ['created', ends.created, ''],
    ['existing', ends.existing, 'the service had a similar contact'],
    ['merged', ends.merged, 'the service returned the record of another row; these values are nowhere in it'],
    ['left alone', ends.done, `have their record from an earlier run${changed}`],
    ['duplicate', ends.duplicate, 'another row of this import has the same key'],
    ['invalid', ends.invalid, dryRun ? 'would not be sent' : 'not sent'],
    ['failed', ends.failed, 'no record was made'],
    ['in doubt', ends.in_doubt, 'sent, and no answer tells whether the record exists'],
    ['held in doubt', ends.held, 'left in doubt by an earlier run'],
    ['left out', tally.leftOut, 'by where'],
  ]
  const others = dryRun ? 0 : inDoubt - ends.in_doubt - ends.held
  return [
    ...table.filter(([, count]) => count > 0).map(([label, count, note]) => countLine(label, count, note)),
    ...(others > 0 ? [countLine('in doubt', others, 'from earlier runs, not sent by this one')] : []),
  ]
}

const countLine = (label: string, count: number, note: string) =>
  `  ${label.padEnd(14)}${grouped(count).padStart(10)}${note && `   ${note}`}`

const mostFrequent = ({ reasons }: Tally): ReasonGroup[] =>
  [...reasons.groups.values()].sort((a, b) => b.count - a.count)

function reasons({ tally }: RunFacts, showsCells: boolean): string[] {
  const groups = mostFrequent(tally)
  if (groups.length === 0) return []
  const shown = groups.slice(0, mostReasonsShown).flatMap(group => reasonLines(group, showsCells))
  const more = groups.length - mostReasonsShown
  const note = tally.reasons.overlap ? ' (a row with two reasons counts in both)' : ''
  return [
    `Why rows have no record${note}:`,
    ...shown,
    ...(more > 0 ? [`  and ${grouped(more)} other reasons`] : []),
  ]
}

/** The start of an answer may quote the row, so it is shown only where cells are. */
function reasonLines(
  { status, count, reason, answer, examples }: ReasonGroup,
  showsCells: boolean,
): string[] {
  const why = showsCells && answer ? `${reason}: ${answer}` : reason
  return [
    `  ${rows(count)} ${status.replace('_', ' ')}: ${oneLine(why, longestReason)}`,
    ...examples.map(example => `      ${exampleText(example, showsCells)}`),
  ]
}

function exampleText({ identity, error }: Example, showsCells: boolean): string {
  const place = `${identity.source}:${identity.line}`
  if (!showsCells) return `${place} (row ${identity.row})`
  const quote = error.value ?? error.body
  const quoted =
    quote === undefined ? '' : `: ${oneLine(typeof quote === 'string' ? quote : JSON.stringify(quote))}`
  const key = identity.key && `, key ${oneLine(identity.key)}`
  return `${place} (row ${identity.row}${key})${quoted}`
}

const longestLine = 120
const longestReason = 240
const oneLine = (text: string, longest = longestLine) => {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

/** A dry run gets no answers. */
const proposals = ({ dryRun, tally, hasRules }: RunFacts): string[] =>
  dryRun ? [] : proposalLines([...tally.reasons.groups.values()], hasRules)

const mostColumnsShown = 30

/** Columns that the mapping does not use are shown in a dry run, where mappings are checked. */
function columnNotes({ dryRun, columns: { unseen, unused, missingKey } }: RunFacts): string[] {
  const more = unused.length - mostColumnsShown
  return [
    ...(unseen.length > 0 ? [`No row had these keys that the mapping names: ${unseen.join(', ')}`] : []),
    ...(missingKey.length > 0
      ? [
          `No source has the key column (${missingKey.join(', ')}): a row is identified by its content, and one that changes is a new row.`,
        ]
      : []),
    ...(dryRun && unused.length > 0
      ? [
          `The mapping does not use these columns: ${unused
            .slice(0, mostColumnsShown)
            .map(column => oneLine(column))
            .join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
        ]
      : []),
  ]
}

function notes(facts: RunFacts): string[] {
  const { dryRun, tally } = facts
  const differences = [...tally.differences].sort(([, a], [, b]) => b - a).slice(0, mostReasonsShown)
  return [
    ...tally.mergedRows.map(
      ({ recordId, identity, sameAs }) =>
        `The service took ${nameOf(identity)} for the contact of ${nameOf(sameAs)}: ${recordId}`,
    ),
    ...(tally.ends.merged > tally.mergedRows.length
      ? [`and ${grouped(tally.ends.merged - tally.mergedRows.length)} more rows`]
      : []),
    ...columnNotes(facts),
    ...(differences.length > 0
      ? [
          `Answers differ from the known record (nothing is lost): ${differences.map(([what, count]) => `${what} (${grouped(count)})`).join(', ')}`,
        ]
      : []),
    ...(tally.abandoned > 0
      ? [
          `An earlier run was killed while ${counted(tally.abandoned, 'call was', 'calls were')} under way; their rows are in doubt.`,
        ]
      : []),
    ...(tally.triedAgain > 0 && !dryRun
      ? [
          `${counted(tally.triedAgain, 'row was', 'rows were')} tried again, which an earlier run had refused or left in doubt.`,
        ]
      : []),
    ...(tally.settledDoubts > 0
      ? [`${grouped(tally.settledDoubts)} of them had been in doubt and have their record now.`]
      : []),
    ...(tally.retries > 0
      ? [
          `${grouped(tally.retries)} attempts were repeated, ${grouped(tally.throttled)} of them because the service asked to slow down.`,
        ]
      : []),
    ...(tally.limitReached === undefined
      ? []
      : [`Stopped at --limit ${tally.limitReached}; the rest of the source was not read.`]),
  ]
}

const nameOf = ({ source, row }: RowPlace) => `${source} row ${row}`

function ending({ dryRun, written, rejects, estimate }: RunFacts): string[] {
  return [
    ...(estimate?.calls ? [describeEstimate(estimate)] : []),
    ...(written === undefined ? [] : [`${dryRun ? 'Preview' : 'Result log'}: ${written}`]),
    ...(rejects === undefined ? [] : [`Rejected rows: ${grouped(rejects.rows)} in ${rejects.path}`]),
  ]
}

/** What is left to do, each command on a line of its own, to be copied. */
export const nextLines = (next: readonly NextStep[]): string[] =>
  next.length === 0 ? [] : ['Next:', ...(nextText(next) ?? '').split('\n').map(line => `  ${line}`)]

export const nextField = (next: readonly NextStep[]) => (next.length === 0 ? {} : { next: nextText(next) })

/** The same as one JSON object, for logs that a program reads. */
export function summaryFields(facts: RunFacts) {
  const { dryRun, tally, durationMs, estimate, inDoubt, unmet, columns, written, rejects, next } = facts
  const rules = dryRun ? [] : proposedRules(tally.reasons.groups.values())
  return {
    dry_run: dryRun,
    finished: tally.stopReason === undefined,
    ...(tally.stopReason !== undefined && { stopped: describeStop(tally.stopReason) }),
    rows: tally.rows,
    ...tally.ends,
    known: tally.known.invalid + tally.known.failed,
    left_out: tally.leftOut,
    changed: tally.changed,
    tried_again: tally.triedAgain,
    settled_doubts: tally.settledDoubts,
    abandoned: tally.abandoned,
    in_doubt_total: inDoubt,
    duration_ms: durationMs,
    ...(estimate !== undefined && { estimated_seconds: estimatedSeconds(estimate) }),
    retries: tally.retries,
    throttled: tally.throttled,
    reasons: mostFrequent(tally)
      .slice(0, mostReasonsShown)
      .map(({ status, code, count, reason, examples }) => ({
        status,
        ...(code !== undefined && { code }),
        reason,
        count,
        examples: examples.map(({ identity: { source, row, line } }) => ({ source, row, line })),
      })),
    ...(rules.length > 0 && { proposed_rules: rules }),
    merged_rows: tally.mergedRows.map(({ recordId, identity: { source, row, key }, sameAs }) => ({
      record_id: recordId,
      row: { source, row, key },
      same_as: sameAs,
    })),
    omitted: Object.fromEntries([...tally.omitted].map(([column, { count }]) => [column, count])),
    not_in_answer: Object.fromEntries(tally.notInAnswer),
    unmet: unmet.map(each => ({ ...each, message: describeUnmet(each) })),
    unseen_columns: [...columns.unseen],
    ...(dryRun && { unused_columns: [...columns.unused] }),
    ...(columns.missingKey.length > 0 && { missing_key: [...columns.missingKey] }),
    answer_differences: Object.fromEntries(tally.differences),
    ...(tally.limitReached !== undefined && { limit_reached: tally.limitReached }),
    ...(written !== undefined && { written }),
    ...(rejects !== undefined && { rejects: rejects.path, rejected_rows: rejects.rows }),
    ...nextField(next),
  }
}
