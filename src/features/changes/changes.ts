// The list of rows that have their record and read differently now. There is no update call, so a person works through it.
import { stat } from 'node:fs/promises'
import { delimiterOf, formatOf, isPacked } from '../../input/source.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { rejectedReason } from '../../output/words.ts'
import { isWhole } from '../../run/import-end.ts'
import { readLogOf } from '../../run/logs.ts'
import { fileOf } from '../../run/paths.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { givesRecord } from '../../store/files/lines.ts'
import { openRejectsFile, utf8Mark } from '../../store/files/rejects-file.ts'
import { readResultLines, resolveLink } from '../../store/files/result-log.ts'
import { SpilledLines } from '../../store/files/spilled-lines.ts'
import { type ChangedRow, cellReader, fieldsOf } from './changed-row.ts'
import { ListForm } from './list.ts'
import { changesMarkup, mostOnPage, type ShownRow } from './markup.ts'
import { openPrevious } from './previous.ts'

type ListFile = Awaited<ReturnType<typeof openRejectsFile>>

/** Lists changed rows in the file of `--changes`, and the first ones for a page. Throws a UsageError or a SourceError. */
export async function withChanges(prepared: PreparedImport): Promise<PreparedImport> {
  const { settings, options, mapping, store, stop, tally, ports } = prepared
  if (settings.previous !== undefined && settings.changes === undefined)
    throw new UsageError('previous_without_changes')
  const path = settings.changes && (await listPath(settings.changes))
  const readPrevious = settings.previous ? await openPrevious(settings.previous, prepared) : undefined
  const cellsOf = readPrevious ? cellReader(mapping) : () => []
  const form = new ListForm(
    options.sourceSettings.delimiter ?? delimiterOf(path ?? ''),
    readPrevious !== undefined,
  )
  const place = { ...settings, store, results: fileOf(options.results) }
  const changed = new SpilledLines()
  let shown: readonly ShownRow[] = []
  let written: string | undefined

  function keep(outcome: Outcome, row: Row): undefined {
    if (outcome.status !== 'done' || !outcome.changed) return
    if (path === undefined && changed.count >= mostOnPage) return
    const { identity, body } = outcome
    const fields = body === undefined ? [] : fieldsOf(body)
    form.addFields(fields)
    const mapped = body === undefined ? mapping.map(row, true) : undefined
    const kept: ChangedRow = {
      ...{ key: identity.key, source: identity.source, row: identity.row, line: identity.line },
      status: body === undefined ? 'no longer valid' : 'changed',
      note: mapped && 'errors' in mapped ? rejectedReason(mapped.errors) : '',
      ...{ fields, cells: cellsOf(row) },
    }
    changed.add(JSON.stringify(kept))
  }

  /** Reads the log, and the last export, once for some 50,000 rows: so memory stays bounded. */
  async function listRows(log: string, file: ListFile | undefined): Promise<void> {
    for (const lines of changed.all()) {
      const rows = lines.map(line => JSON.parse(line) as ChangedRow)
      const keys = new Set(rows.map(({ key }) => key))
      const records = await recordsOf(log, keys)
      const before = file && (await readPrevious?.(keys, log))
      const recordOf = ({ key }: ChangedRow) => records.get(key) ?? ''
      if (shown.length === 0)
        shown = rows.slice(0, mostOnPage).map(row => ({ ...row, recordId: recordOf(row) }))
      for (const row of rows) await file?.add(form.linesOf(row, recordOf(row), before?.get(row.key)))
    }
  }

  async function open() {
    const file = path === undefined ? undefined : await openList(path)
    let isOpen = true
    return {
      keep,
      /** Keeps the old list if this one would lack rows. */
      async close() {
        const whole = isWhole(tally) && stop.reason === undefined ? file : undefined
        await whole?.add(form.header)
        if (changed.count > 0) await readLogOf(place, ports, log => listRows(log, whole))
        changed.clear()
        if (whole === undefined) return
        isOpen = false
        await whole.close()
        written = path
      },
      async [Symbol.asyncDispose]() {
        changed.clear()
        if (isOpen) await file?.discard()
      },
    }
  }
  const result = () => ({ file: written, page: changesMarkup(shown, tally.changed) })
  return { ...prepared, changes: { open, result } }
}

/** Throws a UsageError if a list could not be written there, or would not be taken for CSV. */
async function listPath(named: string): Promise<string> {
  const path = await resolveLink(named)
  const file = await stat(path).catch(() => undefined)
  if (file?.isFile() === false || isPacked(path) || formatOf(path) !== 'csv')
    throw new UsageError('changes_not_csv', { path: named })
  return path
}

const openList = (path: string): Promise<ListFile> =>
  openRejectsFile(path, utf8Mark).catch(error => {
    throw new UsageError('cannot_write_artifact', {
      ...{ path, role: 'list of changed rows', reason: reasonOf(error) },
    })
  })

/** The records of rows by their keys: the last line with one counts. Reads the log once. */
async function recordsOf(log: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const records = new Map<string, string>()
  for await (const lines of readResultLines(log))
    for (const { line } of lines)
      if (line.key !== undefined && line.record_id !== undefined && keys.has(line.key) && givesRecord(line))
        records.set(line.key, line.record_id)
  return records
}
