import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

const cleanups: (() => unknown)[] = []

/** Does what was put off to the end of a test, the last first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

/** Does something when the test ends, the last asked for first. */
export const atEnd = (cleanup: () => unknown): void => {
  cleanups.push(cleanup)
}

/** A folder that is removed when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(process.env.ROWLIFT_TEST_FOLDER ?? '', 'rowlift-test-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
