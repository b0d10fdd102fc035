import type { Opening } from '../journal/lines.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** The part of an opening line that all runs of one result log share. */
export type LogIdentity = Pick<Opening, 'record' | 'key_columns'> &
  Partial<Pick<Opening, 'base_url' | 'organization_id'>>

/** A dry run need not know the service. */
export const logIdentity = (
  { record, keyColumns }: Pick<Mapping, 'record' | 'keyColumns'>,
  { baseUrl, organizationId }: Pick<ResolvedOptions, 'baseUrl' | 'organizationId'>,
): LogIdentity => ({
  record,
  key_columns: keyColumns,
  ...(baseUrl !== undefined && { base_url: baseUrl }),
  ...(organizationId !== undefined && { organization_id: organizationId }),
})

const names = {
  record: 'kind of record',
  key_columns: 'key',
  base_url: 'base URL',
  organization_id: 'organization',
} as const

/**
 * Checks that a result log belongs to this import. Throws a UsageError that names what differs; what a dry run does not know is
 * not compared.
 */
export function checkLogIdentity(log: string, before: Opening | undefined, now: LogIdentity): void {
  if (before === undefined) return
  for (const field of ['record', 'base_url', 'organization_id', 'key_columns'] as const) {
    const [then, asked] = [JSON.stringify(before[field]), JSON.stringify(now[field])]
    if (asked !== undefined && then !== asked)
      throw new UsageError('log_mismatch', { log, what: names[field], before: then ?? 'none', now: asked })
  }
}
