import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeadProcess, type ProcessInfo, processIdentity } from '../../platform/process-info.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { holderOf } from '../../run/logs.ts'

const start = 'rowlift-guide-'
const longestMs = 86_400_000

/** A folder for this process alone, with the rows of checks. It is removed at the end, or, of a killed process, by the next one. */
export class TemporaryFolder {
  readonly #info: ProcessInfo
  #path: Promise<string> | undefined

  constructor(info: ProcessInfo) {
    this.#info = info
  }

  path(): Promise<string> {
    this.#path ??= this.#make()
    return this.#path
  }

  async #make(): Promise<string> {
    const { pid } = this.#info
    const folder = await mkdtemp(join(tmpdir(), `${start}${pid}-`)) // its mode is 0700
    const owner = JSON.stringify(holderOf('guide', this.#info))
    await writeFile(join(folder, 'owner.json'), owner, { mode: ownerOnly })
    return folder
  }

  async remove(): Promise<void> {
    if (this.#path !== undefined) await rm(await this.#path, { recursive: true, force: true })
  }

  /** Removes the folders of dead processes. Of some nobody knows whether they are dead, as of another start of the computer: they go after a day. */
  async removeOthers(): Promise<void> {
    const { host, pid, clock } = this.#info
    const own = { host, process: processIdentity(pid) }
    for (const name of await readdir(tmpdir()).catch(() => [])) {
      const folder = join(tmpdir(), name)
      if (!name.startsWith(start) || folder === (await this.#path)) continue
      const owner = await readFile(join(folder, 'owner.json'), 'utf8')
        .then(text => JSON.parse(text))
        .catch(() => ({}))
      const { mtimeMs = Infinity } = (await stat(folder).catch(() => undefined)) ?? {}
      const isOld = clock.now().getTime() - mtimeMs > longestMs
      if (isDeadProcess(owner, own) || isOld)
        await rm(folder, { recursive: true, force: true }).catch(() => {})
    }
  }
}
