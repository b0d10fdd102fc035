import type { Opening } from '../journal/lines.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import { mappingName, mappingObject } from './paths.ts'
import type { ResolvedOptions } from './resolve-options.ts'

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

/** All runs of a log share them. */
const shared = {
  record: 'kind of record',
  base_url: 'base URL',
  organization_id: 'organization',
  key_columns: 'key',
} as const

const fields = Object.keys(shared) as (keyof typeof shared)[]

/** Throws a UsageError where a result log belongs to another import; what a dry run does not know is not compared. */
export function checkLogIdentity(log: string, before: Opening | undefined, now: LogIdentity): void {
  if (before === undefined) return
  for (const field of fields) {
    const [then, asked] = [JSON.stringify(before[field]), JSON.stringify(now[field])]
    if (asked !== undefined && then !== asked)
      throw new UsageError('log_mismatch', { log, what: shared[field], before: then ?? 'none', now: asked })
  }
}

/** Equal for all runs of one import, whatever their log. A mapping that is an object has no name. */
export const importOf = (run: LogIdentity): string =>
  JSON.stringify([
    run.mapping === mappingObject ? run.mapping_sha256 : mappingName(String(run.mapping)),
    ...fields.map(field => run[field]),
  ])
