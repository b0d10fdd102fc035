import type { CheckedSource } from '../input/open.ts'
import { standardInput } from '../input/source.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import { flagOf } from './options.ts'
import type { ImportSettings } from './settings.ts'

const ofLedgers = ['import', 'newRun'] as const
/** Near duplicates are found where one machine sees all rows. */
const ofLogs = ['results', 'newLog', 'nearDuplicates'] as const

/** Throws a UsageError where the options of a ledger do not fit together, or not to those of a result log. */
export function checkLedgerSettings(sources: readonly string[], settings: ImportSettings): void {
  const hasLedger = settings.ledger !== undefined
  if (hasLedger && settings.import === undefined) throw new UsageError('ledger_needs_import')
  const stray = (hasLedger ? ofLogs : ofLedgers).find(option => (settings[option] || 'off') !== 'off')
  if (stray !== undefined)
    throw new UsageError(hasLedger ? 'ledger_and_results' : 'import_needs_ledger', { option: flagOf(stray) })
  if (hasLedger && sources.includes(standardInput))
    throw new UsageError('ledger_needs_files', { source: standardInput })
}

/** Rows of a ledger are known by their keys alone, and read in parts. Throws a UsageError. */
export function checkLedgerRows(mapping: Mapping, sources: readonly CheckedSource[]): void {
  const { file, indents, keyColumns } = mapping
  const pipe = sources.find(({ size }) => size === undefined)
  if (pipe !== undefined) throw new UsageError('ledger_needs_files', { source: pipe.path })
  if (keyColumns.length === 0) throw new UsageError('ledger_needs_key', { mapping: file })
  if (indents.length > 0) throw new UsageError('ledger_with_indent', { mapping: file })
}
