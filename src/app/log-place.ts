import type { ProcessInfo } from './ports.ts'
import type { ImportSettings } from './settings.ts'

/** Reads the log of an import, which is exported to a file first where a ledger has it; undefined where there is none. Throws a UsageError or a LogError. */
export async function readLogOf<T>(
  { results, ledger, import: name }: Partial<Pick<ImportSettings, 'results' | 'ledger' | 'import'>>,
  info: ProcessInfo,
  read: (path: string) => Promise<T>,
): Promise<T | undefined> {
  if (ledger !== undefined)
    return (await import('./ledger.ts')).withExport({ ledger, import: name }, info, read)
  return results === undefined ? undefined : read(results)
}
