import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileOnDisk } from '../input/bytes.ts'
import { standardInput } from '../input/source.ts'
import { UsageError } from '../model/errors.ts'
import { comparablePath, isDevice } from '../platform/paths.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { unfinishedName } from '../store/files/rejects-file.ts'
import { mappingPath } from './paths.ts'
import type { Ports } from './ports.ts'
import type { PreparedImport } from './prepared-import.ts'
import { resolveResults } from './resolve-options.ts'

export interface NamedFile {
  readonly path: string | undefined
  readonly role: string
}

/** Throws a UsageError if a written file is also a protected one, by whatever path or link. */
export async function checkDistinct(written: readonly NamedFile[], kept: readonly NamedFile[]) {
  const others = [...kept]
  for (const { path = '', role } of [...written, ...kept])
    if (isDevice(path)) throw new UsageError('device_name', { path, role })
  for (const file of written) {
    const identity = await identityOf(file)
    for (const other of others)
      if (identity !== undefined && identity === (await identityOf(other)))
        throw new UsageError('same_file', { path: `${file.path}`, role: other.role, written: file.role })
    others.push(file)
  }
}

/** Returns a text that is equal for all paths of one file; undefined for anything but a file. */
async function identityOf({ path }: NamedFile): Promise<string | undefined> {
  if (path === undefined || path === standardInput) return undefined
  const file = await stat(await fileOnDisk(path), { bigint: true }).catch(() => undefined)
  if (file === undefined) return placeOf(path)
  return file.isFile() ? `${file.dev}:${file.ino}` : undefined
}

/** The name of a file in its folder, equal for all its paths; it may not exist yet. */
export async function placeOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return comparablePath(join(folder, basename(path)))
}

/** The paths of an import, whether it can start or not, with the absolute path of its result log. */
export async function describeImport(sources: readonly string[], settings: ImportSettings, ports: Ports) {
  const path = await resolveResults(sources, settings, ports).catch(() => undefined)
  const results = path === undefined || path === standardInput ? path : resolve(path)
  return { sources, mapping: settings.mapping, results }
}

type Paths = string | undefined | readonly (string | undefined)[]

/** Lists files by their roles; those of a step have its name in it. */
export const namedFiles = (step: string | undefined, files: Readonly<Record<string, Paths>>): NamedFile[] =>
  Object.entries(files).flatMap(([role, paths]) =>
    [paths].flat().map(path => ({ path, role: step === undefined ? role : `${role} of the step ${step}` })),
  )

type FilesInUse = Pick<PreparedImport, 'options' | 'settings' | 'lookupFiles'> & { name?: string | undefined }

/** No file that is read is overwritten, nor written twice, and no source is read twice; result logs may be looked up in. Throws a UsageError. */
export async function checkFiles(imports: readonly FilesInUse[], plan?: string): Promise<void> {
  const files = imports.map(({ options, settings, lookupFiles, name }) => {
    const { results, sources, rejects } = options
    return {
      log: namedFiles(name, { 'result log': results }),
      written: namedFiles(name, {
        preview: settings.preview,
        'file of rejected rows': [rejects, rejects && unfinishedName(rejects)],
        'list of changed rows': [settings.changes, settings.changes && unfinishedName(settings.changes)],
      }),
      read: namedFiles(name, {
        mapping: mappingPath(settings.mapping ?? '.'),
        source: sources,
        'file beside the result log': results && [
          ...['inflight', 'damaged', 'lock', 'finished'].map(end => `${results}.${end}`),
          join(dirname(results), '.rowlift.lock'),
        ],
        'last export': settings.previous,
        'export of the service': settings.existing,
      }),
      lookups: namedFiles(name, { lookup: lookupFiles }),
    }
  })
  for (const { options } of imports) await checkSources(options.sources)
  const all = (part: keyof (typeof files)[number]) => files.flatMap(each => each[part])
  await checkDistinct([...all('log'), ...all('written')], [{ path: plan, role: 'plan' }, ...all('read')])
  await checkDistinct(all('written'), all('lookups'))
}

/** Throws a UsageError if two sources are one file, by whatever path or link. Those in an archive are files of their own. */
async function checkSources(sources: readonly string[]): Promise<void> {
  const seen = new Map<string, string>()
  for (const path of sources) {
    const isWhole = path === (await fileOnDisk(path))
    const identity = isWhole ? await identityOf({ path, role: 'source' }) : undefined
    const first = seen.get(identity ?? '')
    if (first !== undefined) throw new UsageError('source_twice', { path, first })
    if (identity !== undefined) seen.set(identity, path)
  }
}
