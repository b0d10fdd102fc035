import { LockError, UsageError } from '../../model/errors.ts'
import type { Describe } from '../../model/problem.ts'
import type { Chunk } from '../../model/row.ts'
import {
  type Closing,
  importFields,
  measuredRows,
  type Opening,
  openingLine,
} from '../../store/files/lines.ts'
import type { Database } from './database.ts'
import { doubtOpenIntents } from './entries.ts'
import { columnsOf, type Query } from './query.ts'
import { insertReferences, type ReferenceRow } from './references.ts'
import type { JoinedRun, SourceVersion } from './run.ts'

/** The run that a worker would begin. */
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
}

type LastRun = JoinedRun & { readonly ended: Date | null }

/** Joins the run of an import that has not ended, or begins one. Throws a UsageError if it is another one, or a LockError. */
export function joinRun(
  database: Database,
  name: string,
  request: RunRequest,
  describe: Describe,
): Promise<JoinedRun> {
  return database.transaction(async query => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('rowlift ' || $1, 0))`, [name])
    await query('INSERT INTO rowlift.import (name) VALUES ($1) ON CONFLICT DO NOTHING', [name])
    const [{ id } = { id: 0 }] = await query<{ id: number }>(
      'SELECT id FROM rowlift.import WHERE name = $1',
      [name],
    )
    const ofImport = { database, importId: id, name }
    const row = await lastRun(query, id)
    const last: LastRun | undefined = row && { ...ofImport, ...row }
    if (last !== undefined) {
      checkSame(last, request.opening, importFields)
      if (await isStepOver(query, last, request)) return last
    }
    if (last?.ended === null) {
      if (request.isNewRun) await giveUp(query, last, describe)
      else {
        checkSame(last, request.opening, ofRun)
        checkSources(last, request.sources)
        return last
      }
    }
    const { opening, sources } = request
    return {
      ...ofImport,
      opening,
      sources,
      lastRows: last?.lastRows,
      ...(await insertRun(query, id, request)),
    }
  })
}

async function lastRun(
  query: Query,
  importId: number,
): Promise<Omit<LastRun, 'database' | 'importId' | 'name'> | undefined> {
  const [row] = await query<
    Omit<LastRun, 'opening'> & { readonly opening: string; readonly closed: string | null }
  >(
    `SELECT id, opening, sources, rows, ended,
       (SELECT closing FROM rowlift.run WHERE import = $1 AND closing IS NOT NULL ORDER BY id DESC LIMIT 1) AS closed
       FROM rowlift.run WHERE import = $1 ORDER BY id DESC LIMIT 1`,
    [importId],
  )
  if (row === undefined) return undefined
  const { opening, closed, ...last } = row
  const lastRows = closed === null ? undefined : measuredRows((JSON.parse(closed) as Closing).ended)
  return { ...last, opening: JSON.parse(opening), lastRows }
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
} as const

const placeOf = ({ database, name }: JoinedRun) => ({ ledger: database.name, import: name })

function checkSame(
  last: JoinedRun,
  opening: Opening,
  fields: Readonly<Partial<Record<keyof Opening, string>>>,
): void {
  for (const [field, what] of Object.entries(fields) as [keyof Opening, string][]) {
    const [before, now] = [JSON.stringify(last.opening[field]), JSON.stringify(opening[field])]
    if (before !== now) throw new UsageError('ledger_differs', { ...placeOf(last), what, before, now })
  }
}

function checkSources(last: JoinedRun, sources: readonly SourceVersion[]): void {
  for (let at = 0; at < Math.max(last.sources.length, sources.length); at += 1) {
    const [before, now] = [last.sources[at], sources[at]]
    const isSame = before?.size === now?.size && before?.sha256 === now?.sha256
    if (isSame && before?.reading === now?.reading) continue
    const versions = { before: versionOf(before), now: versionOf(now) }
    const what = `source ${now?.name ?? before?.name}`
    throw new UsageError('ledger_differs', { ...placeOf(last), what, ...versions })
  }
}

const versionOf = (source: SourceVersion | undefined) =>
  source === undefined
    ? 'none'
    : `${source.size} bytes, SHA-256 ${source.sha256.slice(0, 12)}…, read as ${source.reading}`

/** Ends a run that no worker works on any more; its calls without an outcome are in doubt. Throws a LockError. */
async function giveUp(query: Query, run: JoinedRun, describe: Describe): Promise<void> {
  const [busy] = await query<{ worker: string }>(
    `SELECT coalesce(w.name, c.worker) AS worker
       FROM rowlift.chunk c LEFT JOIN rowlift.worker w ON w.import = $2 AND w.id = c.worker
      WHERE c.run = $1 AND NOT c.is_done AND c.lease > clock_timestamp()`,
    [run.id, run.importId],
  )
  if (busy !== undefined) throw new LockError('ledger_busy', { ...placeOf(run), worker: busy.worker })
  await query('UPDATE rowlift.chunk SET epoch = epoch + 1, is_done = true, lease = NULL WHERE run = $1', [
    run.id,
  ])
  await doubtOpenIntents(query, run, describe)
  await query('UPDATE rowlift.run SET ended = clock_timestamp() WHERE id = $1 AND ended IS NULL', [run.id])
}

async function insertRun(
  query: Query,
  importId: number,
  { opening, sources, chunks, references }: RunRequest,
): Promise<{ id: number; rows: number }> {
  const rows = sources.reduce((sum, source) => sum + source.rows, 0)
  const [{ id } = { id: 0 }] = await query<{ id: number }>(
    'INSERT INTO rowlift.run (import, run, opening, sources, rows) VALUES ($1, $2, $3, $4, $5) RETURNING id',
    [importId, opening.run, openingLine(opening), JSON.stringify(sources), rows],
  )
  await query(
    `INSERT INTO rowlift.chunk (run, no, source, at, first_row, first_line, rows)
     SELECT $1, no - 1, source, at, first_row, first_line, rows
       FROM unnest($2::int[], $3::bigint[], $4::int[], $5::int[], $6::int[])
         WITH ORDINALITY AS c(source, at, first_row, first_line, rows, no)`,
    [id, ...columnsOf(chunks, ['source', 'at', 'firstRow', 'firstLine', 'rows'])],
  )
  for await (const names of references?.() ?? []) await insertReferences(query, { importId, run: id }, names)
  return { id, rows }
}
