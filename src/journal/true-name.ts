import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** What a link to a result log stands for, whether that is there yet or not, so that two names of one log are one lock. */
export async function trueName(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink()
  if (!isLink) return path
  return realpath(path).catch(async error =>
    error.code === 'ENOENT' ? trueName(resolve(await realpath(dirname(path)), await readlink(path))) : path,
  )
}
