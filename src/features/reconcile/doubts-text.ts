import { type CliContext, printTo } from '../../cli/context.ts'
import {
  aligned,
  commandLine,
  counted,
  due,
  grouped,
  timeOf,
  visible,
  visibleJson,
} from '../../output/text.ts'
import { describeCode, describeProblem } from '../../output/words.ts'
import { recognizableFields, showValue } from '../../result/short-texts.ts'
import { writeTexts } from '../../run/ports.ts'
import { type Doubt, orphanLine } from '../../store/files/lines.ts'

interface DoubtCounts {
  /** Name of a result log or of an import in a ledger, and the words of a command that name it. */
  readonly store: string
  readonly args: readonly string[]
  readonly inDoubt: number
  /** The number of calls of a log that were under way when their run ended. */
  readonly underWay: number
  /** The key of the only row that is listed. */
  readonly key: string | undefined
}

export const mostInTable = 50

/** Prints a table of the first rows on a terminal, or all of one row; else lines of the log. Advice goes to stderr. */
export async function listDoubtful(
  doubts: AsyncIterable<Doubt>,
  counts: DoubtCounts,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
  const isTable = stdoutIsTerminal && counts.key === undefined
  const textOf = stdoutIsTerminal ? describeDoubt : doubtLine
  await writeTexts(async function* () {
    if (isTable) yield doubtTable(await firstItems(doubts, mostInTable))
    else for await (const doubt of doubts) yield textOf(doubt)
  }, stdout)
  printTo(stderr, describeCounts(counts, isTable && counts.inDoubt > mostInTable))
}

/** Returns the line of a row, which one in flight does not have yet. */
function doubtLine(doubt: Doubt): string {
  const isInFlight = doubt.errors.some(({ message }) => message === undefined)
  return visibleJson(`${isInFlight ? orphanLine(doubt, describeProblem) : JSON.stringify(doubt)}\n`)
}

function describeDoubt({ source, row, line, key, at, errors, body }: Doubt): string {
  const reasons = errors.map(({ code = '', message = describeCode(code), body: answer }) =>
    answer ? `${message}: ${answer}` : message,
  )
  return `${visible(source)}:${line} (row ${row})
  key    ${visible(key)}
  since  ${visible(at)}
  why    ${visible(reasons.join('; '))}
  sent   ${JSON.stringify(body, null, 2).split('\n').map(visible).join('\n         ')}

`
}

const longestCell = 40

/** Rows in doubt, each on a line by what a person can look for in the service. */
function doubtTable(doubts: readonly Doubt[]): string {
  const table = doubts.map(({ key, at, run, body }): Record<string, string> => {
    const { name = '', emails, phones, dueDate: due = '', parentName: parent = '' } = recognizableFields(body)
    const contact = { 'e-mail': emails.join(' '), phone: phones.join(' ') }
    return { key, name, ...contact, due, parent, 'since (UTC)': timeOf(at), run }
  })
  const isUsed = (column: string) => table.some(cells => cells[column] !== '')
  const used = table.map(cells => Object.entries(cells).filter(([column]) => isUsed(column)))
  return tableText(used.map(Object.fromEntries), longestCell)
}

export const rowsInDoubt = (count: number): string => counted(count, 'row is in doubt', 'rows are in doubt')

/** Describes how many rows are in doubt, and how to settle them. */
function describeCounts(
  { store, args, inDoubt, underWay, key = 'KEY' }: DoubtCounts,
  isCut: boolean,
): string {
  const resolve = (...words: string[]) => commandLine(['resolve', ...args, ...words])
  if (inDoubt === 0) return `No row is in doubt in ${visible(store)}.\n`
  const cut = isCut ? `, of which the first ${mostInTable} are shown` : ''
  const killed = `${grouped(underWay)} of them were under way when a run was killed, or are still under way.`
  const more = due(
    isCut && `\n  all of them:            ${resolve()} > doubts.ndjson`,
    key === 'KEY' && `\n  all that was sent:      ${resolve('--key', 'KEY')}`,
  )
  return `${rowsInDoubt(inDoubt)} in ${visible(store)}${cut}.${underWay > 0 ? ` ${killed}` : ''} Look in the service for each, then say what you found:${more.join('')}
  it is there:            ${resolve('--key', key, '--record-id', 'ID')}
  it is not:              ${resolve('--key', key, '--not-created')}
  none of them is there:  ${resolve('--all', '--not-created')}
What was not created is sent again by the next import.
`
}

export const describeSettled = (results: string, settled: string, left: number): string =>
  `${visible(results)}: ${settled}; ${left === 0 ? 'no row is in doubt any more' : `${rowsInDoubt(left)} still`}.\n`

export async function firstItems<T>(items: AsyncIterable<T> | Iterable<T>, most: number): Promise<T[]> {
  const first: T[] = []
  for await (const item of items) if (first.push(item) === most) break
  return first
}

const longestValue = 400

/** Returns objects with the same fields as the cells of a table, its header first. */
function cellsOf(items: readonly object[], longest = longestValue): string[][] {
  const cells = items.map(item => Object.values(item).map(value => showValue(value, longest)))
  return [...items.slice(0, 1).map(Object.keys), ...cells]
}

export const tableText = (items: readonly object[], longest?: number): string =>
  items.length === 0 ? '' : `${aligned(cellsOf(items, longest)).join('\n')}\n\n`

export const describeWithoutId = (count: number, file: string): string =>
  `${counted(count, 'row', 'rows')} of ${visible(file)} ${count === 1 ? 'has' : 'have'} no id of a record, and ${count === 1 ? 'was' : 'were'} not used.`

/** What the run of a command takes from its context. */
export const commandOf = ({ version, clock }: Pick<CliContext, 'version' | 'clock'>) => ({
  rowlift: version,
  now: clock.now,
  describe: describeProblem,
})
