import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileBehind } from '../input/bytes.ts'
import { standardInput } from '../input/source.ts'
import { UsageError } from '../model/errors.ts'
import type { ImportPart } from '../result/run-result.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { intentLogPath } from '../store/files/whole-lines.ts'
import type { Ports } from './ports.ts'
import { resolveResults } from './resolve-options.ts'

export interface NamedFile {
  readonly path: string | undefined
  readonly role: string
}

/** Throws a UsageError when a written file is also a protected one, by whatever path or link. */
export async function checkDistinct(
  written: readonly NamedFile[],
  protectedFiles: readonly NamedFile[],
): Promise<void> {
  const others = [...protectedFiles]
  for (const file of written) {
    const identity = await identityOf(file)
    for (const other of others)
      if (identity !== undefined && identity === (await identityOf(other)))
        throw new UsageError('same_file', { path: `${file.path}`, role: other.role, written: file.role })
    others.push(file)
  }
}

/** The same for all paths of one file; undefined for anything but a file. */
async function identityOf({ path }: NamedFile): Promise<string | undefined> {
  if (path === undefined || path === standardInput) return undefined
  const found = await stat(await fileBehind(path)).catch(() => undefined)
  if (found === undefined) return placeOf(path)
  return found.isFile() ? `${found.dev}:${found.ino}` : undefined
}

/** The same for all paths of a file that may not exist yet: its name in its folder. */
export async function placeOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return join(folder, basename(path))
}

/** The paths of an import, whether it can start or not, with the absolute path of its result log. */
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

/** The files of an import that nothing may overwrite, as far as they are known before the mapping is read. */
export function protectedFiles(
  { sources, mapping, results }: ImportPart['asked'],
  { preview, rejects, config, tokenFile, dryRun, approval }: ImportSettings,
): NamedFile[] {
  return [
    ...sources.filter(path => path !== standardInput).map(path => ({ path, role: 'source' })),
    { path: mapping, role: 'mapping' },
    { path: dryRun ? undefined : approval, role: 'approval' }, // a dry run writes it
    { path: config, role: 'settings file' },
    { path: tokenFile, role: 'token file' },
    { path: results, role: 'result log' },
    { path: results && intentLogPath(results), role: 'list of calls under way' },
    { path: preview, role: 'preview' },
    { path: rejects, role: 'file of rejected rows' },
  ]
}
