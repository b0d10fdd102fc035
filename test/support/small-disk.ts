import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import type { TestContext } from 'vitest'
import { atEnd } from './cleanup.ts'

/** Mounts a file system of 80 kB, or another size, as a new folder; skips the test where that is not allowed. `grow` makes it 10 MB. */
export async function smallDisk(
  folder: string,
  { skip }: TestContext,
  size = '80k',
): Promise<{ grow: () => void }> {
  await mkdir(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  atEnd(() => execFileSync('umount', [folder]))
  return { grow: () => execFileSync('mount', ['-o', 'remount,size=10m', folder]) }
}
