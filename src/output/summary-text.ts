import { isContentKey, mostCompared } from '../model/content-key.ts'
import type { RowIdentity, RowPlace } from '../model/row.ts'
import type { UnreadColumn } from '../result/losses.ts'
import type { AttentionRow, ReasonGroup } from '../result/reasons.ts'
import { allStatuses, type RowCounts, type Status, statuses, statusWord } from '../result/row-counts.ts'
import { type CommandEnd, fieldsOf, type NextStep, type RunResult } from '../result/run-result.ts'
import { type Paint, paintFor, plain } from './paint.ts'
import {
  aligned,
  capital,
  commandLine,
  counted,
  due,
  grouped,
  nextText,
  oneLine,
  perSecond,
  rows,
  spanOf,
  visible,
} from './text.ts'
import { describeEstimate, missedTexts, warnings } from './words/notices.ts'
import { listed } from './words/sentence.ts'
import { textsOfCode } from './words.ts'

/** The end of a command, as a reporter shows it. */
export interface EndReport {
  /** Cells are for terminals only: logs are kept and passed on, and must not hold the data of rows. */
  readonly text: (showsCells: boolean, hasColors: boolean) => string
  readonly fields: () => object
  /** The reason of an early end; an end by a signal is no error. */
  readonly stopped: { readonly words: string; readonly bySignal: boolean } | undefined
}

export function endReport(result: RunResult, next: readonly NextStep[]): EndReport {
  const { stopped: words, stop_reason } = result
  return {
    text: (showsCells, hasColors) => summaryText(result, showsCells, paintFor(hasColors), next),
    fields: () => ({ ...fieldsOf(result), next: nextText(next) }),
    stopped: words === undefined ? undefined : { words, bySignal: stop_reason === 'signal' },
  }
}

/** Words for a run that its limit ended; undefined for any other. */
function limitWords({ limit_reached: limit, dry_run, details }: RunResult): string | undefined {
  if (limit === undefined) return undefined
  const sent = `${dry_run ? 'would send' : 'sent'} ${rows(details.tally.sent)}`
  return `--limit ${limit} ended the run: it ${sent}, and did not look at the rest.`
}

/** The line of a command that a limit ended, with the command for the rest; undefined for any other. */
export function limitLine({ imports, next }: Pick<CommandEnd, 'imports' | 'next'>): string | undefined {
  const words = imports.flatMap(({ name, end }) =>
    due(end && limitWords(end)).map(own => (name === undefined ? own : `${name}: ${own}`)),
  )
  if (words.length === 0) return undefined
  const command = imports.some(({ end }) => end?.dry_run) ? [] : next.slice(-1)
  return [...words, ...command.map(({ args }) => `For the rest: ${commandLine(args)}`)].join(' ')
}

/** The summary for people; see EndReport. */
export function summaryText(
  result: RunResult,
  showsCells: boolean,
  paint: Paint = plain,
  next: readonly NextStep[] = [],
): string {
  const { dry_run, in_doubt_total, details } = result
  return blocksText([
    headline(result, paint),
    counts(details.tally, dry_run ? 0 : in_doubt_total, paint),
    reasons(result, showsCells),
    ...[openQuestions, merged, unread, incomplete, nearDuplicates, notes, ending].map(block =>
      block(result, showsCells).map(visible),
    ),
    nextLines(next, paint),
  ])
}

export const blocksText = (blocks: readonly (readonly string[])[]): string =>
  blocks.map(lines => (lines.length === 0 ? '' : `\n${lines.join('\n')}\n`)).join('')

const openQuestions = ({ dry_run, details: { questions } }: RunResult, showsCells: boolean) => {
  const lines = questions.map(({ place, text }) => `  ${place}${showsCells ? `: ${text}` : ''}`)
  const heading = 'Open questions of the draft, without whose answers the import will not begin:'
  return dry_run ? first(heading, lines.slice(0, mostShown), lines.length, 'other question') : []
}

const nearDuplicates = ({ details: { near } }: RunResult) => (near && near.groups > 0 ? near.lines : [])

/** The duration and the number of rows; then what went wrong. */
function headline(result: RunResult, paint: Paint): string[] {
  const { dry_run, rows: count, duration_ms: ms, stopped, unmet } = result
  const what = `${dry_run ? 'Dry run' : 'Import'} ${stopped === undefined ? 'finished' : 'stopped early'}`
  return [
    paint('bold', `${what} after ${spanOf(ms)}: ${rows(count)}, ${perSecond(count, ms)} rows/s`),
    ...due(stopped && `Stopped: ${stopped}`).map(line => paint('red', line)),
    ...unmet.map(({ message }) => paint('red', `Not as expected: ${message}`)),
  ]
}

