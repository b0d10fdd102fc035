import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'

const cleanups: (() => unknown)[] = []

const cleanUp = async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}
afterEach(cleanUp)
afterAll(cleanUp) // of what was begun before the tests, should that have failed

/** Does something when the test ends, the last asked for first. */
export const atEnd = (cleanup: () => unknown): void => {
  cleanups.push(cleanup)
}

/** A folder that is removed when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowlift-test-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
