import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { intentLogPath } from '../journal/intent-log.ts'
import { type Opening, parseOpening } from '../journal/lines.ts'
import { isThere } from '../journal/result-log.ts'
import { UsageError } from '../model/errors.ts'
import type { StepLookups } from './lookups.ts'
import { mappingName, mappingObject } from './paths.ts'
import { pathIn } from './ports.ts'
import type { ImportSettings } from './settings.ts'

// A new result log knows no row. Where another log of the same import has rows, all of them would be created again.

/** What the runs of one import share. */
type ImportIdentity = Pick<Opening, 'record' | 'mapping' | 'mapping_sha256' | 'key_columns'> &
  Partial<Pick<Opening, 'base_url' | 'organization_id'>>

/** Throws a UsageError where a log that is not there yet would be the second one of its import. */
export async function checkNoOtherLog(
  log: string,
  now: ImportIdentity,
  { settings: { newLog, config }, steps }: { settings: ImportSettings; steps?: StepLookups },
  cwd: string | undefined,
): Promise<void> {
  // Nothing can be said of a dry run that does not name its service, and it creates nothing.
  if (newLog || now.base_url === undefined || now.organization_id === undefined) return
  if ((await isThere(log)) || (await isThere(intentLogPath(log)))) return
  const folder = dirname(log)
  // until 0.2 a path in a settings file was relative to the working directory
  const before = config === undefined ? folder : pathIn({ cwd }, relative(dirname(config), folder) || '.')
  const found = await logsIn(folder)
  if (resolve(before) !== resolve(folder)) found.push(...(await logsIn(before)))
  const others = new Set<string>()
  // the steps of a plan may share a mapping
  for (const { path, opening } of found.sort((a, b) => b.changedMs - a.changedMs))
    if (nameOf(opening) === nameOf(now) && !(await steps?.withLog(path))) others.add(path)
  if (others.size > 0)
    throw new UsageError('other_log', { log, others: [...others], isStep: steps !== undefined })
}

function nameOf(run: ImportIdentity): string {
  const { base_url, organization_id, record, key_columns, mapping } = run
  const name = mapping === mappingObject ? run.mapping_sha256 : mappingName(String(mapping))
  return JSON.stringify([base_url, organization_id, record, key_columns, name])
}

interface LogFile {
  readonly path: string
  readonly opening: Opening
  readonly changedMs: number
}

async function logsIn(folder: string): Promise<LogFile[]> {
  const found: LogFile[] = []
  for (const name of await readdir(folder).catch(() => []))
    found.push(...(await logAt(join(folder, name)).catch(() => [])))
  return found
}

const beginning = Buffer.from('{"run":')
const mostBytes = 4_000_000 // the line names all sources, and a command line may have 2 MB

/** Reads no further than the opening line. Empty for any other file; rejects for one that cannot be read. */
async function logAt(path: string): Promise<LogFile[]> {
  const found = await stat(path)
  if (!found.isFile()) return [] // a pipe or a device is not even opened
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const { buffer } = await file.read(Buffer.alloc(beginning.length), { position: 0 })
  if (!buffer.equals(beginning)) return []
  for await (const line of file.readLines({ start: 0, end: mostBytes, autoClose: false })) {
    const opening = parseOpening(line)
    const log = path.replace(/\.inflight$/, '') // calls in flight stand for their log, even for one that is gone
    return opening === undefined ? [] : [{ path: log, opening, changedMs: found.mtimeMs }]
  }
  return []
}