/** Ends that need a person. */
const troubles: ReadonlySet<Status> = new Set(['merged', 'invalid', 'failed', 'in_doubt', 'held'])

/** Rows by their end; `inDoubt` are all that the log holds. */
export function counts({ fields, known }: RowCounts, inDoubt: number, paint: Paint): string[] {
  const more: Readonly<Partial<Record<Status, string>>> = {
    done:
      some(fields.changed, 'of them changed since, and there is no update call') +
      some(fields.no_longer_valid, 'of them no longer valid') +
      some(fields.renamed, 'of them under a new name'),
    duplicate: some(fields.conflicts, 'of them with other contents'),
    invalid: some(known.invalid, 'of them known from an earlier run'),
    failed: some(known.failed, 'of them known from an earlier run'),
  }
  const ended: Partial<Record<Status, number>> = fields
  const heldDoubts = fields.held - fields.respelled - fields.ambiguous
  const lines = [
    ...allStatuses.map(
      status => [status, ended[status] ?? 0, statuses[status][1] + (more[status] ?? '')] as const,
    ),
    ['in_doubt', inDoubt - fields.in_doubt - heldDoubts, 'from earlier runs, not sent by this one'] as const,
  ].filter(([, count]) => count > 0)
  const figures = aligned(lines.map(([status, count]) => [statusWord(status), grouped(count)]))
  return lines.map(([status, , note], at) => {
    const figure = figures[at] ?? ''
    return `  ${troubles.has(status) ? paint(['bold', 'yellow'], figure) : figure}${note && `   ${paint('dim', note)}`}`
  })
}

const some = (count: number, what: string) => (count > 0 ? `; ${grouped(count)} ${what}` : '')

/** A heading, the first lines, and the number of others. */
function first(heading: string, lines: readonly string[], total: number, other: string): string[] {
  const more = total - lines.length
  return total === 0 ? [] : [heading, ...lines, ...due(more > 0 && `  and ${counted(more, other)}`)]
}

function reasons({ details: { tally } }: RunResult, showsCells: boolean): string[] {
  const note = tally.reasons.overlap ? ' (a row with two reasons counts in both)' : ''
  const lines = tally.reasons.mostFrequent.map(group => reasonLines(group, showsCells).join('\n'))
  return first(`Why rows have no record${note}:`, lines, tally.reasons.groups.size, 'other reason')
}

/** The start of an answer may quote the row, so it is shown only if cells are. */
function reasonLines(group: ReasonGroup, showsCells: boolean): string[] {
  const { status, count, reason, answer, examples } = group
  const why = showsCells && answer ? `${reason}: ${answer}` : reason
  return [
    `  ${rows(count)} ${statusWord(status)}: ${oneLine(why, longestReason)}`,
    ...examples.map(example => visible(`      ${exampleText(example, reason, showsCells)}`)),
  ]
}

function exampleText(example: AttentionRow, reason: string, showsCells: boolean): string {
  const { row, key, value, answer, messages } = example
  const name = showsCells && key ? `, key ${oneLine(key)}` : ''
  const [start = reason, ...rest] = reason.split('…')
  const message = rest.length > 0 ? messages.find(each => each.startsWith(start)) : undefined
  const quote = showsCells ? (value ?? answer ?? message) : undefined
  return `${placeOf(example)} (row ${row}${name})${quote === undefined ? '' : `: ${oneLine(quote)}`}`
}

const placeOf = ({ source, line }: Pick<RowIdentity, 'source' | 'line'>) => `${source}:${line}`

const longestReason = 240

function merged({ details: { tally, firstKeys } }: RunResult, showsCells: boolean): string[] {
  const nameOf = ({ source, row }: RowPlace, key = '') => {
    const place = `${source} row ${row}`
    return showsCells && key !== '' && !isContentKey(key) ? `${oneLine(key)} (${place})` : place
  }
  const lines = tally.mergedRows.map(
    ({ recordId, identity, sameAs }) =>
      `  ${nameOf(identity, identity.key)} got that of ${nameOf(sameAs, firstKeys?.get(recordId))}: ${recordId}`,
  )
  return first('Rows that got the record of another row:', lines, tally.ends.merged, 'more row')
}

const mostShown = 10

