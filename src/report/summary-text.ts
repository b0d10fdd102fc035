import { isContentKey, mostCompared } from '../model/content-key.ts'
import type { LookupFacts } from '../model/mapping-report.ts'
import type { RowIdentity, RowPlace } from '../model/row.ts'
import { describeEstimate } from './estimate.ts'
import { mostFirst } from './losses.ts'
import { type Paint, paintFor, plain } from './paint.ts'
import { type Example, proposalLines, type ReasonGroup } from './reasons.ts'
import { allStatuses, type Status, statuses, statusWord } from './statuses.ts'
import { type EndReport, missedLookups, type RunFacts, stoppedWords, summaryFields } from './summary.ts'
import {
  aligned,
  capital,
  commandLine,
  counted,
  due,
  grouped,
  type NextStep,
  perSecond,
  rows,
  spanOf,
  visible,
} from './text.ts'
import { nearLines } from './words/near-words.ts'
import { abandoned } from './words/run-words.ts'
import { describeUnmet, explainCode } from './words.ts'

export function endReport(facts: RunFacts): EndReport {
  const words = stoppedWords(facts)
  return {
    text: (showsCells, hasColors) => summaryText(facts, showsCells, paintFor(hasColors)),
    fields: () => summaryFields(facts),
    stopped: words === undefined ? undefined : { words, wasAsked: facts.tally.stopReason?.code === 'signal' },
  }
}

/** The summary for people; see EndReport. */
export function summaryText(facts: RunFacts, showsCells: boolean, paint: Paint = plain): string {
  return blocksText([
    headline(facts, paint),
    counts(facts, paint),
    reasons(facts, showsCells),
    ...[merged, omitted, incomplete, nearLines, proposals, notes, ending].map(block =>
      block(facts, showsCells).map(visible),
    ),
    nextLines(facts.next, paint),
  ])
}

export const blocksText = (blocks: readonly (readonly string[])[]): string =>
  blocks.map(lines => (lines.length === 0 ? '' : `\n${lines.join('\n')}\n`)).join('')

/** What went wrong stands right below. */
function headline(facts: RunFacts, paint: Paint): string[] {
  const { dryRun, tally, durationMs, unmet } = facts
  const stopped = stoppedWords(facts)
  const how = stopped === undefined ? 'finished' : 'stopped early'
  return [
    paint(
      'bold',
      `${dryRun ? 'Dry run' : 'Import'} ${how} after ${spanOf(durationMs)}: ${rows(tally.rows)}, ${perSecond(tally.rows, durationMs)} rows/s`,
    ),
    ...due(stopped && `Stopped: ${stopped}`).map(line => paint('red', line)),
    ...unmet.map(each => paint('red', `Not as expected: ${describeUnmet(each)}`)),
  ]
}

/** They need a person. */
const troubles: ReadonlySet<Status> = new Set(['merged', 'invalid', 'failed', 'in_doubt', 'held'])

export function counts(
  { dryRun, tally, inDoubt }: Pick<RunFacts, 'dryRun' | 'tally' | 'inDoubt'>,
  paint: Paint,
): string[] {
  const { ends, known, leftOut, changed } = tally
  const all = { ...ends, left_out: leftOut }
  const more: Readonly<Partial<Record<Status, string>>> = {
    done: some(changed, 'of them changed since, and there is no update call'),
    invalid: some(known.invalid, 'of them known from an earlier run'),
    failed: some(known.failed, 'of them known from an earlier run'),
  }
  const ofThis = allStatuses.map(status => {
    const note = statuses[status][1] + (more[status] ?? '')
    return { status, count: all[status], note }
  })
  const before = {
    status: 'in_doubt',
    count: dryRun ? 0 : inDoubt - ends.in_doubt - ends.held,
    note: 'from earlier runs, not sent by this one',
  } as const
  const lines = [...ofThis, before].filter(({ count }) => count > 0)
  const figures = aligned(lines.map(({ status, count }) => [statusWord(status), grouped(count)]))
  return lines.map(({ status, note }, at) => {
    const figure = figures[at] ?? ''
    return `  ${troubles.has(status) ? paint(['bold', 'yellow'], figure) : figure}${note && `   ${paint('dim', note)}`}`
  })
}

