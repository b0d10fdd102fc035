// What the commands other than import print: doubts, drafts, fields, tests of mappings, and where a page is.
import type { Doubt } from '../journal/lines.ts'
import { isContentKey } from '../model/content-key.ts'
import type {
  Explained,
  Field,
  FieldDifference,
  RowChange,
  TestedFile,
  TestResult,
} from '../model/mapping-report.ts'
import type { Outcome } from '../model/outcome.ts'
import { recognizableFields } from '../model/recognizable-fields.ts'
import { shorten } from './log-stats/parse-line.ts'
import type { PageFacts } from './page/facts.ts'
import { type Paint, paintFor } from './paint.ts'
import { aligned, commandLine, counted, grouped, rows, sourceWord, spanOf, timeOf, visible } from './text.ts'
import { describeCode, describeError, describeProblem } from './words.ts'

const rowsOf = (count: number) => counted(count, 'row is in doubt', 'rows are in doubt')

export function describeDoubt({ source, row, line, key, at, errors, body }: Doubt): string {
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
export function doubtTable(doubts: readonly Doubt[]): string {
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

export interface DoubtCounts {
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
export function describeDoubts(
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
  return `${rowsOf(inDoubt)} in ${visible(store)}${cut}.${abandoned} Look in the service for each, then say what you found:${more.join('')}
  it is there:            ${resolve('--key', key ?? 'KEY', '--record-id', 'ID')}
  it is not:              ${resolve('--key', key ?? 'KEY', '--not-created')}
  none of them is there:  ${resolve('--all', '--not-created')}
What was not created is sent again by the next import.
`
}

/** Rows whose records the log does not name. */
export const describeUnnamedRecords = (results: string, inDoubt: number): string =>
  inDoubt === 0
    ? ''
    : `${rowsOf(inDoubt)} in ${visible(results)}: a record that was made for such a row is not listed (${commandLine(['resolve', results])}).\n`

export const describeSettled = (results: string, settled: number, left: number): string =>
  `${visible(results)}: ${rows(settled)} settled; ${left === 0 ? 'no row is in doubt any more' : `${rowsOf(left)} still`}.\n`

/** Of a ledger: calls that it has no outcome of. */
export const describeUnderWay = (calls: number): string =>
  calls === 0
    ? ''
    : `${counted(calls, 'call')} under way; where the worker is gone, the next one puts the row in doubt.\n`

export const waitingForWorkers = (until: Date): string =>
  `Waiting until ${timeOf(until.toISOString())} UTC: so long a worker that was stopped may hold a call.\n`

export const pageWritten = (path: string): string => `the page is ${path}`

/** Why there is no page, and how to write it later from the logs. */
export function pageNotWritten(error: unknown, logs: readonly string[]): string {
  const later = logs.length === 0 ? '' : `. To make it later: ${commandLine(['report', ...logs])}`
  return `no page was written: ${describeError(error)}${later}`
}

/** What `rowlift report` read, and where the page is; `path` is undefined for standard output. */
export function describePage(path: string | undefined, { parts }: PageFacts, tookMs: number): string {
  const count = parts.reduce((sum, part) => sum + (part.type === 'log' ? rowsIn(part.counts) : 0), 0)
  const where = path && `\nPage: ${visible(path)}. It holds personal data; open it in a browser.`
  return `${rows(count)}, ${spanOf(tookMs)}${where ?? ''}\n`
}

const rowsIn = (now: object) => Object.values(now).reduce<number>((sum, count) => sum + Number(count), 0)

/** What to do with the draft of a mapping; `output` is undefined for standard output. */
export function describeDraft(
  source: string,
  output: string | undefined,
  trial: { readonly rows: number; readonly refused: number },
): string {
  const next = commandLine(['import', sourceWord(source), '-m', output ?? 'MAPPING.yaml', '--dry-run'])
  const refused =
    trial.refused === 0 ? '' : ` Of the first ${rows(trial.rows)}, ${trial.refused} would be invalid.`
  return `This is a draft: its comments ask what only you can know.${refused}\nNext: ${next}\n`
}

/** Each column with what it became, what speaks for its role, and the role that came next. */
export function describeColumns(columns: readonly Explained[]): string {
  if (columns.length === 0) return 'The columns are those of a preset, which says what each becomes.\n'
  const percent = (share: number) => `${Math.round(share * 100)}%`
  const table = columns.map(each => {
    const [best, next] = each.roles
    const weights = best ? [percent(best.header), percent(best.values), best.score.toFixed(2)] : ['', '', '']
    const second = next ? `${next.role} ${next.score.toFixed(2)}` : ''
    const name = shorten(each.column, longestCell)
    return [name, percent(each.filled), became(each), best?.role ?? 'none', ...weights, second]
  })
  const head = ['column', 'filled', 'became', 'role', 'header', 'values', 'score', 'next']
  return `${aligned([head, ...table]).join('\n')}\n`
}

function became({ fields, unmapped, beatenBy }: Explained): string {
  if (fields.length > 0) return fields.join(', ')
  if (unmapped === 'beaten') return `beaten by ${shorten(beatenBy ?? '', longestCell)}`
  return { suggested: 'in a comment', 'of others': "somebody else's", unknown: 'not mapped' }[unmapped]
}

/** What was written for several sources, the plan last, and what to do with it. */
export function describeDrafts(paths: readonly string[]): string {
  const next = commandLine(['import', '--plan', paths.at(-1) ?? '', '--dry-run'])
  return `Wrote ${paths.map(visible).join(', ')}. These are drafts: their comments ask what only you can know.\nNext: ${next}\n`
}

/** The tests of a mapping file, each on a line; under one that fails, every field that differs. */
export function describeTests({ file, results }: TestedFile, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const lines = results.flatMap(result => resultLines(result, file, paint))
  return `${paint('bold', file)}\n${lines.length === 0 ? '  no tests\n' : ''}${lines.map(line => `  ${line}\n`).join('')}`
}

function resultLines(
  { name, start, number, line, differences }: TestResult,
  file: string,
  paint: Paint,
): string[] {
  const title = visible(name ?? `test ${number}${start && `: ${start}`}`)
  if (differences.length === 0) return [`${paint('green', '✓')} ${title}`]
  return [
    `${paint('red', '✗')} ${title} ${paint('dim', `${file}:${line}`)}`,
    ...differences.flatMap(difference => differenceLines(difference, paint)),
  ]
}

function differenceLines({ path, expected, received, problem }: FieldDifference, paint: Paint): string[] {
  return [
    `    ${visible(path) || 'the row'}${problem === undefined ? '' : ` ${describeProblem(problem)}`}`,
    paint('green', `      - expected  ${valueText(expected)}`),
    paint('red', `      + received  ${problem === undefined ? valueText(received) : refusedText(received)}`),
  ]
}

const valueText = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))
const refusedText = (value: unknown) => `an error${value === undefined ? '' : ` about ${valueText(value)}`}`

export function describeTestTotal(files: readonly TestedFile[], hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const results = files.flatMap(file => file.results)
  const failed = results.filter(result => result.differences.length > 0).length
  const parts = [
    ...(failed > 0 ? [paint('red', `${grouped(failed)} failed`)] : []),
    paint('green', `${grouped(results.length - failed)} passed`),
  ]
  return `\n${parts.join(', ')}, ${counted(files.length, 'file')}\n`
}

const mostChanges = 10
const longestChange = 120

/** What another mapping makes of the first rows, a field on a line. */
export function describeChanges(changes: readonly RowChange[], count: number, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const cut = (text: string) => visible(shorten(text, longestChange))
  const lines = changes.slice(0, mostChanges).flatMap(({ row: { source, line, key }, fields }) => {
    const row = `${cut(source)}:${line}${isContentKey(key) ? '' : ` (${cut(key)})`}: `
    return fields.slice(0, mostChanges).map(({ path, expected, received }) => {
      const text = (value: unknown) => cut(path === '' ? String(value) : valueText(value))
      const field = path === '' ? '' : `${cut(path)}  `
      return `${row}${field}${paint('red', text(expected))} -> ${paint('green', text(received))}\n`
    })
  })
  return `${lines.join('')}${grouped(changes.length)} of ${counted(count, 'body', 'bodies')} changed\n`
}

export function describeTried(outcomes: readonly Outcome[], mapping: string): string {
  const good = outcomes.filter(({ status }) => status === 'valid').length
  return `${grouped(good)} of the first ${rows(outcomes.length)} would be sent. Watching ${visible(mapping)}; Ctrl-C ends.\n`
}

const commentAt = 64

/** Fields as the lines of a body, each with what it takes, then the ways to write a custom field. */
export function describeFields(fields: readonly Field[], customFields: readonly string[]): string {
  let above: Field | undefined
  const lines = fields.map(field => {
    const { path, indent, takes, rule } = field
    const isFirst = above?.isList && above.path.length < path.length
    above = field
    const start = ' '.repeat(isFirst ? indent - 2 : indent) + (isFirst ? '- ' : '')
    const line = `${start}${path.at(-1)}:${rule === undefined ? '' : ` ${rule}`}`
    return `${line.padEnd(commentAt - 1)} # ${takes}\n`
  })
  const custom = customFields.map(each => `  - ${each}\n`)
  const title = '\n# Each custom field has one value, by its kind:\ncustom_field_values:\n'
  return [...lines, ...(custom.length > 0 ? [title, ...custom] : [])].join('')
}
