import { isDeepStrictEqual } from 'node:util'
import { LockError, UsageError } from '../../model/errors.ts'
import { differingField, importFields, type LogIdentity } from '../../run/log-identity.ts'
import type { StorePosition } from '../../run/prepared-import.ts'
import { addressOf } from '../../run/service.ts'
import type { ImportSettings } from '../../settings/settings.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { type Closing, measuredRows, type Opening } from '../../store/files/lines.ts'
import type { Chunk } from './chunk-reader.ts'
import type { Database } from './database.ts'
import { doubtOpenIntents } from './entries.ts'
import { mostMs, positionOf } from './position.ts'
import { digestOf, type Query } from './query.ts'
import { insertReferences, type ReferenceRow } from './references.ts'
import type { JoinedRun, SourceVersion } from './run.ts'

export interface RunRequest {
  readonly opening: Opening
  readonly sources: readonly SourceVersion[]
  readonly chunks: readonly Chunk[]
  /** Give up a run that has not ended, and begin this one. */
  readonly isNewRun: boolean
  /** Imports that come after this one in a plan: until all of them have ended again, its last run is that of the plan. */
  readonly later?: readonly string[]
  /** The names by which rows refer to each other, if they do. */
  readonly references?: (() => AsyncIterable<readonly ReferenceRow[]>) | undefined
  /** The keys of its first rows; undefined if other imports may have the same. */
  readonly firstKeys?: readonly string[] | undefined
  readonly isStep?: boolean
  /** New names of key columns. */
  readonly renamed?: ImportSettings['renamed']
  /** Compares the place at which the run begins with what was approved; throws a UsageError. Undefined without an approval. */
  readonly checkApproved?: ((position: StorePosition) => Promise<void>) | undefined
}

type LastRun = JoinedRun & { readonly ended: Date | null }

