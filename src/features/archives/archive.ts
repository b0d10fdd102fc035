// Files in zip archives: `archive.zip/people.csv`, or `archive.zip` if it holds one file of rows.
import { posix } from 'node:path'
import type { ReadContext } from '../../input/bytes.ts'
import { type ArchiveEntry, formatNamed } from '../../input/source.ts'
import { SourceError } from '../../model/errors.ts'
import { openZip } from './zip.ts'

/** Finds the file of an archive that a path means, and its whole path. Throws a SourceError. */
export async function findEntry(path: string, archive: string): Promise<[ArchiveEntry, string]> {
  const zip = await openZip(archive)
  await zip.close()
  return entryFor(path, archive, zip.entries)
}

/** The unpacked bytes of an entry. `onRead` gets the packed bytes that are read, and the signal ends it. Throws a SourceError. */
export async function* readEntry(
  archive: string,
  entry: ArchiveEntry,
  { onRead, signal }: Pick<ReadContext, 'onRead' | 'signal'>,
): AsyncGenerator<Buffer> {
  const zip = await openZip(archive, onRead, signal)
  try {
    yield* zip.read(entry)
  } finally {
    await zip.close()
  }
}

/** Files that programs for archives and folders add. */
const litter = /(^|\/)(__MACOSX\/|\.[^./]|~\$)/

function entryFor(path: string, archive: string, entries: readonly ArchiveEntry[]): [ArchiveEntry, string] {
  const rows = entries.filter(({ name }) => formatNamed(name) !== undefined && !litter.test(name))
  const wanted = inside(path.slice(archive.length).replaceAll('\\', '/'))
  const meant = wanted === '/' ? rows : entries.filter(({ name }) => inside(name) === wanted)
  const [entry, another] = meant
  const listed = (rows.length > 0 ? rows : entries).map(({ name }) => `${archive}${inside(name)}`)
  if (entry === undefined || another) throw new SourceError('no_file_in_zip', { source: path, files: listed })
  return [entry, `${archive}${inside(entry.name)}`]
}

/** As people write it: without `..`, and with letters and their accents in one. */
const inside = (name: string) => posix.join('/', name).normalize('NFC')
