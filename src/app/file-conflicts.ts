import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { standardInput } from '../input/source.ts'
import { UsageError } from '../model/errors.ts'

/** A file that a run reads or writes, and what an error calls it. */
export interface NamedFile {
  readonly path: string | undefined
  readonly role: string
}

/** Throws a UsageError when a file that is written is also one that is kept, by whatever name or link. */
export async function checkDistinct(
  written: readonly NamedFile[],
  kept: readonly NamedFile[],
): Promise<void> {
  const others = [...kept]
  for (const file of written) {
    const identity = await identityOf(file)
    for (const other of others)
      if (identity !== undefined && identity === (await identityOf(other)))
        throw new UsageError('same_file', { path: file.path, role: other.role, written: file.role })
    others.push(file)
  }
}

/** What two names of one file have in common, whether it is there yet or not; undefined for what is no file. */
async function identityOf({ path }: NamedFile): Promise<string | undefined> {
  if (path === undefined || path === standardInput) return undefined
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return placeOf(path)
  return found.isFile() ? `${found.dev}:${found.ino}` : undefined
}

/** What all names of a file have in common that need not be there yet: its own name in its folder. */
export async function placeOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return join(folder, basename(path))
}
