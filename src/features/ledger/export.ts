import { existsSync } from 'node:fs'
import { ulid } from 'ulid'
import type { Run } from '../../cli/command.ts'
import { printTo } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { cannotWrite, LogError, UsageError } from '../../model/errors.ts'
import { withoutPassword } from '../../model/secrets.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import type { SharedStore, StorePlace } from '../../run/prepared-import.ts'
import type { StoredLog } from '../../store/files/whole-lines.ts'
import { messageOf } from './database.ts'
import type { exportOptions } from './options.ts'
import { pagesOf, type Query } from './query.ts'
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

/** Reads an import as a result log, from one view of the database: each run between its opening and its closing line. */
async function* logTexts(query: Query, { importId }: LedgerImport): AsyncGenerator<string> {
  const runs = await query<{ id: number; opening: string; closing: string | null }>(
    'SELECT id, opening, closing FROM rowlift.run WHERE import = $1 ORDER BY id',
    [importId],
  )
  for (const { id, opening, closing } of runs) {
    yield `${opening}\n`
    const select = `SELECT line FROM rowlift.line WHERE run = ${id} ORDER BY seq`
    for await (const lines of pagesOf<{ line: string }>(query, select))
      yield lines.map(({ line }) => `${line}\n`).join('')
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

/** The words of a command that name an import, without the password of its ledger. */
export const wordsOf = ({ ledger = '', import: name = '' }: StorePlace): string[] => [
  ...['--ledger', withoutPassword(ledger), '--import', name],
]

/** An import as one view of the database has it. */
export interface ImportView {
  readonly log: StoredLog
  readonly imported: LedgerImport
  /** Reads from the same view. */
  readonly query: Query
}

/** Reads the log of an import, as often as one likes, from one view of the database. Throws a UsageError or a LogError. */
export const withView = <T>(
  place: StorePlace,
  info: Pick<ProcessInfo, 'clock'>,
  read: (view: ImportView) => Promise<T>,
): Promise<T> =>
  withImport(place, info, imported =>
    imported.database.snapshot(query => {
      const log = { name: imported.name, args: wordsOf(place), bytes: () => logBytes(query, imported) }
      return read({ log, imported, query })
    }),
  )

/** Throws a LogError if the database does not answer in the middle: the view is lost then. */
async function* logBytes(query: Query, imported: LedgerImport): AsyncGenerator<Buffer> {
  try {
    for await (const text of logTexts(query, imported)) yield Buffer.from(text)
  } catch (error) {
    throw new LogError('ledger_away', { ledger: imported.database.name, reason: messageOf(error) })
  }
}

/** Reads the log of an import; returns undefined if there is no such import. Throws a UsageError or a LogError. */
export const withLog: SharedStore['withLog'] = (place, info, read) =>
  withView(place, info, ({ log }) => read(log)).catch(error => {
    if (error instanceof UsageError && error.code === 'ledger_without_import') return undefined
    throw error
  })
