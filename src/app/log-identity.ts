import type { Opening } from '../journal/lines.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** What all runs of one result log have in common (DESIGN 3 and 4). */
export type LogIdentity = Pick<Opening, 'record' | 'key_columns'> &
  Partial<Pick<Opening, 'base_url' | 'organization_id'>>

/** What a log has to agree with; a dry run need not know the service. */
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
 * Checks that a result log belongs to this import, so that a trial never makes the real import skip its rows. Throws a
 * UsageError that says what differs; what a dry run does not know is not compared.
 */
export function checkLogIdentity(log: string, before: Opening | undefined, now: LogIdentity): void {
  if (before === undefined) return
  for (const field of ['record', 'base_url', 'organization_id', 'key_columns'] as const) {
    const [then, asked] = [JSON.stringify(before[field]), JSON.stringify(now[field])]
    if (asked !== undefined && then !== asked)
      throw new UsageError('log_mismatch', { log, what: names[field], before: then ?? 'none', now: asked })
  }
}
