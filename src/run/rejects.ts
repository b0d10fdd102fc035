import type { CheckedSource } from '../input/open.ts'
import { delimiterOf, formatFor, type SourceSettings } from '../input/source.ts'
import { raggedMark, reasonColumn, replacedName } from '../model/content-key.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
import type { Outcome, RowError } from '../model/outcome.ts'
import type { Row } from '../model/row.ts'
import { raggedReason, rejectedReason } from '../output/words.ts'
import {
  commonHeader,
  csvLine,
  openRejectsFile,
  rejectedLine,
  rejectsHeader,
  utf8Mark,
} from '../store/files/rejects-file.ts'
import type { PreparedImport } from './prepared-import.ts'

export interface WrittenRejects {
  readonly path: string
  readonly rows: number
}

/**
 * Opens the file before the first call; undefined if none was named. Disposing of it before it is closed keeps the old file. Throws a
 * UsageError if it cannot be written.
 */
export async function openRejects({ options, sources, isCorrected }: PreparedImport) {
  const { rejects: path, sourceSettings } = options
  if (path === undefined) return undefined
  const { head, lineOf } = rejectsForm(path, sources, sourceSettings)
  const file = await openRejectsFile(path, head).catch(error => {
    throw new UsageError('cannot_write_rejects', { path, reason: reasonOf(error) })
  })
  let rows = 0
  let state: 'open' | 'closing' | 'complete' = 'open'
  return {
    /** Undefined until the file is complete. */
    written: (): WrittenRejects | undefined => (state === 'complete' ? { path, rows } : undefined),
    keep(outcome: Outcome, row: Row) {
      const isConflict = outcome.status === 'duplicate' && outcome.errors !== undefined
      const isUnclear = outcome.status === 'held' && outcome.candidates !== undefined
      const isBad = outcome.status === 'invalid' || outcome.status === 'failed'
      if (!(isBad || isConflict || isUnclear) || isCorrected?.(outcome, row)) return undefined
      rows += 1
      return file.add(lineOf(row, replacedName(outcome.identity), outcome.errors ?? []))
    },
    async close() {
      state = 'closing'
      await file.close()
      state = 'complete'
    },
    async [Symbol.asyncDispose]() {
      if (state === 'open') await file.discard()
    },
  }
}

type Headed = Pick<CheckedSource, 'path' | 'columns'>
type LineOf = (row: Row, key: string, errors: readonly RowError[]) => string

/** The start of the file and its lines, as the same mapping and flags read it. Throws a UsageError if there is no such format. */
export function rejectsForm(path: string, sources: readonly Headed[], settings: Partial<SourceSettings>) {
  const headers = sources.flatMap(({ path, columns }) => (columns === undefined ? [] : [{ path, columns }]))
  if (headers.length > 0 && headers.length < sources.length) throw new UsageError('rejects_mixed_formats')
  const format = headers.length > 0 ? 'csv' : 'ndjson'
  if (formatFor(path, settings) !== format) throw new UsageError('rejects_extension', { path, format })
  if (format === 'ndjson') {
    const head = /^utf-?8$/i.test(settings.encoding ?? 'utf-8') ? '' : utf8Mark
    const lineOf: LineOf = (row, key, errors) => rejectedLine(row, key, rejectedReason(errors))
    return { head, lineOf }
  }
  const delimiter = settings.delimiter ?? delimiterOf(path)
  const header = commonHeader(headers)
  const lineOf: LineOf = (row, key, errors) => {
    const texts = [...row.cells()].map(([, cell]) => String(cell))
    const { cells, surplus } = header.place(row.source, texts)
    const reason =
      row.fault === undefined || row.fault.code === 'nul_character'
        ? rejectedReason(errors)
        : (reasonBefore(row) ?? raggedReason(errors, surplus, delimiter))
    return csvLine([...cells, key, reason], delimiter)
  }
  return { head: rejectsHeader(header, delimiter), lineOf }
}

/** A ragged row that comes back unchanged keeps its reason, which may hold its surplus cells. */
function reasonBefore(row: Row): string | undefined {
  const reason = String(row.isRagged ? '' : (row.value(reasonColumn) ?? ''))
  return reason.startsWith(raggedMark) ? reason : undefined
}
