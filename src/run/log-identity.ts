import { basename } from 'node:path'
import { standardInput } from '../input/source.ts'
import { distinctMark, reasonColumn } from '../model/content-key.ts'
import { UsageError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { ImportSettings } from '../settings/settings.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import type { PreparedImport } from './prepared-import.ts'
import { addressOf, isOnLoopback } from './service.ts'

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

/** A field as two runs are compared by it: one address has several spellings. */
const compared = (run: Partial<LogIdentity>, field: keyof typeof importFields): string | undefined =>
  JSON.stringify(field === 'base_url' ? run.base_url && addressOf(run.base_url) : run[field])

/** The first field in which a run differs from another one; what a dry run does not know is not compared. */
export function differingField(before: Opening, now: LogIdentity, renamed: ImportSettings['renamed'] = []) {
  const newNames = new Map(
    renamed.flatMap(({ column, path }) => ['', distinctMark].map(mark => [column + mark, path + mark])),
  )
  const then = { ...before, key_columns: before.key_columns.map(column => newNames.get(column) ?? column) }
  return fields.find(field => now[field] !== undefined && compared(then, field) !== compared(now, field))
}

/** Throws a UsageError if a result log belongs to another import. */
export function checkLogIdentity(
  log: string,
  { opening, settled: records }: Pick<Checkpoint, 'opening' | 'settled'>,
  run: LogIdentity,
  renamed?: ImportSettings['renamed'],
): void {
  const field = opening && differingField(opening, run, renamed)
  if (field === undefined) return
  const [before = 'none', now = ''] = [opening?.[field], run[field]].map(value => JSON.stringify(value))
  const isMovable = field === 'base_url' && isOnLoopback(before) === isOnLoopback(now)
  throw new UsageError('log_mismatch', { log, what: importFields[field], before, now, records, isMovable })
}

/** The sheets that are read, by their sources; undefined if there are none. */
export function sheetsIn(sources: PreparedImport['sources']): Opening['sheets'] {
  const sheets = sources.flatMap(({ path, sheet }) => (sheet === undefined ? [] : [[path, sheet] as const]))
  return sheets.length === 0 ? undefined : Object.fromEntries(sheets)
}

/** Events about sources and sheets that are others than those of the last run. Rejected rows and standard input may come at any time. */
export function changedSources(before: Opening | undefined, now: PreparedImport): RunEvent[] {
  const { sources } = now.options
  const areRejects = now.sources.some(({ columns }) => columns?.includes(reasonColumn))
  if (before === undefined || areRejects) return []
  const { sheets: past = {} } = before
  const sheets = Object.entries(sheetsIn(now.sources) ?? {}).flatMap(([source, sheet]): RunEvent[] => {
    const last = past[source] === undefined ? Object.values(past) : [past[source]]
    return last.length === 0 || last.includes(sheet) ? [] : [{ type: 'other_sheet', source, sheet, last }]
  })
  const names = new Set([...before.sources.map(nameOfSource), standardInput])
  const areOthers =
    before.sources[0] !== standardInput && !sources.some(path => names.has(nameOfSource(path)))
  return areOthers ? [...sheets, { type: 'other_sources', sources, last: before.sources }] : sheets
}

/** The name of a file without numbers and dates, which may differ each night. */
const nameOfSource = (path: string) => basename(path).replaceAll(/\d+/g, '')
