import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fchmodSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { resolveLink } from '../journal/result-log.ts'

/** The file that a link leads to; names in /dev and /proc belong to the process and stay as they are. */
export const replaceableName = async (path: string): Promise<string> =>
  isOwn(path) ? path : resolveLink(path)

/** Throws the error of the system if a file could not be replaced. */
export function checkReplaceable(path: string): void {
  if (isStream(path)) return
  const file = temporaryName(path)
  closeSync(openSync(file, 'wx'))
  rmSync(file)
}

/** Replaces a file in one step; nothing can run between `isDue` and the rename. Returns whether the file was replaced. */
export function replaceFile(path: string, mode: number, text: string, isDue = () => true): boolean {
  if (isStream(path)) {
    appendFileSync(path, text)
    return true
  }
  removeRemains(path)
  const temporary = temporaryName(path)
  try {
    const file = openSync(temporary, 'wx', mode)
    try {
      fchmodSync(file, mode) // whatever the umask is
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    if (!isDue()) return false
    renameSync(temporary, path)
    return true
  } finally {
    rmSync(temporary, { force: true }) // gone already if all went well
  }
}

const mostRead = 1_000_000

/** The start of a file's text, at most 1 MB; empty if it cannot be read. */
export function startOfFile(path: string): string {
  if (isStream(path)) return ''
  try {
    const file = openSync(path, 'r')
    const bytes = Buffer.alloc(mostRead)
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** Differs between a file and another one that took its place. */
export function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`
}

/** In the same folder, where a rename is atomic; not *.prom, which Prometheus' collector would read. */
const temporaryName = (path: string) => `${path}.${randomUUID()}.tmp`

const longestUseMs = 60_000

/** Removes the temporary files of killed runs: a live one needs its own for a moment. */
function removeRemains(path: string): void {
  const start = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(start) || !/^[0-9a-f-]{36}\.tmp$/.test(name.slice(start.length))) continue
    const file = join(dirname(path), name)
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - longestUseMs) rmSync(file, { force: true })
  }
}

/** Devices and pipes are written to, never replaced. Throws for a folder. */
function isStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' })
  return isOwn(path) || (found !== undefined && !found.isFile())
}

const isOwn = (path: string) => /^\/(dev|proc)\//.test(path)
