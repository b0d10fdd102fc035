import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { roomyFolder } from '../../scripts/postgres.js'
import { openDoor } from './postgres-door.ts'

/** Runs once around all tests: makes their temporary folder, and throws at the end if a test left something there. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(await roomyFolder(), 'rowlift-tests-'))
  process.env.ROWLIFT_TEST_FOLDER = folder
  const door = await openDoor()
  process.env.ROWLIFT_TEST_POSTGRES_DOOR = String(door.port)
  return async () => {
    await door.close()
    const left = readdirSync(folder)
    rmSync(folder, { recursive: true, force: true })
    if (left.length > 0) throw new Error(`tests left ${left.length} folders behind, such as ${left[0]}`)
  }
}
