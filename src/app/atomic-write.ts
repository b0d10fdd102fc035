import {
  appendFileSync,
  closeSync,
  fchmodSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { ulid } from 'ulid'
import { trueName } from '../journal/true-name.ts'

/** What a link to a file stands for; what /dev and /proc give names to is the process's own, and stays what it is. */
export const replaceableName = async (path: string): Promise<string> => (isOwn(path) ? path : trueName(path))

/** Throws what the system says if a file could not be replaced. */
export function checkReplaceable(path: string): void {
  if (isStream(path)) return
  const file = beside(path)
  closeSync(openSync(file, 'wx'))
  rmSync(file)
}

/**
 * Puts a text in the place of a file in one step, so that whoever reads it finds the old one or the new one, whole. It lets
 * nothing else run meanwhile. If `isDue` says no right before that, all stays as it is; gives whether it was done.
 */
export function replaceFile(path: string, mode: number, text: string, isDue = () => true): boolean {
  if (isStream(path)) {
    appendFileSync(path, text)
    return true
  }
  const file = beside(path)
  try {
    writeNew(file, mode, text)
    if (!isDue()) return false
    renameSync(file, path)
    return true
  } finally {
    rmSync(file, { force: true }) // not there any more if all went well
  }
}

function writeNew(path: string, mode: number, text: string): void {
  const file = openSync(path, 'wx', mode)
  try {
    fchmodSync(file, mode) // whatever the umask says
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

const mostRead = 1_000_000

/** The beginning of a file's text; empty where there is none to be read. */
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

/** Tells one file from another that took its place. */
export function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`
}

/** In the same folder, for only there a rename is one step; Prometheus' collector takes what ends in .prom. */
const beside = (path: string) => `${path}.${ulid()}.tmp`

/** What is no file on a disk cannot be replaced, and must not be: /dev/null, a pipe. Throws for a folder. */
function isStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' })
  return isOwn(path) || (found !== undefined && !found.isFile())
}

const isOwn = (path: string) => /^\/(dev|proc)\//.test(path)