/** Joins the run of an import that has not ended, or begins one. Throws a UsageError if it is another one, or a LockError. */
export function joinRun(database: Database, name: string, request: RunRequest): Promise<JoinedRun> {
  return database.transaction(async query => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('rowlift ' || $1, 0))`, [name], mostMs) // another worker may count lines
    const [{ id: importId } = { id: 0 }] = await query<{ id: number }>(
      'INSERT INTO rowlift.import (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = $1 RETURNING id',
      [name],
    )
    const last = await lastRun(query, { database, importId, name })
    if (last === undefined) {
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [kindOf(request.opening)]) // no other one of its kind begins meanwhile
      await checkOthers(query, name, request)
    }
    if (last !== undefined) checkImport(last, request)
    if (last !== undefined && (await isStepOver(query, last, request))) return last
    if (last?.ended === null && !request.isNewRun) return checkVersions(last, request)
    await request.checkApproved?.(await positionOf(query, name)) // here alone: who joins a run finds it further on
    if (last?.ended === null) await giveUp(query, last)
    const { opening, sources } = request
    const rows = sources.reduce((sum, source) => sum + source.rows, 0)
    const run = { database, importId, name, opening, sources, rows, lastRows: last?.lastRows }
    return { ...run, before: last?.opening, id: await insertRun(query, importId, rows, request) }
  })
}

async function lastRun(
  query: Query,
  ofImport: Pick<JoinedRun, 'database' | 'importId' | 'name'>,
): Promise<LastRun | undefined> {
  type Row = Pick<LastRun, 'id' | 'sources' | 'rows' | 'ended'> & { opening: string; closed: string | null }
  const [row] = await query<Row>(
    `SELECT id, opening, sources, rows, ended,
       (SELECT closing FROM rowlift.run WHERE import = $1 AND closing::jsonb -> 'unmet' IS NULL
           AND closing::jsonb #> '{ended,rows}' IS DISTINCT FROM closing::jsonb #> '{ended,returned}' -- both are null without a closing
         ORDER BY id DESC LIMIT 1) AS closed
       FROM rowlift.run WHERE import = $1 ORDER BY id DESC LIMIT 1`,
    [ofImport.importId],
  )
  if (row === undefined) return undefined
  const { opening, closed, ...last } = row
  const lastRows = closed === null ? undefined : measuredRows((JSON.parse(closed) as Closing).ended)
  return { ...ofImport, ...last, opening: JSON.parse(opening), lastRows }
}

/** Returns what all imports that can have a row in common agree in; their key columns may have got other names. */
const kindOf = ({ base_url, organization_id, record }: Opening) =>
  JSON.stringify([addressOf(base_url), organization_id, record])
const planOf = (step: string) => step.replace(/[^/]*$/, '')

type FirstOfNew = Pick<RunRequest, 'firstKeys' | 'isStep' | 'renamed'> & {
  opening: LogIdentity & Pick<Opening, 'first_rows'>
}

/** Looks for the first rows of a new import in all others. Throws a UsageError. */
export async function checkOthers(
  query: Query,
  name: string,
  { opening, firstKeys = [], isStep, renamed }: FirstOfNew,
) {
  if (firstKeys.length === 0) return
  const runs = await query<{ id: number; name: string; opening: string; ended: Date | null }>(
    `SELECT DISTINCT ON (i.id) i.id, i.name, r.opening, r.ended
       FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id ORDER BY i.id, r.id DESC`,
  )
  const others = runs
    .map(run => ({ ...run, ...(JSON.parse(run.opening) as Opening) }))
    .filter(run => differingField(run, opening, renamed) === undefined)
    .filter(run => !(isStep && planOf(run.name) === planOf(name)))
  const [most] = await query<{ id: number; found: number }>(
    `SELECT e.import AS id, count(*)::int AS found FROM unnest($2::bytea[]) AS first(name)
       JOIN rowlift.entry e ON e.import = ANY($1) AND e.name = first.name AND e.state IN ('s', 'd', 'o')
      GROUP BY id ORDER BY found DESC, id DESC LIMIT 1`,
    [others.map(({ id }) => id), firstKeys.map(digestOf)],
  )
  const begun = others.find(run => !run.ended && isDeepStrictEqual(run.first_rows, opening.first_rows))
  const other = others.find(({ id }) => id === most?.id) ?? begun
  if (other === undefined) return
  const step = name.slice(planOf(name).length - 1)
  const again = isStep && other.name.endsWith(step) ? other.name.slice(0, -step.length) : other.name
  const params = { import: name, other: other.name, again }
  if (most === undefined) throw new UsageError('other_import_begun', params)
  const counts = { found: most.found, looked: firstKeys.length, day: other.at.slice(0, 10) }
  throw new UsageError('other_import', { ...params, ...counts })
}

/** A worker that comes late to a plan leaves its finished steps alone, unless the step reads otherwise now. */
async function isStepOver(
  query: Query,
  last: LastRun,
  { later = [], opening, sources }: RunRequest,
): Promise<boolean> {
  const contents = (of: Opening, from: readonly SourceVersion[]) =>
    JSON.stringify([of.mapping_sha256, of.use_created, of.delivery, from.map(({ sha256 }) => sha256)])
  if (last.ended === null || contents(last.opening, last.sources) !== contents(opening, sources)) return false
  const open = await query(
    `SELECT FROM unnest($1::text[]) AS later(name)
      WHERE NOT EXISTS (SELECT FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id WHERE i.name = later.name AND r.ended > $2)`,
    [later, last.ended],
  )
  return open.length > 0
}

/** All workers of a run share them. */
const ofRun = {
  mapping_sha256: 'mapping',
  use_created: 'use of similar contacts',
  delivery: 'delivery',
  existing_sha256: 'export of the service (--existing)',
} as const

/** A run that an older version began has none of them. */
const ofNames = {
  columns: 'columns that name its rows',
  renamed: 'new names of columns (--renamed)',
} as const

const placeOf = ({ database, name }: JoinedRun) => ({ ledger: database.name, import: name })

/** Throws a UsageError if a run is of another import than the last one. */
function checkImport(last: JoinedRun, { opening, renamed }: RunRequest): void {
  const field = differingField(last.opening, opening, renamed)
  if (field === undefined) return
  const [before = '', now = ''] = [last.opening, opening].map(of => JSON.stringify(of[field]))
  throw new UsageError('ledger_differs', { ...placeOf(last), what: importFields[field], before, now })
}

/** Throws a UsageError if a worker would do otherwise than those that began the run. */
function checkSame(last: JoinedRun, opening: Opening): void {
  const fields = { ...ofRun, ...(last.opening.columns && ofNames) }
  for (const [field, what] of Object.entries(fields) as [keyof Opening, string][]) {
    const [before = 'none', now = 'none'] = [last.opening, opening].map(of => JSON.stringify(of[field]))
    if (before !== now) throw new UsageError('ledger_differs', { ...placeOf(last), what, before, now })
  }
}

/** Returns a run that this worker may join. Throws a UsageError. */
function checkVersions(last: JoinedRun, { opening, sources }: RunRequest): JoinedRun {
  if (last.opening.approval !== opening.approval)
    throw new UsageError('ledger_approval', { ...placeOf(last), how: howApproved(last.opening, opening) })
  checkSame(last, opening)
  for (let at = 0; at < Math.max(last.sources.length, sources.length); at += 1) {
    const [before, now] = [last.sources[at], sources[at]]
    if (before?.sha256 === now?.sha256 && before?.reading === now?.reading) continue
    const versions = { before: versionOf(before), now: versionOf(now) }
    const what = `source ${now?.name ?? before?.name}`
    throw new UsageError('ledger_differs', { ...placeOf(last), what, ...versions })
  }
  return last
}

function howApproved({ approval: before }: Opening, { approval: now }: Opening): string {
  const [own, mine] = [before, now].map(each => `SHA-256 ${each?.slice(0, 12)}…`)
  if (before === undefined) return 'without an approval, and this worker has one'
  if (now === undefined) return `with an approval (${own}), and this worker has none`
  return `with another approval (${own}, now ${mine})`
}

const versionOf = (source: SourceVersion | undefined) =>
  source === undefined
    ? 'none'
    : `${source.size} bytes, SHA-256 ${source.sha256.slice(0, 12)}…, read as ${source.reading}`

/** Ends a run that no worker works on any more; its calls without an outcome are in doubt. Throws a LockError. */
async function giveUp(query: Query, run: JoinedRun): Promise<void> {
  const [busy] = await query<{ worker: string }>(
    `SELECT coalesce(w.name, c.worker) AS worker
       FROM rowlift.chunk c LEFT JOIN rowlift.worker w ON w.import = $2 AND w.id = c.worker
      WHERE c.run = $1 AND NOT c.is_done AND c.lease > clock_timestamp()`,
    [run.id, run.importId],
  )
  if (busy !== undefined) throw new LockError('ledger_busy', { ...placeOf(run), worker: busy.worker })
  const close = 'UPDATE rowlift.chunk SET epoch = epoch + 1, is_done = true, lease = NULL WHERE run = $1'
  await query(close, [run.id])
  await doubtOpenIntents(query, run)
  await query('UPDATE rowlift.run SET ended = clock_timestamp() WHERE id = $1 AND ended IS NULL', [run.id])
}

async function insertRun(query: Query, importId: number, rows: number, request: RunRequest): Promise<number> {
  const { opening, sources, chunks, references } = request
  const [{ id } = { id: 0 }] = await query<{ id: number }>(
    'INSERT INTO rowlift.run (import, run, opening, sources, rows) VALUES ($1, $2, $3, $4, $5) RETURNING id',
    [importId, opening.run, withChecksum(JSON.stringify(opening)), JSON.stringify(sources), rows],
  )
  await query(
    `INSERT INTO rowlift.chunk (run, no, source, at, first_row, first_line, rows) SELECT $1, c.*
       FROM json_to_recordset($2) AS c(no int, source int, at bigint, "firstRow" int, "firstLine" int, rows int)`,
    [id, JSON.stringify(chunks.map((chunk, no) => ({ no, ...chunk })))],
  )
  for await (const names of references?.() ?? []) await insertReferences(query, { importId, run: id }, names)
  return id
}
