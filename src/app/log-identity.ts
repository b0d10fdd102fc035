import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { importFields, type Opening, parseOpening } from '../journal/lines.ts'
import { isThere } from '../journal/result-log.ts'
import { intentLogPath } from '../journal/whole-lines.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import type { StepLookups } from './lookups.ts'
import { mappingName, mappingObject } from './paths.ts'
import type { ResolvedOptions } from './resolve-options.ts'
import type { ImportSettings } from './settings.ts'

/** What tells a run which log is its own; an opening line has all of it. */
export interface LogIdentity extends Pick<Opening, 'record' | 'mapping' | 'mapping_sha256' | 'key_columns'> {
  /** A dry run need not know the service. */
  readonly base_url: string | undefined
  readonly organization_id: number | undefined
}

export const logIdentity = (
  mapping: Pick<Mapping, 'record' | 'keyColumns' | 'file' | 'sha256'>,
  service: Pick<ResolvedOptions, 'baseUrl' | 'organizationId'>,
): LogIdentity => ({
  record: mapping.record,
  mapping: mapping.file,
  mapping_sha256: mapping.sha256,
  key_columns: mapping.keyColumns,
  base_url: service.baseUrl,
  organization_id: service.organizationId,
})

const fields = Object.keys(importFields) as (keyof typeof importFields)[]

/** Throws a UsageError where a result log belongs to another import; what a dry run does not know is not compared. */
export function checkLogIdentity(log: string, before: Opening | undefined, now: LogIdentity): void {
  if (before === undefined) return
  for (const field of fields) {
    const [then = 'none', asked] = [JSON.stringify(before[field]), JSON.stringify(now[field])]
    if (asked !== undefined && then !== asked)
      throw new UsageError('log_mismatch', { log, what: importFields[field], before: then, now: asked })
  }
}

/** Equal for all runs of one import, whatever their log. A mapping that is an object has no name. */
const importOf = (run: LogIdentity): string =>
  JSON.stringify([
    run.mapping === mappingObject ? run.mapping_sha256 : mappingName(String(run.mapping)),
    ...fields.map(field => run[field]),
  ])

/**
 * Throws a UsageError where a log that is not there yet would be the second one of its import: it knows no row, and all rows
 * of the first one would be created again.
 */
export async function checkNoOtherLog(
  log: string,
  now: LogIdentity,
  { settings, steps }: { settings: ImportSettings; steps?: StepLookups },
): Promise<void> {
  // Nothing can be said of a dry run that does not name its service, and it creates nothing.
  if (settings.newLog || now.base_url === undefined || now.organization_id === undefined) return
  const hasLog = (await openingOf(log).catch(() => undefined)) !== undefined // a torn first line is none
  if (hasLog || (await isThere(intentLogPath(log)))) return
  const changedMs = new Map<string, number>()
  for (const path of await filesBeside(log, settings.config)) {
    const opening = await openingOf(path).catch(() => undefined)
    if (opening === undefined || importOf(opening) !== importOf(now)) continue
    const other = path.replace(/\.inflight$/, '') // calls in flight stand for their log, even for one that is gone
    if (await steps?.withLog(other)) continue // steps may share a mapping
    changedMs.set(other, (await stat(path).catch(() => undefined))?.mtimeMs ?? 0) // a run that ends removes its list
  }
  const others = [...changedMs].sort(([, a], [, b]) => b - a).map(([path]) => path)
  if (others.length > 0) throw new UsageError('other_log', { log, others, isStep: steps !== undefined })
}

async function filesBeside(log: string, config: string | undefined): Promise<string[]> {
  const folders = [dirname(log)]
  // until 0.2 a path in a settings file was relative to the working directory
  const before = config && (relative(dirname(config), dirname(log)) || '.')
  if (before && resolve(before) !== resolve(dirname(log))) folders.push(before)
  const found: string[] = []
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [])) found.push(join(folder, name))
  return found
}

const beginning = Buffer.from('{"run":')
const mostBytes = 4_000_000 // the line names all sources, and a command line may have 2 MB

/** Reads no further than the opening line. Undefined for any other file; rejects for one that cannot be read. */
async function openingOf(path: string): Promise<Opening | undefined> {
  if (!(await stat(path)).isFile()) return undefined // a pipe or a device is not even opened
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const { buffer } = await file.read(Buffer.alloc(beginning.length), { position: 0 })
  if (!buffer.equals(beginning)) return undefined
  for await (const line of file.readLines({ start: 0, end: mostBytes, autoClose: false }))
    return parseOpening(line)
  return undefined
}