function unread({ details: { tally, columns } }: RunResult, showsCells: boolean): string[] {
  const { omitted, kept } = tally.losses.facts()
  const linesOf = (heading: string, unread: readonly UnreadColumn[]) => {
    const lines = unread.slice(0, mostShown).map(({ column, count, examples: [example] }) => {
      const all = columns.fallbacks.find(each => each.column === column)?.values ?? count
      const { value = '', code = '' } = example ?? {}
      const cell = showsCells && value !== '' ? `${JSON.stringify(oneLine(value))}, ` : ''
      const [why] = textsOfCode(code, name => (name === 'table' ? 'the table' : '…')) ?? []
      return `  ${grouped(count)} of ${counted(all, 'value')} of ${oneLine(column)}: ${why?.replace(' (…)', '')} (such as ${cell}${example && placeOf(example)})`
    })
    return first(heading, lines, unread.length, 'other column')
  }
  return [
    ...linesOf('Values left out:', omitted),
    ...missedTexts(columns, showsCells),
    ...linesOf('Values sent as they are:', kept),
  ]
}

function incomplete({ details: { tally } }: RunResult): string[] {
  const fields = tally.losses.facts().notInAnswer
  const lines = fields
    .slice(0, mostShown)
    .map(({ path, count }) => `  ${oneLine(path)}: ${counted(count, 'answer')}`)
  const heading =
    'Fields that were sent and that answers lack; look at a record, whether the service keeps them:'
  return first(heading, lines, fields.length, 'other field')
}

const mostColumnsShown = 30

function notes(result: RunResult): string[] {
  const { dry_run, unseen_columns: unseen, unused_columns, missing_key } = result
  const { abandoned: calls, tried_again, settled_doubts, unclear, retries, throttled } = result
  const { equal, pace } = result.details.tally
  const least = dry_run && result.rows > mostCompared ? 'At least ' : ''
  const differ = Object.entries(result.answer_differences)
    .toSorted(([, count], [, other]) => other - count)
    .slice(0, mostShown)
    .map(([what, count]) => `${what} (${grouped(count)})`)
  const slower = throttled > 0 ? `, ${grouped(throttled)} of them because the service asked to slow down` : ''
  return due(
    unseen.length > 0 && `No row had these keys that the mapping names: ${unseen.join(', ')}`,
    missing_key &&
      `No source has the key column (${missing_key.join(', ')}): a row is identified by its content, and one that changes is a new row.`,
    unused_columns?.length &&
      `The mapping does not use these columns: ${listed(
        unused_columns.map(column => oneLine(column)),
        mostColumnsShown,
      )}`,
    differ.length > 0 && `Answers differ from the known record (nothing is lost): ${differ.join(', ')}`,
    equal.first &&
      `${least}${counted(equal.rows, 'row equals', 'rows equal')} an earlier row in all cells. Each is a record of its own (such as ${placeOf(equal.first)}), unless key: says what identifies a row.`,
    calls > 0 && `${capital(warnings.orphaned_calls({ calls }))}.`,
    tried_again > 0 &&
      !dry_run &&
      `${counted(tried_again, 'row was', 'rows were')} tried again, which an earlier run had refused or left in doubt.`,
    settled_doubts > 0 && `${grouped(settled_doubts)} of them had been in doubt and have their record now.`,
    retries > 0 && `${counted(retries, 'attempt was', 'attempts were')} repeated${slower}.`,
    pace &&
      pace.enough < pace.most &&
      `More calls at once only waited: ${grouped(pace.enough)} calls in flight instead of ${grouped(pace.most)}.`,
    unclear > 0 &&
      `${counted(unclear, 'row was', 'rows were')} sent again after an unclear answer, and may be there twice (unclear_attempts in the log).`,
    changedRows(result),
    limitWords(result),
  )
}

const changedRows = ({ changes, changed, finished, limit_reached }: RunResult) =>
  changes !== undefined
    ? `Changed rows: ${grouped(changed)} in ${changes}`
    : changed > 0 && finished && limit_reached === undefined && 'Changed rows: --changes FILE lists them'

const ending = ({ dry_run, written, ledger, rejects, rejected_rows, details: { estimate } }: RunResult) =>
  due(
    estimate && estimate.calls > 0 && describeEstimate(estimate),
    written !== undefined && `${dry_run ? 'Preview' : 'Result log'}: ${written}`,
    ledger && `Ledger: the import ${ledger.import}; these are the rows of this worker, ${ledger.worker}`,
    ledger?.all && `All workers: ${allRows(ledger.all)}`,
    rejects && `Rejected rows: ${grouped(rejected_rows ?? 0)} in ${rejects}`,
  )

const allRows = (all: Readonly<Record<string, number>>) =>
  Object.entries(all)
    .map(([status, count]) => `${grouped(count)} ${status.replaceAll('_', ' ')}`)
    .join(', ')

/** Lists what is left to do, each command on a line of its own, to be copied. */
export const nextLines = (next: readonly NextStep[], paint: Paint): string[] => [
  ...due(next.length > 0 && 'Next:'),
  ...next.flatMap(({ advice, args }) => [`  ${advice}:`, `    ${paint('cyan', commandLine(args))}`]),
]
