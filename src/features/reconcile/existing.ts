// Rows that the service has already, by an export of it: they get the id of their record, and no call is made for them.
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { checkUnchanged, findFile, hashFile } from '../../input/bytes.ts'
import { isRule } from '../../mapping/rule.ts'
import { UsageError } from '../../model/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { PlannedCall } from '../../model/row.ts'
import { isObject } from '../../model/values.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { required } from '../../run/resolve-options.ts'
import { columnValues, exportRows } from './export-rows.ts'
import { type Matcher, matcherFor } from './matcher.ts'
import { mostCandidates, RecordIndex } from './record-index.ts'

/** Reads the export of the service that the settings name. Throws a UsageError or a SourceError. */
export async function withExisting(prepared: PreparedImport): Promise<PreparedImport> {
  const { settings, mapping, options } = prepared
  if (settings.existing === undefined) throw new UsageError('matching_options')
  const match = required(settings.match, 'match')
  for (const { path } of match)
    if (!mayFill(mapping.body, path.split('.')))
      throw new UsageError('unfilled_match', { mapping: mapping.file, path })
  const matcher = matcherFor(match, mapping.record, settings.country)
  const { file, records } = await readExport(settings.existing, prepared, matcher)

  const find: NonNullable<PreparedImport['existing']>['find'] = (call, claimRecord) => {
    const values = matcher.textOf(matcher.sent(call.body))
    const ids = values === '' ? [] : records.of(values)
    if (ids.length === 0) return undefined
    const { identity, before } = call
    if (before === 'in_doubt') return options.useCreated ? undefined : { identity, before, status: 'held' }
    const [recordId] = ids
    if (recordId === undefined || ids.length > 1) return heldRow(call, ids, file.name)
    const { omitted, kept } = call
    const sameAs = claimRecord(recordId, identity)
    // both in full: to spread what they share takes longer than to find the record
    if (sameAs === undefined)
      return {
        status: 'existing',
        identity,
        before,
        omitted,
        kept,
        attempts: 0,
        durationMs: 0,
        recordId,
        export: file.name,
      }
    const found = { identity, before, omitted, kept, attempts: 0, durationMs: 0, recordId, export: file.name }
    return { ...found, status: 'merged', sameAs }
  }
  return { ...prepared, existing: { file, find } }
}

/** A row that may be one of several records. */
function heldRow(
  { identity, before }: PlannedCall,
  ids: readonly (string | undefined)[],
  name: string,
): Outcome {
  const candidates = ids.flatMap(id => id ?? []).slice(0, mostCandidates)
  const why =
    ids.length > 1
      ? problem('several_existing', { export: name, candidates })
      : problem('existing_without_id', { export: name })
  return { identity, before, status: 'held', candidates, errors: [{ path: '', ...why }] }
}

/** Reads an export once, as it was when it was hashed. Throws a UsageError or a SourceError. */
async function readExport(path: string, { settings }: PreparedImport, matcher: Matcher) {
  const found = await findFile(path)
  if (found === undefined) throw new UsageError('bad_values', { faults: [['--existing', 'must be a file']] }) // a pipe has no hash
  const { id, match = [] } = settings
  const file = { name: basename(path), ...(await hashFile(found.file)) }
  const records = new RecordIndex()
  const columns = columnValues(path, match)
  let hasIds = false
  for await (const batch of exportRows(path, { id, match }, Readable.from([])))
    for (const row of batch) {
      columns.note(row)
      hasIds ||= row.id !== undefined
      const values = matcher.textOf(row.values)
      if (values !== '') records.add(values, row.id)
    }
  await checkUnchanged(found)
  if (!hasIds) throw new UsageError('no_export_ids', { path, column: `${id}` })
  columns.check()
  return { file, records }
}

/** Checks whether the body of a mapping may have a value at a path; a rule may make whatever is below it. */
function mayFill(node: unknown, [step, ...steps]: readonly string[]): boolean {
  if (Array.isArray(node)) {
    const items = /^\d+$/.test(step ?? '') ? node.slice(Number(step)) : []
    return items.some(item => mayFill(item, steps)) // items that are empty are left out
  }
  if (!isObject(node)) return step === undefined && node !== undefined
  if (isRule(node)) return true
  return step !== undefined && Object.hasOwn(node, step) && mayFill(node[step], steps)
}
