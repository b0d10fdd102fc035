import { UsageError } from '../model/errors.ts'
import type { Opening } from '../store/files/lines.ts'
import type { PreparedImport } from './prepared-import.ts'

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
