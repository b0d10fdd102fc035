import { resolve } from 'node:path'
import { standardInput } from '../input/source.ts'
import { inFlightPath } from '../journal/in-flight-lines.ts'
import type { ImportPart } from '../report/command-end.ts'
import type { Context } from './context.ts'
import type { NamedFile } from './distinct-files.ts'
import type { ImportSettings } from './import-settings.ts'
import { plannedResults } from './plan.ts'

/** What an import is asked to do, whether it can begin or not; the result log by its whole path, which keeps jobs apart. */
export async function askedOf(
  sources: readonly string[],
  settings: ImportSettings,
  context: Context,
): Promise<ImportPart['asked']> {
  const results = await plannedResults(sources, settings, context).catch(() => undefined)
  return {
    sources,
    mapping: settings.mapping,
    results: results === undefined || results === standardInput ? results : resolve(results),
  }
}

/** The files of an import that nothing else may be written to, as far as they are known before the mapping is read. */
export function filesKept(
  { sources, mapping, results }: ImportPart['asked'],
  { preview, rejects, config, 'token-file': token }: ImportSettings,
): NamedFile[] {
  return [
    ...sources.filter(path => path !== standardInput).map(path => ({ path, role: 'source' })),
    { path: mapping, role: 'mapping' },
    { path: config, role: 'settings file' },
    { path: token, role: 'token file' },
    { path: results, role: 'result log' },
    { path: results && inFlightPath(results), role: 'list of calls under way' },
    { path: preview, role: 'preview' },
    { path: rejects, role: 'file of rejected rows' },
  ]
}
