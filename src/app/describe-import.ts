import { resolve } from 'node:path'
import { standardInput } from '../input/source.ts'
import { intentLogPath } from '../journal/intent-log.ts'
import type { ImportPart } from '../report/command-end.ts'
import type { NamedFile } from './file-conflicts.ts'
import type { Ports } from './ports.ts'
import { resolveResults } from './resolve-options.ts'
import type { ImportSettings } from './settings.ts'

/** What an import is asked to do, whether it can begin or not; the result log by its whole path, which keeps jobs apart. */
export async function describeImport(
  sources: readonly string[],
  settings: ImportSettings,
  ports: Pick<Ports, 'cwd' | 'isInteractive'>,
): Promise<ImportPart['asked']> {
  const results = await resolveResults(sources, settings, ports).catch(() => undefined)
  return {
    sources,
    mapping: settings.mapping,
    results: results === undefined || results === standardInput ? results : resolve(results),
  }
}

/** The files of an import that nothing else may be written to, as far as they are known before the mapping is read. */
export function protectedFiles(
  { sources, mapping, results }: ImportPart['asked'],
  { preview, rejects, config, tokenFile }: ImportSettings,
): NamedFile[] {
  return [
    ...sources.filter(path => path !== standardInput).map(path => ({ path, role: 'source' })),
    { path: mapping, role: 'mapping' },
    { path: config, role: 'settings file' },
    { path: tokenFile, role: 'token file' },
    { path: results, role: 'result log' },
    { path: results && intentLogPath(results), role: 'list of calls under way' },
    { path: preview, role: 'preview' },
    { path: rejects, role: 'file of rejected rows' },
  ]
}
