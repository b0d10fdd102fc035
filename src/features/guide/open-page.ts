import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { ownerOnly } from '../../platform/replace-file.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a file in the program for it, and waits for nothing. A computer without one is no fault. */
export function openFile(path: string): void {
  const [program = '', ...args] = openers[platform()] ?? ['xdg-open']
  spawn(program, [...args, path], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref()
}

/**
 * Opens an address by a file that leads to it: the arguments of a program are visible to all users, and the address holds a secret.
 * Returns the function that removes the file.
 */
export async function openAddress(url: string): Promise<() => Promise<void>> {
  const file = join(tmpdir(), `rowlift-${ulid()}.html`)
  const text = `<!doctype html><meta charset="utf-8"><title>rowlift</title><meta http-equiv="refresh" content="0; url=${url}">`
  await writeFile(file, text, { mode: ownerOnly, flag: 'wx' })
  openFile(file)
  return () => rm(file, { force: true })
}
