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

/** The lines of a log that can be read. */
function linesIn(folder: string, log: string): Line[] {
  const file = join(folder, log)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').flatMap(parsed)
}

function parsed(text: string): Line[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

type RowEnd = 'record' | 'in doubt' | 'failed' | 'invalid' | 'duplicate' | undefined

/** A record is final, and only a record or a person ends a doubt. */
function endOf(lines: readonly Line[]): RowEnd {
  let end: RowEnd
  for (const { status, by_hand } of lines) {
    if (end === 'record') return end
    if (/^(created|existing|merged)$/.test(status)) end = 'record'
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

/** What is wrong with the rows of a scenario once there is nothing left to do. */
export function rowFaults(evidence: Evidence): string[] {
  const { scenario, folder, truth } = evidence
  return scenario.logs
    .flatMap(imported => {
      const lines = linesIn(folder, imported.log)
      return imported.rows.flatMap(row =>
        faultsOf(
          row,
          lines.filter(line => line.row === row.row),
          imported,
          evidence,
        ).map(fault => `row ${row.row} (${row.name}) ${fault}`),
      )
    })
    .concat(strangers(scenario, truth))
}

function faultsOf(
  row: SourceRow,
  lines: readonly Line[],
  imported: ImportedLog,
  evidence: Evidence,
): string[] {
  const { truth, underWay } = evidence
  const end = endOf(lines)
  const ids = truth.made.filter(({ name }) => name === row.name).map(({ recordId }) => recordId)
  const equal = imported.rows.filter(({ name }) => name === row.name).length
  const arrived = timesIn(truth.calls, row.name)
  const faults: string[] = []
  if (ids.length > equal) faults.push(`was made ${ids.length} times`)
  if (row.due === 'invalid' || row.due === 'duplicate') {
    if (arrived > 0) faults.push('was sent')
    if (end !== row.due) faults.push(`ended ${end}, not ${row.due}`)
    return faults
  }
  const mostCalls = row.name === 'Busy' ? 2 * equal : equal
  if (row.due === 'record' && !imported.resends && arrived > mostCalls)
    faults.push(`was sent ${arrived} times`)
  const due = row.due === 'record' ? 'record' : 'failed'
  if (end === 'record') {
    const logged = lines.findLast(line => line.record_id !== undefined)?.record_id
    if (due !== 'record' || !ids.includes(logged))
      faults.push(`has the record ${logged}, and was made ${ids}`)
  } else if (end === 'in doubt') {
    if (imported.resends && due === 'record') faults.push('is in doubt')
    const key = lines.findLast(line => line.status === 'in_doubt')?.key
    const wasOut = arrived > 0 || underWay.has(key)
    if (!wasOut) faults.push('is in doubt, and no call for it can have gone out')
  } else if (end !== due) faults.push(`ended ${end}, not ${due}`)
  return faults
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
  readdirSync(folder).filter(name => unfinished.test(name))
