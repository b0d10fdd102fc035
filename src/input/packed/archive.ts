// Files in zip archives: `archive.zip/people.csv`, or `archive.zip` where it holds one file of rows.
import { stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { SourceError } from '../../model/errors.ts'
import { isNamedForRows } from '../source.ts'
import type { ZipEntry } from './zip.ts'

/** The file that a path leads to: the archive, where it goes on behind one. */
export async function fileBehind(path: string): Promise<string> {
  for (const { index } of path.matchAll(/\.zip(?=[/\\])/gi)) {
    const archive = path.slice(0, index + '.zip'.length)
    const found = await stat(archive).catch(() => undefined)
    if (found?.isFile()) return archive
  }
  return path
}

/** What programs for archives and folders put beside the files. */
const litter = /(^|\/)(__MACOSX\/|\.[^./]|~\$)/

/** The file of an archive that a path means, and its whole path. Throws a SourceError. */
export function entryFor(path: string, archive: string, entries: readonly ZipEntry[]): [ZipEntry, string] {
  const rows = entries.filter(({ name }) => isNamedForRows(name) && !litter.test(name))
  const wanted = inside(path.slice(archive.length).replaceAll('\\', '/'))
  const meant = wanted === '/' ? rows : entries.filter(({ name }) => inside(name) === wanted)
  const [entry, another] = meant
  const listed = (rows.length > 0 ? rows : entries).map(({ name }) => `${archive}${inside(name)}`)
  if (entry === undefined || another) throw new SourceError('no_file_in_zip', { source: path, files: listed })
  return [entry, `${archive}${inside(entry.name)}`]
}

/** As people write it: without `..`, and with letters and their accents in one. */
const inside = (name: string) => posix.join('/', name).normalize('NFC')
