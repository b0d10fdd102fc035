import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FaultyService, faultTimeoutS, startFaultyService } from './fault-injection.ts'
import { importOf } from './imports.ts'
import { killAndResume } from './kill-and-resume.ts'
import { randomFor } from './random.ts'
import { folderWith, type Line, linesOf } from './rowlift.ts'
import type { ArrivedCall } from './service.ts'
import type { SourceRow, SourceWithRows } from './source-rows.ts'
import { windowsNode } from './wine.ts'

/** How often an import is killed, and how its service behaves. */
export interface Trial {
  readonly name: string
  readonly source: SourceWithRows
  /** How often it is killed. */
  readonly kills: number
  /** Whether the service fails in every way. */
  readonly fails: boolean
}

/** What the log says and what the service really made. */
export interface History {
  readonly rows: readonly RowHistory[]
  /** That of the last run. */
  readonly exitCode: number | null
  /** What the service made. */
  readonly made: FaultyService['made']
  readonly results: FaultyService['results']
  /** All files in the folder whose names begin with that of the log. */
  readonly files: readonly string[]
}

/** A row of the source, and what the log says of it. */
export interface RowHistory extends SourceRow {
  readonly lines: readonly Line[]
}

export const concurrency = 5

/** Runs an import of tasks under kills and faults until it finishes. */
export const taskHistory = (trial: Trial): Promise<History> => historyOf(trial, undefined)

/** The same for contacts and a service that finds similar ones by e-mail; the last run has no faults. */
export const contactHistory = (trial: Trial): Promise<History> =>
  historyOf(trial, ({ body }) => (body as { emails: { email: string }[] }).emails[0]?.email ?? '')

async function historyOf(
  { name, source, kills, fails }: Trial,
  similar: ((call: ArrivedCall) => string) | undefined,
): Promise<History> {
  const service = await startFaultyService({
    fails,
    random: randomFor(`${name}: service`),
    ...(similar && { similar }),
  })
  const cwd = await folderWith({ 'rows.csv': source.csv, 'map.yaml': source.mapping })
  const timeout = fails ? ['--timeout', String(faultTimeoutS)] : []
  const merged = similar === undefined ? [] : ['--expect-merged', '100%'] // some rows share an address
  const lock = windowsNode === undefined ? [] : ['--lock-timeout', '1'] // a killed run's lock ends by its heartbeat alone there
  const args = importOf('rows.csv', 'map.yaml', service.url, '-c', String(concurrency), ...merged, ...lock)
  const random = randomFor(`${name}: kills`)
  const doomed = { args, cwd, service, rowCount: source.rows.length, kills, random }
  let last = await killAndResume({ ...doomed, args: [...args, ...timeout] })
  if (similar !== undefined) {
    service.stopFaults()
    last = await killAndResume({ ...doomed, kills: 0 }) // with time enough, however busy this machine is
  }
  await service.settled()
  return { ...(await evidence(source, cwd, service)), exitCode: last.exitCode }
}

async function evidence(
  { rows }: SourceWithRows,
  cwd: string,
  { made, results }: FaultyService,
): Promise<Omit<History, 'exitCode'>> {
  const lines = linesOf(await readFile(join(cwd, 'results.ndjson'), 'utf8'))
  const byRow = new Map<number | undefined, Line[]>()
  for (const line of lines) byRow.set(line.row, [...(byRow.get(line.row) ?? []), line])
  return {
    rows: rows.map((row, at) => ({ ...row, lines: byRow.get(at + 1) ?? [] })),
    made,
    results,
    files: (await readdir(cwd)).filter(file => file.startsWith('results.ndjson')),
  }
}

/** The final state of a row in the log: a record is final, and only a record ends a doubt. */
export function endOf({ lines }: RowHistory): string | undefined {
  const statuses: string[] = lines.map(line => line.status)
  const has = (status: string) => statuses.includes(status)
  if (['created', 'existing', 'merged'].some(has)) return 'has its record'
  return has('in_doubt') ? 'in doubt' : statuses.at(-1)
}

/** The record ids in the log. */
export const idsIn = (rows: readonly RowHistory[]): string[] =>
  rows.flatMap(({ lines }) => lines.map(line => line.record_id).filter(id => id !== undefined))

/** How many there are of each name. */
function countsOf(named: readonly { readonly name: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The names of which there are more in one list than in another. */
export function moreThan(
  some: readonly { readonly name: string }[],
  allowed: readonly { readonly name: string }[],
): string[] {
  const most = countsOf(allowed)
  return [...countsOf(some)].filter(([name, count]) => count > (most.get(name) ?? 0)).map(([name]) => name)
}