const some = (count: number, what: string) => (count > 0 ? `; ${grouped(count)} ${what}` : '')

/** A heading, the first lines, and how many more there are. */
function first(heading: string, lines: readonly string[], total: number, other: string): string[] {
  if (total === 0) return []
  const more = total - lines.length
  return [heading, ...lines, ...due(more > 0 && `  and ${counted(more, other)}`)]
}

function reasons({ tally }: RunFacts, showsCells: boolean): string[] {
  const note = tally.reasons.overlap ? ' (a row with two reasons counts in both)' : ''
  const lines = tally.reasons.mostFrequent.map(group => reasonLines(group, showsCells).join('\n'))
  return first(`Why rows have no record${note}:`, lines, tally.reasons.groups.size, 'other reason')
}

/** The start of an answer may quote the row, so it is shown only where cells are. */
function reasonLines(
  { status, count, reason, answer, examples }: ReasonGroup,
  showsCells: boolean,
): string[] {
  const why = showsCells && answer ? `${reason}: ${answer}` : reason
  return [
    `  ${rows(count)} ${statusWord(status)}: ${oneLine(why, longestReason)}`,
    ...examples.map(example => visible(`      ${exampleText(example, showsCells)}`)),
  ]
}

function exampleText({ identity, error }: Example, showsCells: boolean): string {
  const place = placeOf(identity)
  if (!showsCells) return `${place} (row ${identity.row})`
  const quote = error.value ?? error.body
  const quoted = quote === undefined ? '' : `: ${cellText(quote)}`
  const key = identity.key && `, key ${oneLine(identity.key)}`
  return `${place} (row ${identity.row}${key})${quoted}`
}

const placeOf = ({ source, line }: Pick<RowIdentity, 'source' | 'line'>) => `${source}:${line}`

const cellText = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))

