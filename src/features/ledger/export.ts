import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import type { Run } from '../../cli/command.ts'
import { printTo } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { cannotWrite, UsageError } from '../../model/errors.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import type { SharedStore } from '../../run/prepared-import.ts'
import type { exportOptions } from './options.ts'
import type { Query } from './query.ts'
import { describeUnderWay, doubtFacts } from './resolve.ts'
import type { LedgerImport } from './run.ts'
import { withImport } from './schema.ts'

/** `rowlift export`: writes the result log of an import in a ledger; returns the exit code. Throws a UsageError or a LogError. */
export const runExport: Run<typeof exportOptions> = async ({ values: { output, ...place } }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  if (output === undefined && stdoutIsTerminal) throw new UsageError('option_required', { option: 'output' })
  await withImport(place, context, async imported => {
    const { underWay } = await doubtFacts(imported)
    if (output !== undefined && output !== standardInput) await exportTo(output, imported)
    else await imported.database.snapshot(query => writeTexts(() => logTexts(query, imported), stdout))
    printTo(stderr, describeUnderWay(underWay))
  })
  return exitCodes.finished
}

const linesAtOnce = 1_000

/** Reads an import as a result log, from one view of the database: each run between its opening and its closing line. */
async function* logTexts(query: Query, { importId }: LedgerImport): AsyncGenerator<string> {
  const runs = await query<{ id: number; opening: string; closing: string | null }>(
    'SELECT id, opening, closing FROM rowlift.run WHERE import = $1 ORDER BY id',
    [importId],
  )
  for (const { id, opening, closing } of runs) {
    yield `${opening}\n`
    await query(
      `DECLARE lines NO SCROLL CURSOR FOR SELECT line FROM rowlift.line WHERE run = ${id} ORDER BY seq`,
    )
    for (let count = linesAtOnce; count === linesAtOnce; ) {
      const lines = await query<{ line: string }>(`FETCH ${linesAtOnce} FROM lines`)
      count = lines.length
      yield lines.map(({ line }) => `${line}\n`).join('')
    }
    await query('CLOSE lines')
    if (closing !== null) yield `${closing}\n`
  }
}

/** Writes the log of an import in one step; no file is overwritten. Throws a UsageError or a LogError. */
async function exportTo(path: string, imported: LedgerImport): Promise<void> {
  if (existsSync(path)) throw new UsageError('output_exists', { path })
  const write = (query: Query) =>
    replaceFile(path, logTexts(query, imported), { id: ulid() }).then(file => file.close())
  await imported.database.snapshot(write).catch(error => {
    throw cannotWrite(path, error)
  })
}

/** Does something with the log of an import, which is a file meanwhile; returns undefined if there is no such import. Throws a UsageError or a LogError. */
export const withExport: SharedStore['withLog'] = (place, info, work) =>
  withImport(place, info, async imported => {
    const folder = await mkdtemp(join(tmpdir(), 'rowlift-'))
    try {
      const log = join(folder, 'log.ndjson')
      await exportTo(log, imported)
      return await work(log)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }).catch(error => {
    if (error instanceof UsageError && error.code === 'ledger_without_import') return undefined
    throw error
  })
