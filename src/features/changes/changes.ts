// The list of rows that have their record and read differently now. There is no update call, so a person works through it. Rows are kept
// as they come; at the end, the log has their records, the last export has what they were, and the list is written.
import { stat } from 'node:fs/promises'
import { delimiterOf, formatFor, isPacked } from '../../input/source.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { rejectedReason } from '../../output/words.ts'
import type { Markup } from '../../result/facts.ts'
import { isWhole } from '../../run/import-end.ts'
import { readLogOf } from '../../run/logs.ts'
import { fileOf } from '../../run/paths.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { givesRecord } from '../../store/files/lines.ts'
import { csvLine, openRejectsFile, utf8Mark } from '../../store/files/rejects-file.ts'
import { readResultLines, resolveLink } from '../../store/files/result-log.ts'
import { spilledLines } from '../../store/files/spilled-lines.ts'
import type { Log } from '../../store/files/whole-lines.ts'
import { type ChangedRow, changesMarkup, mostOnPage, textsIn } from './list.ts'
import { cellsOf, openPrevious } from './previous.ts'

/** Lists changed rows in the file of `--changes`, and the first ones for a page. Throws a UsageError or a SourceError. */
export async function withChanges(prepared: PreparedImport): Promise<PreparedImport> {
  const { settings, options, mapping, store, stop, tally, ports } = prepared
  if (settings.previous !== undefined && settings.changes === undefined)
    throw new UsageError('previous_without_changes')
  const path = settings.changes && (await listPath(settings.changes))
  const changesSince = settings.previous ? await openPrevious(settings.previous, prepared) : undefined
  const delimiter = options.sourceSettings.delimiter ?? delimiterOf(path ?? '')
  const compared = changesSince ? ['column', 'was', 'is'] : []
  const own = ['key', 'record_id', 'source', 'row', 'line', 'status', ...compared, 'note']
  const changed = spilledLines()
  const paths = new Set<string>()
  let page: Markup | undefined
  let written: string | undefined

  function keep(outcome: Outcome, row: Row): undefined {
    if (outcome.status !== 'done' || !outcome.changed) return
    if (path === undefined && changed.count >= mostOnPage) return
    const { source, row: number, line, key } = outcome.identity
    const mapped = outcome.noLongerValid && mapping.map(row, true)
    const kept: ChangedRow = {
      ...{ source, row: number, line, key },
      status: outcome.noLongerValid ? 'no longer valid' : 'changed',
      note: mapped && 'errors' in mapped ? rejectedReason(mapped.errors) : '',
      fields: textsIn(JSON.parse(JSON.stringify(outcome.body ?? {}))),
      cells: changesSince ? cellsOf(row) : [],
    }
    for (const [path] of kept.fields) paths.add(path)
    changed.add(JSON.stringify(kept))
  }

  /** Lists the changes of all rows. The log and the last export are read once for each part of them, which bounds the memory. */
  async function listRows(log: Log, add?: (line: string) => Promise<void>): Promise<void> {
    for (const lines of changed.all()) {
      const rows = lines.map(line => JSON.parse(line) as ChangedRow)
      const keys = new Set(rows.map(({ key }) => key))
      const records = await recordsOf(log, keys)
      page ??= changesMarkup(rows, records, tally.changed)
      if (add === undefined) return
      const changesOf = await changesSince?.(keys)
      for (const row of rows) {
        const { key, source, line, status, fields, note } = row
        const texts = new Map(fields)
        const first = [key, records.get(key) ?? '', source, `${row.row}`, `${line}`, status]
        const last = [...paths].map(path => texts.get(path) ?? '')
        for (const change of changesOf?.(row) ?? [[note]])
          await add(csvLine([...first, ...change, ...last], delimiter))
      }
    }
  }

  async function open() {
    let file = path === undefined ? undefined : await openList(path)
    return {
      keep,
      async close() {
        const whole = isWhole(tally) && stop.reason === undefined ? file : undefined // else it would lack rows
        const fields = [...paths].map(path => (own.includes(path) ? `body.${path}` : path))
        await whole?.add(csvLine([...own, ...fields], delimiter))
        const place = { ...settings, store, results: fileOf(options.results) }
        if (changed.count > 0) await readLogOf(place, ports, log => listRows(log, whole?.add))
        if (whole === undefined) return
        file = undefined
        await whole.close()
        written = path
      },
      async [Symbol.asyncDispose]() {
        changed.clear()
        await file?.discard()
      },
    }
  }
  return { ...prepared, changes: { open, result: () => ({ file: written, page }) } }
}

/** Throws a UsageError if a list could not be written there, or would not be taken for CSV. */
async function listPath(named: string): Promise<string> {
  const path = await resolveLink(named)
  const file = await stat(path).catch(() => undefined)
  if (file?.isFile() === false || isPacked(path) || formatFor(path, {}) !== 'csv')
    throw new UsageError('changes_not_csv', { path: named })
  return path
}

const openList = (path: string) =>
  openRejectsFile(path, utf8Mark).catch(error => {
    const reason = reasonOf(error)
    throw new UsageError('cannot_write_artifact', { path, role: 'list of changed rows', reason })
  })

/** The records of rows by their keys: the last line with one counts. Reads the log once. */
async function recordsOf(log: Log, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const records = new Map<string, string>()
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { key, record_id: id } = line
      if (key !== undefined && id !== undefined && keys.has(key) && givesRecord(line)) records.set(key, id)
    }
  return records
}