const longestLine = 120
const longestReason = 240
const oneLine = (text: string, longest = longestLine) => {
  const line = visible(text.replaceAll(/\s+/gu, ' '))
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

function merged({ tally, firstKeys }: RunFacts, showsCells: boolean): string[] {
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

function omitted({ tally, columns }: RunFacts, showsCells: boolean): string[] {
  const found = tally.losses.facts().omitted
  const lines = found.slice(0, mostShown).map(({ column, count, examples: [example] }) => {
    const all = columns.omissions.find(each => each.column === column)?.values ?? count
    const { value = '', code = '' } = example ?? {}
    const cell = showsCells && value !== '' ? `${JSON.stringify(oneLine(value))}, ` : ''
    const [why] = explainCode('rows', code, name => (name === 'table' ? 'the table' : '…')) ?? []
    return `  ${grouped(count)} of ${counted(all, 'value')} of ${oneLine(column)}: ${why?.replace(' (…)', '')} (such as ${cell}${example && placeOf(example)})`
  })
  return [
    ...first('Values left out:', lines, found.length, 'other column'),
    ...missedLookups(columns).map(each => missedLookup(each, showsCells)),
  ]
}

/** A lookup by the wrong key finds nothing. */
export function missedLookup(
  { name, asked, table, column, missed, key }: LookupFacts,
  showsCells: boolean,
): string {
  const where = [...due(column && `the column ${column}`), ...due(table)].join(' of ')
  const cells =
    showsCells && missed && key ? `: "${oneLine(missed)}" was looked for, and "${oneLine(key)}" is there` : ''
  return `The lookup ${name} found none of ${counted(asked, 'value')}${where && ` in ${where}`}${cells}. Correct key: of the lookup, or the column that is looked up.`
}

function incomplete({ tally }: RunFacts): string[] {
  const found = tally.losses.facts().notInAnswer
  const lines = found
    .slice(0, mostShown)
    .map(({ path, count }) => `  ${oneLine(path)}: ${counted(count, 'answer')}`)
  return first(
    'Fields that were sent and that answers lack; look at a record, whether the service keeps them:',
    lines,
    found.length,
    'other field',
  )
}

/** A dry run gets no answers. */
const proposals = ({ dryRun, tally, hasRules }: RunFacts): string[] =>
  dryRun ? [] : proposalLines([...tally.reasons.groups.values()], hasRules)

const mostColumnsShown = 30

/** Columns that the mapping does not use are shown in a dry run, where mappings are checked. */
function columnNotes({ dryRun, columns: { unseen, unused, missingKey } }: RunFacts): string[] {
  const shown = unused.slice(0, mostColumnsShown).map(column => oneLine(column))
  const more = unused.length - shown.length
  return due(
    unseen.length > 0 && `No row had these keys that the mapping names: ${unseen.join(', ')}`,
    missingKey.length > 0 &&
      `No source has the key column (${missingKey.join(', ')}): a row is identified by its content, and one that changes is a new row.`,
    dryRun &&
      unused.length > 0 &&
      `The mapping does not use these columns: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  )
}

function notes(facts: RunFacts): string[] {
  const { dryRun, tally } = facts
  const { triedAgain, settledDoubts, retries, throttled, limitReached, equal } = tally
  const least = dryRun && tally.rows > mostCompared ? 'At least ' : ''
  const differences = mostFirst([...tally.differences].map(([what, count]) => ({ what, count })))
  const differ = differences
    .slice(0, mostShown)
    .map(({ what, count }) => `${what} (${grouped(count)})`)
    .join(', ')
  return [
    ...columnNotes(facts),
    ...due(
      differ !== '' && `Answers differ from the known record (nothing is lost): ${differ}`,
      equal.first &&
        `${least}${counted(equal.rows, 'row equals', 'rows equal')} an earlier row in all cells. Each is a record of its own (such as ${placeOf(equal.first)}), unless key: says what identifies a row.`,
      tally.abandoned > 0 && `${capital(abandoned(tally.abandoned))}.`,
      triedAgain > 0 &&
        !dryRun &&
        `${counted(triedAgain, 'row was', 'rows were')} tried again, which an earlier run had refused or left in doubt.`,
      settledDoubts > 0 && `${grouped(settledDoubts)} of them had been in doubt and have their record now.`,
      retries > 0 &&
        `${counted(retries, 'attempt was', 'attempts were')} repeated${throttled > 0 ? `, ${grouped(throttled)} of them because the service asked to slow down` : ''}.`,
      limitReached !== undefined &&
        `Stopped at --limit ${limitReached}; the rest of the source was not read.`,
    ),
  ]
}

const ending = ({ dryRun, written, ledger, rejects, estimate }: RunFacts): string[] =>
  due(
    estimate && estimate.calls > 0 && describeEstimate(estimate),
    written !== undefined && `${dryRun ? 'Preview' : 'Result log'}: ${written}`,
    ledger && `Ledger: the import ${ledger.import}; these are the rows of this worker, ${ledger.worker}`,
    ledger?.all && `All workers: ${allRows(ledger.all)}`,
    rejects && `Rejected rows: ${grouped(rejects.rows)} in ${rejects.path}`,
  )

const allRows = (all: Readonly<Record<string, number>>) =>
  Object.entries(all)
    .map(([status, count]) => `${grouped(count)} ${status.replaceAll('_', ' ')}`)
    .join(', ')

/** What is left to do, each command on a line of its own, to be copied. */
export const nextLines = (next: readonly NextStep[] = [], paint: Paint = plain): string[] =>
  next.length === 0
    ? []
    : [
        'Next:',
        ...next.flatMap(({ advice, args }) => [`  ${advice}:`, `    ${paint('cyan', commandLine(args))}`]),
      ]
