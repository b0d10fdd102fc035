import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Patience, whenFree } from './busy-files.ts'

/** Files that the job writes are for their owner alone: they hold personal data. */
export const ownerOnly = 0o600

export interface Replacement extends Patience {
  /** A ULID that names the unfinished file: a run that slept must not write into that of another one. */
  readonly id: string
  readonly mode?: number
  /** Called in the same turn as each change of the folder. Throws if the file belongs to another run now. */
  readonly check?: () => void
  /** Unfinished files without a change for longer were left by killed runs, and are removed. */
  readonly longestPauseMs?: number
}

/**
 * Replaces a file by a new one in one step, synced with its name; a reader sees the old text or the new one. Returns the new file,
 * open. Throws what `check` throws, else the error of the texts or of the system; then the old file is there.
 */
export async function replaceFile(
  path: string,
  texts: Iterable<string> | AsyncIterable<string | Uint8Array>,
  { id, mode = ownerOnly, check = () => {}, longestPauseMs = 60_000, ...patience }: Replacement,
): Promise<FileHandle> {
  const unfinished = `${path}.${id}.new` // in the same folder, where a rename is atomic
  let file: FileHandle | undefined
  try {
    file = await open(unfinished, 'wx', mode)
    check()
    await removeRemains(path, unfinished, { check, longestPauseMs, ...patience })
    if (mode !== ownerOnly) await file.chmod(mode) // whatever the umask is
    for await (const text of texts) await file.appendFile(text)
    await file.datasync()
    await whenFree(() => {
      check()
      renameSync(unfinished, path)
    }, patience)
    await syncFolderOf(path)
    return file
  } catch (error) {
    await file?.close()
    await whenFree(() => rmSync(unfinished, { force: true }), patience)
    check() // a lost lock is the cause of whatever else failed
    throw error
  }
}

const unfinishedName = /^[0-9A-Z]{26}\.new$/

type Remains = Patience & Required<Pick<Replacement, 'check' | 'longestPauseMs'>>

/** Removes the other unfinished files of a path. Their times and that of `own` are of one clock. */
async function removeRemains(path: string, own: string, { check, longestPauseMs, ...patience }: Remains) {
  const start = `${basename(path)}.`
  const latestMs = statSync(own).mtimeMs - longestPauseMs
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name)
    if (!name.startsWith(start) || !unfinishedName.test(name.slice(start.length)) || file === own) continue
    await whenFree(() => {
      check()
      const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {}
      if (mtimeMs <= latestMs) rmSync(file, { force: true })
    }, patience)
  }
}

/** Syncs the name of a file. Windows syncs no folders: NTFS keeps names in its journal. */
export async function syncFolderOf(path: string, system = platform()): Promise<void> {
  if (system === 'win32') return
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}
