import { type CliContext, tell } from '../../cli/context.ts'
import { recognizableFields } from '../../model/recognizable-fields.ts'
import {
  aligned,
  commandLine,
  counted,
  grouped,
  rows,
  timeOf,
  visible,
  visibleJson,
} from '../../output/text.ts'
import { describeCode, describeProblem } from '../../output/words.ts'
import { shorten } from '../../result/short-texts.ts'
import { writeTexts } from '../../run/ports.ts'
import { type Doubt, orphanLine } from '../../store/files/lines.ts'

/** On a terminal a table of the first rows, or all of one row; else lines of the log. Advice goes to stderr. */
export async function listDoubtful(
  doubts: AsyncIterable<Doubt>,
  counts: DoubtCounts,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
  const isTable = stdoutIsTerminal && counts.key === undefined
  const textOf = stdoutIsTerminal ? describeDoubt : doubtLine
  await writeTexts(() => listed(doubts, isTable ? undefined : textOf, doubtTable), stdout)
  const isCut = isTable && counts.inDoubt > mostInTable
  tell(stderr, describeDoubts(counts, isCut ? mostInTable : undefined))
}

const mostInTable = 50

/** A text for each, or a table of the first. */
export async function* listed<T>(
  items: AsyncIterable<T>,
  textOf: ((item: T) => string) | undefined,
  tableOf: (first: readonly T[]) => string,
): AsyncGenerator<string> {
  const first: T[] = []
  for await (const item of items)
    if (textOf !== undefined) yield textOf(item)
    else if (first.push(item) === mostInTable) break
  yield tableOf(first)
}

/** A call that was in flight has no line yet. */
function doubtLine(doubt: Doubt): string {
  const isInFlight = doubt.errors.some(({ message }) => message === undefined)
  return visibleJson(`${isInFlight ? orphanLine(doubt, describeProblem) : JSON.stringify(doubt)}\n`)
}

const rowsInDoubt = (count: number): string => counted(count, 'row is in doubt', 'rows are in doubt')

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

const doubtColumns = ['key', 'name', 'e-mail', 'phone', 'due', 'parent', 'since (UTC)', 'run']
const longestCell = 40

/** Rows in doubt, each on a line by what a person can look for in the service. */
function doubtTable(doubts: readonly Doubt[]): string {
  const table = doubts.map(({ key, at, run, body }) => {
    const { name = '', emails, phones, dueDate = '', parentName = '' } = recognizableFields(body)
    return [key, name, emails.join(' '), phones.join(' '), dueDate, parentName, timeOf(at), run]
  })
  const used = doubtColumns.map((_, at) => table.some(cells => cells[at] !== ''))
  const lines = aligned(
    [doubtColumns, ...table].map(cells =>
      cells.filter((_, at) => used[at]).map(cell => shorten(cell, longestCell)),
    ),
  )
  return doubts.length === 0 ? '' : `${lines.join('\n')}\n\n`
}

interface DoubtCounts {
  /** A result log, or an import in a ledger, and the words of a command that name it. */
  readonly store: string
  readonly args: readonly string[]
  readonly inDoubt: number
  /** Of a log: under way when their run ended. */
  readonly underWay: number
  /** The one row that was asked for. */
  readonly key: string | undefined
}

/** How many rows are in doubt, and how to settle them; `cutTo` is how many a table has that does not have all. */
function describeDoubts(
  { store, args, inDoubt, underWay, key }: DoubtCounts,
  cutTo: number | undefined,
): string {
  const resolve = (...words: string[]) => commandLine(['resolve', ...args, ...words])
  if (inDoubt === 0) return `No row is in doubt in ${visible(store)}.\n`
  const abandoned =
    underWay > 0
      ? ` ${grouped(underWay)} of them were under way when a run was killed, or are still under way.`
      : ''
  const cut = cutTo === undefined ? '' : `, of which the first ${cutTo} are shown`
  const more = [
    ...(cutTo === undefined ? [] : [`\n  all of them:            ${resolve()} > doubts.ndjson`]),
    ...(key === undefined ? [`\n  all that was sent:      ${resolve('--key', 'KEY')}`] : []),
  ]
  return `${rowsInDoubt(inDoubt)} in ${visible(store)}${cut}.${abandoned} Look in the service for each, then say what you found:${more.join('')}
  it is there:            ${resolve('--key', key ?? 'KEY', '--record-id', 'ID')}
  it is not:              ${resolve('--key', key ?? 'KEY', '--not-created')}
  none of them is there:  ${resolve('--all', '--not-created')}
What was not created is sent again by the next import.
`
}

export const describeSettled = (results: string, settled: number, left: number): string =>
  `${visible(results)}: ${rows(settled)} settled; ${left === 0 ? 'no row is in doubt any more' : `${rowsInDoubt(left)} still`}.\n`
