import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '../model/errors.ts'
import { type Opening, parseOpening } from '../store/files/lines.ts'
import { isThere } from '../store/files/result-log.ts'
import { intentLogPath } from '../store/files/whole-lines.ts'
import { mappingName, mappingObject } from './paths.ts'
import type { PreparedImport, StepLookups } from './prepared-import.ts'

/** The fields by which a run knows its log, as an opening line has them. A dry run need not know the service. */
export type LogIdentity = ReturnType<typeof logIdentity>

export const logIdentity = ({ mapping, options }: Pick<PreparedImport, 'mapping' | 'options'>) => ({
  base_url: options.baseUrl,
  organization_id: options.organizationId,
  record: mapping.record,
  mapping: mapping.file,
  mapping_sha256: mapping.sha256,
  key_columns: mapping.keyColumns,
})

/** The fields that all runs of an import share, whatever its store, as people call them. */
export const importFields = {
  record: 'kind of record',
  base_url: 'base URL',
  organization_id: 'organization',
  key_columns: 'key',
} as const

const fields = Object.keys(importFields) as (keyof typeof importFields)[]

/** Throws a UsageError if a result log belongs to another import; fields that a dry run does not know are not compared. */
export function checkLogIdentity(log: string, before: Opening | undefined, now: LogIdentity): void {
  if (before === undefined) return
  for (const field of fields) {
    const [then = 'none', requested] = [before[field], now[field]].map(value => JSON.stringify(value))
    if (requested !== undefined && then !== requested)
      throw new UsageError('log_mismatch', { log, what: importFields[field], before: then, now: requested })
  }
}

/** Returns a text that is equal for all runs of one import, whatever their log. A mapping that is an object has no name. */
const importOf = (run: LogIdentity): string =>
  JSON.stringify([
    run.mapping === mappingObject ? run.mapping_sha256 : mappingName(String(run.mapping)),
    ...fields.map(field => run[field]),
  ])

/**
 * Throws a UsageError if a log that is not there yet would be the second one of its import: it knows no row, and all rows
 * of the first one would be created again.
 */
export async function checkNoOtherLog(log: string, now: LogIdentity, steps?: StepLookups): Promise<void> {
  // A dry run that does not name its service cannot be compared, and it creates nothing.
  if (now.base_url === undefined || now.organization_id === undefined) return
  const hasLog = (await openingOf(log).catch(() => undefined)) !== undefined // a torn first line is none
  if (hasLog || (await isThere(intentLogPath(log)))) return
  const changedMs = new Map<string, number>()
  for (const name of await readdir(dirname(log)).catch(() => [])) {
    const path = join(dirname(log), name)
    const opening = await openingOf(path).catch(() => undefined)
    if (opening === undefined || importOf(opening) !== importOf(now)) continue
    const other = path.replace(/\.inflight$/, '') // calls in flight are proof of their log, even of one that is gone
    if (await steps?.withLog(other)) continue // steps may share a mapping
    changedMs.set(other, (await stat(path).catch(() => undefined))?.mtimeMs ?? 0) // a run that ends removes its list
  }
  const others = [...changedMs].sort(([, a], [, b]) => b - a).map(([path]) => path)
  if (others.length > 0) throw new UsageError('other_log', { log, others, isStep: steps !== undefined })
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
