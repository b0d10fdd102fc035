import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Line } from '../support/rowlift.ts'
import type { ImportedLog, Scenario, SourceRow } from './scenarios.ts'
import type { Truth } from './service.ts'

/** What a folder says, and what the service knows. */
export interface Evidence {
  readonly scenario: Scenario
  readonly folder: string
  readonly truth: Truth
  /** Keys whose calls were in an `.inflight` when a run was over: each may have gone out. */
  readonly underWay: ReadonlySet<string>
}

/** The lines of a log that can be read, without those that a person took back. */
function linesIn(folder: string, log: string): Line[] {
  const file = join(folder, log)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').flatMap(parsed)
  const takenBack = new Set(lines.map(({ corrects, key }) => `${corrects} ${key}`))
  return lines.filter(({ run, key }) => !takenBack.has(`${run} ${key}`))
}

function parsed(text: string): Line[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

type RowEnd = 'record' | 'in doubt' | 'failed' | 'invalid' | 'duplicate' | undefined

/** A record is final unless it is forgotten, and only a record or a person ends a doubt. */
function endOf(lines: readonly Line[]): RowEnd {
  let end: RowEnd
  for (const { status, by_hand } of lines) {
    if (status === 'forgotten') end = undefined
    else if (end === 'record') continue
    else if (/^(created|existing|merged)$/.test(status)) end = 'record'
    else if (end !== 'in doubt' || by_hand) end = status === 'in_doubt' ? 'in doubt' : status
  }
  return end
}

/** The rows of a log that have their record by it. */
export const settledIn = (folder: string, { log, rows }: ImportedLog): SourceRow[] => {
  const lines = linesIn(folder, log)
  return rows.filter(({ row }) => endOf(lines.filter(line => line.row === row)) === 'record')
}

/** The keys in all `.inflight` files of a folder. */
export const underWayIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.inflight'))
    .flatMap(name => linesIn(folder, name).flatMap(({ key }) => key ?? []))

const timesIn = (names: readonly string[], name: string) => names.filter(each => each === name).length

/** A row of a log, with what is said and known of it. */
interface RowEvidence {
  readonly row: SourceRow
  readonly lines: readonly Line[]
  readonly end: RowEnd
  /** The ids of the records of its name. */
  readonly made: readonly string[]
  /** How many calls for its name arrived in this trial. */
  readonly arrived: number
  /** How many rows have that name. */
  readonly equal: number
}

/** What is wrong with the rows of a scenario once there is nothing left to do. */
export function rowFaults(evidence: Evidence): string[] {
  const { scenario, truth } = evidence
  const all = scenario.logs.map(imported => ({ imported, rows: rowsOf(imported, evidence) }))
  const ends = new Map(all.flatMap(({ rows }) => rows.map(({ row, end }) => [row.name, end])))
  const faults = all.flatMap(({ imported, rows }) => [
    ...rows.flatMap(each =>
      [...faultsOfSending(each, imported, scenario), ...faultsOfEnd(each, imported, evidence, ends)].map(
        fault => `row ${each.row.row} (${each.row.name}) ${fault}`,
      ),
    ),
    ...sharedRecords(rows),
  ])
  return [...faults, ...strangers(scenario, truth)]
}

const rowsOf = ({ log, rows }: ImportedLog, { folder, truth }: Evidence): RowEvidence[] => {
  const all = linesIn(folder, log)
  return rows.map(row => {
    const lines = all.filter(line => line.row === row.row)
    return {
      row,
      lines,
      end: endOf(lines),
      made: truth.made.filter(({ name }) => name === row.name).map(({ recordId }) => recordId),
      arrived: timesIn(truth.calls, row.name),
      equal: timesIn(
        rows.map(({ name }) => name),
        row.name,
      ),
    }
  })
}

/** No row is made twice, but for those that were forgotten. Only rows that were refused, or that the service recognizes, are sent twice. */
function faultsOfSending(
  { row, made, arrived, equal }: RowEvidence,
  { resends }: ImportedLog,
  { forgets = [] }: Scenario,
): string[] {
  const mostMade = forgets.includes(row.name) ? 2 : equal
  const mostCalls = row.name === 'Busy' ? 2 * equal : equal
  const most = row.due === 'record' ? (resends ? Infinity : mostCalls) : row.due === 'refused' ? Infinity : 0
  return [
    ...(made.length > mostMade || (mostMade > equal && made.length < 2)
      ? [`was made ${made.length} times`]
      : []),
    ...(arrived > most ? [`was sent ${arrived} times`] : []),
  ]
}

/** Each row ends as it is due; or in doubt, where a call for it may have gone out and the service does not recognize it. */
function faultsOfEnd(
  { row, lines, end, made, arrived }: RowEvidence,
  { resends }: ImportedLog,
  { underWay }: Evidence,
  ends: ReadonlyMap<string, RowEnd>,
): string[] {
  const due = row.due === 'refused' ? 'failed' : row.due
  const last = lines.at(-1)
  if (end === 'in doubt' && last.errors?.[0]?.code === 'log_lost') return []
  if (end === 'in doubt' && (due === 'failed' || (due === 'record' && !resends)))
    return arrived > 0 || underWay.has(last.key) ? [] : ['is in doubt, and no call for it can have gone out']
  const waits = row.needs !== undefined && ends.get(row.needs) === 'in doubt'
  if (end !== due && !(waits && end === 'invalid' && arrived === 0)) return [`ended ${end}, not ${due}`]
  const id = end === 'record' && lines.findLast(line => line.record_id !== undefined)?.record_id
  return id && !made.includes(id) ? [`has the record ${id}, and was made ${made}`] : []
}

/** Records that the log gives to two rows. */
function sharedRecords(rows: readonly RowEvidence[]): string[] {
  const ids = rows.flatMap(({ lines }) => [...new Set(lines.flatMap(({ record_id }) => record_id ?? []))])
  return ids.filter((id, at) => ids.indexOf(id) !== at).map(id => `two rows have the record ${id}`)
}

/** Records and calls that no row stands for. */
const strangers = ({ logs }: Scenario, { calls, made }: Truth): string[] => {
  const known = new Set(logs.flatMap(({ rows }) => rows.map(({ name }) => name)))
  return [...calls, ...made.map(({ name }) => name)]
    .filter(name => !known.has(name))
    .map(name => `${name} is of no row`)
}

/** Whether every row of a scenario has an end by its log. */
export const isAllTold = ({ scenario, folder }: Pick<Evidence, 'scenario' | 'folder'>): boolean =>
  scenario.logs.every(({ log, rows }) => {
    const told = new Set(linesIn(folder, log).map(({ row }) => row))
    return rows.every(({ row }) => told.has(row))
  })

/** 0 where every row has its record, else 1. */
export const exitCodeDue = ({ scenario, folder }: Pick<Evidence, 'scenario' | 'folder'>): number => {
  const isGood = scenario.logs.every(imported => {
    const due = imported.rows.filter(({ due }) => due !== 'duplicate')
    return settledIn(folder, imported).filter(({ due }) => due !== 'duplicate').length === due.length
  })
  return isGood ? 0 : 1
}

const unfinished = /\.(inflight|lock|part|new|tmp)(\.|$)/

/** Files that nobody should find after a run which ended well. */
export const remainsIn = (folder: string): string[] =>
  readdirSync(folder).filter(name => unfinished.test(name) && !name.startsWith('.rowlift.')) // the next first run takes that lock over
