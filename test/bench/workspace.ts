import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PhoneStyle, writeContacts } from './contacts.ts'

const build = fileURLToPath(new URL('../../../build', import.meta.url))

/** A folder of this run's own for all that it writes. */
export interface Workspace {
  /** The path of a file in it. */
  path(name: string): string
  /** A CSV file of so many contacts; written when it is first asked for. */
  contacts(rows: number, style?: PhoneStyle): Promise<string>
  /** What its disk has free. */
  freeBytes(): Promise<number>
  remove(): void
}

/** Makes it in the project, for a folder for temporary files may be held in memory, where a sync costs nothing. */
export async function createWorkspace(): Promise<Workspace> {
  await mkdir(build, { recursive: true })
  const folder = await mkdtemp(join(build, 'run-'))
  const path = (name: string) => join(folder, name)
  return {
    path,
    async contacts(rows, style = 'international') {
      const file = path(`contacts-${rows}-${style}.csv`)
      if (!existsSync(file)) await writeContacts(file, rows, style)
      return file
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
