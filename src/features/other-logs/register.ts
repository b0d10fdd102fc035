import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { whenFree } from '../../platform/busy-files.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { Opening } from '../../store/files/lines.ts'
import { endOfFile } from './log-files.ts'

// A folder of the user with a small file for each log, so that it is found wherever it lies. It holds no data of rows, and may be deleted.

/** The fields by which a log is registered. */
export type Registered = Pick<Opening, 'base_url' | 'organization_id' | 'record' | 'key_columns'>

export const shortHash = (text: string): string => hash('sha256', text).slice(0, 16)

/** The folder of the logs of one service, organization and kind of record; undefined if the user has no folder for state. */
export function registerFolder(environment: ProcessInfo['environment'], run: Registered): string | undefined {
  const { XDG_STATE_HOME: state = '', LOCALAPPDATA: local, HOME: home } = environment
  const base = isAbsolute(state) ? state : local || (home && join(home, '.local', 'state'))
  if (!base) return undefined
  return join(base, 'rowlift', shortHash(`${run.base_url} ${run.organization_id} ${run.record}`))
}

/** Notes how long a log is, and its last checksum. Without the user's home there is no register. */
export async function noteLog(folder: string, path: string, run: Registered, { clock, pid }: ProcessInfo) {
  const log = realpathSync.native(path) // as its name is written in its folder
  const { size: length, checksum } = endOfFile(log)
  const entry = { ...run, log, length, checksum, at: clock.now().toISOString() }
  const file = join(folder, `${shortHash(log)}.json`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.${pid}`, JSON.stringify(entry), { mode: ownerOnly })
  await whenFree(() => renameSync(`${file}.${pid}`, file))
}

export type Entry = Registered & { log: string; length: number; checksum?: string; at: string }

/** The logs in a folder of the register, by their absolute paths; those that cannot be read are left out. */
export function* entriesIn(folder: string): Generator<Entry> {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {}
  for (const name of names)
    try {
      const entry = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      if (typeof entry.log === 'string' && Array.isArray(entry.key_columns)) yield entry
    } catch {}
}
