import { noRecordMade } from '../fault-injection.ts'
import type { Line } from '../rowlift.ts'
import { breachesIn } from './call-history.ts'
import type { Round } from './round.ts'
import type { MachineRow, Mode } from './source.ts'

/** A row, with what the ledger says and the service knows of it. */
interface RowTruth {
  readonly row: MachineRow
  readonly number: number
  readonly lines: readonly Line[]
  readonly end: string | undefined
  /** Ids of the records that the service made for it. */
  readonly made: readonly string[]
  /** How many calls for it may have made a record. */
  readonly calls: number
}

const withRecord = ['created', 'existing', 'merged']
const buckets = [...withRecord, 'failed', 'invalid', 'duplicate', 'in_doubt']

/**
 * The last line counts; but a record is final, and only a record ends a doubt. Where doubts are sent again, that may be the record of
 * another row with the key.
 */
function endOf(lines: readonly Line[], mode: Mode): string | undefined {
  const statuses: string[] = lines.map(line => line.status)
  const record = statuses.find(status => withRecord.includes(status))
  const last = statuses.at(-1)
  if (record !== undefined || (last === 'duplicate' && mode !== 'at-most-once')) return record ?? last
  return statuses.find(status => status === 'in_doubt') ?? last
}

const groupedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string | number) => {
  const groups = new Map<string | number, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** What breaks the promise in a round, in words. */
export function wrongIn(round: Round): string[] {
  const rows = rowsOf(round)
  const keys = [...groupedBy(rows, ({ row, number }) => row.key || `row ${number}`)]
  return [
    ...round.wrong,
    ...breachesIn(round.history),
    ...round.left.map(name => `${name} was left`),
    ...rows.flatMap(row => wrongWith(row, round).map(what => `row ${row.number} ${what}: ${told(row)}`)),
    ...keys.flatMap(([key, some]) =>
      wrongWithKey(some, round).map(what => `key ${key} ${what}: ${some.map(told).join(' | ')}`),
    ),
    ...strangers(round, rows),
    ...wrongExit(round, rows),
  ]
}

/** The numbers of rows in doubt. */
export const doubtsIn = (round: Round): number[] =>
  rowsOf(round).flatMap(({ end, number }) => (end === 'in_doubt' ? number : []))

const told = ({ number, lines, made, calls }: RowTruth) =>
  `${number} [${lines.map(line => `${line.status} ${line.record_id ?? line.reason ?? ''} ${line.run}`).join(', ')}], ${made.length} made (${made}), ${calls} calls`

function rowsOf({ mode, rows, lines, made, results }: Round): RowTruth[] {
  const linesOfRow = groupedBy(lines, line => line.row)
  const madeOf = groupedBy(made, ({ name }) => name)
  const mayHaveMade = results.filter(({ what }) => !noRecordMade.has(what))
  const callsOf = groupedBy(mayHaveMade, ({ name }) => name)
  return rows.map((row, at) => {
    const own = linesOfRow.get(at + 1) ?? []
    return {
      row,
      number: at + 1,
      lines: own,
      end: endOf(own, mode),
      made: (madeOf.get(row.name) ?? []).map(({ recordId }) => recordId),
      calls: callsOf.get(row.name)?.length ?? 0,
    }
  })
}

/** Ends of rows for which nothing was made; a duplicate may have been in doubt before. */
const without = (mode: Mode) => ['failed', 'invalid', ...(mode === 'at-most-once' ? ['duplicate'] : [])]

/** Each row is in one bucket, and the record that it has is one that was made. */
function wrongWith({ row, lines, end, made, calls }: RowTruth, { mode, made: all }: Round): string[] {
  if (end === undefined || !buckets.includes(end)) return [`is lost (${end})`]
  const records = lines.filter(line => withRecord.includes(line.status))
  const ids = records.map(line => line.record_id)
  const isOwn = (id: string) =>
    made.includes(id) || (mode === 'use_created' && all.some(each => each.recordId === id))
  return [
    ...(records.length > (mode === 'at-least-once' ? new Set(ids).size : 1) ? ['has its record twice'] : []),
    ...(ids.every(isOwn) ? [] : ['has a record that was not made for it']),
    ...(row.isInvalid === (end === 'invalid') || (row.isInvalid && end === 'duplicate') ? [] : [`is ${end}`]),
    ...(without(mode).includes(end) && made.length > 0 ? [`is ${end} and has a record`] : []),
    ...(end === 'invalid' && calls > 0 ? ['is invalid and was sent'] : []),
    ...(end === 'in_doubt' && mode !== 'at-most-once' ? ['is left in doubt'] : []),
  ]
}

/** No key has two records; each record that was made is known, or its row is in doubt. */
function wrongWithKey(some: readonly RowTruth[], { mode }: Round): string[] {
  const sendable = some.filter(({ row }) => !row.isInvalid)
  const withIt = sendable.filter(({ end }) => withRecord.includes(end ?? ''))
  const ids = new Set(withIt.flatMap(({ lines }) => lines.flatMap(line => line.record_id ?? [])))
  const made = some.flatMap(row => row.made)
  const unknown = some.filter(row => row.made.some(id => !ids.has(id)))
  const wrong = [
    ...(withIt.length > 1 ? ['has a record in several rows'] : []),
    ...(sendable.filter(({ end }) => end !== 'duplicate').length > 1
      ? ['has several rows that are no duplicates']
      : []),
    ...(sendable.length > 0 && sendable.every(({ end }) => end === 'duplicate')
      ? ['is only in duplicates']
      : []),
  ]
  if (mode === 'at-most-once')
    return [
      ...wrong,
      ...(made.length > 1 ? [`was made ${made.length} times`] : []),
      ...(unknown.every(({ end }) => end === 'in_doubt') ? [] : ['has a record that nobody knows of']),
    ]
  return mode === 'use_created' && made.length > 1 ? [...wrong, `was made ${made.length} times`] : wrong
}

/** Records that are no row's, and lines of no row. */
const strangers = ({ made, lines }: Round, rows: readonly RowTruth[]): string[] => {
  const names = new Set(rows.map(({ row }) => row.name))
  return [
    ...made.filter(({ name }) => !names.has(name)).map(({ name }) => `${name} is of no row`),
    ...lines.filter(({ row }) => row > rows.length).map(({ row }) => `there is no row ${row}`),
  ]
}

function wrongExit({ exitCode }: Round, rows: readonly RowTruth[]): string[] {
  const isBad = rows.some(({ end }) => ['failed', 'invalid', 'in_doubt'].includes(end ?? ''))
  return exitCode === (isBad ? 1 : 0) ? [] : [`the last worker ended with ${exitCode}`]
}
