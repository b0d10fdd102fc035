// How commands other than import find an import in a ledger, and what reads its log.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { cannotWrite, LogError, RowliftError, UsageError } from '../../model/errors.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import type { StorePlace } from '../../run/prepare.ts'
import { required } from '../../run/resolve-options.ts'
import type { Opening } from '../../store/files/lines.ts'
import { Database } from './database.ts'
import type { Query } from './query.ts'
import { migrate } from './schema.ts'

/** An import that is in the ledger, for commands that are no workers. */
export interface FoundImport {
  readonly database: Database
  readonly id: number
  readonly name: string
  /** The opening line of its last run. */
  readonly opening: Opening
}

/** The first lines of a long run may be behind those of many others. */
const timeoutMs = 60_000

/** Throws a UsageError if there is none, or a LogError. */
export async function withImport<T>(
  place: StorePlace,
  { clock }: Pick<ProcessInfo, 'clock'>,
  work: (found: FoundImport) => Promise<T>,
): Promise<T> {
  const url = required(place.ledger, 'ledger')
  const name = required(place.import, 'import')
  await using database = await Database.open(url, { clock, patienceMs: timeoutMs, timeoutMs })
  try {
    return await work(await findImport(database, name))
  } catch (error) {
    if (error instanceof RowliftError || !('code' in (error as object))) throw error
    throw new LogError('ledger_away', { ledger: database.name, reason: (error as Error).message })
  }
}

async function findImport(database: Database, name: string): Promise<FoundImport> {
  const [tables] = await database.query<{ run: unknown }>(`SELECT to_regclass('rowlift.run') AS run`)
  if (tables?.run) {
    await migrate(database)
    const [found] = await database.query<{ id: number; opening: string }>(
      `SELECT i.id, r.opening FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
        WHERE i.name = $1 ORDER BY r.id DESC LIMIT 1`,
      [name],
    )
    if (found !== undefined) return { database, id: found.id, name, opening: JSON.parse(found.opening) }
  }
  throw new UsageError('ledger_without_import', { ledger: database.name, import: name })
}

const linesAtOnce = 1_000

/** Reads an import as a result log, from one view of the database: each run between its opening and its closing line. */
export const logTexts = ({ database, id }: FoundImport): AsyncGenerator<string> =>
  database.snapshot(async function* (query: Query) {
    const runs = await query<{ id: number; opening: string; closing: string | null }>(
      'SELECT id, opening, closing FROM rowlift.run WHERE import = $1 ORDER BY id',
      [id],
    )
    for (const { id, opening, closing } of runs) {
      yield `${opening}\n`
      await query(
        `DECLARE lines NO SCROLL CURSOR FOR SELECT line FROM rowlift.line WHERE run = ${id} ORDER BY seq`,
      )
      for (let at = linesAtOnce; at === linesAtOnce; ) {
        const lines = await query<{ line: string }>(`FETCH ${linesAtOnce} FROM lines`)
        at = lines.length
        yield lines.map(({ line }) => `${line}\n`).join('')
      }
      await query('CLOSE lines')
      if (closing !== null) yield `${closing}\n`
    }
  })

/** Writes the log of an import in one step; no file is overwritten. Throws a UsageError or a LogError. */
export async function exportTo(path: string, found: FoundImport): Promise<void> {
  if (existsSync(path)) throw new UsageError('output_exists', { path })
  try {
    await (await replaceFile(path, logTexts(found), { id: ulid() })).close()
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Does something with the log of an import, which is a file meanwhile; returns undefined if there is no such import. Throws a UsageError or a LogError. */
export const withExport = <T>(
  place: StorePlace,
  info: ProcessInfo,
  work: (log: string) => Promise<T>,
): Promise<T | undefined> =>
  withImport(place, info, async found => {
    const folder = await mkdtemp(join(tmpdir(), 'rowlift-'))
    try {
      const log = join(folder, 'log.ndjson')
      await exportTo(log, found)
      return await work(log)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }).catch(error => {
    if (error instanceof UsageError && error.code === 'ledger_without_import') return undefined
    throw error
  })
