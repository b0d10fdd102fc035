import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sleep } from '../../model/clock.ts'
import { LockError, reasonOf, UsageError } from '../../model/errors.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { logIdentity } from '../../run/log-identity.ts'
import { holderOf, watchingOf } from '../../run/logs.ts'
import { fileOf, isPreset } from '../../run/paths.ts'
import type { OtherLogs, PreparedImport, StepLookups } from '../../run/prepared-import.ts'
import { addressOf, isOnLoopback } from '../../run/service.ts'
import type { Opening } from '../../store/files/lines.ts'
import { isHeld, type Lock, lockLog } from '../../store/files/lock.ts'
import { checkCopies, copiesOf, hasLost } from './copies.ts'
import { endOfFile, type LogFile, logAt, type UnseenLog } from './log-files.ts'
import { type Hits, lookThrough } from './look.ts'
import { entriesIn, noteLog, type Registered, registerFolder, shortHash } from './register.ts'

type Claim = OtherLogs['claim']
type ClaimedRun = Parameters<Claim>[0]

/** The import whose rows are looked for. */
interface Look {
  readonly prepared: PreparedImport
  readonly steps: StepLookups | undefined
  readonly run: Registered
  /** Undefined for standard output. */
  readonly log: string | undefined
  /** The folder of its entries in the register; undefined for a service on this machine. */
  readonly register: string | undefined
}

/** Adds the look into other logs to an import whose service is known. */
export function withOtherLogs(prepared: PreparedImport, steps?: StepLookups): PreparedImport {
  const { options, ports } = prepared
  const { baseUrl: base_url, organizationId: organization_id } = options
  if (base_url === undefined || organization_id === undefined) return prepared
  const { mapping, mapping_sha256, ...identity } = logIdentity(prepared)
  const run = { ...identity, base_url: addressOf(base_url), organization_id }
  const register = isOnLoopback(base_url) ? undefined : registerFolder(ports.environment, run)
  const look = { prepared, steps, run, log: fileOf(options.results), register }
  let isBroken = options.service === undefined
  const note = async () => {
    if (register === undefined || look.log === undefined || isBroken) return
    try {
      await noteLog(register, look.log, run, ports)
    } catch (error) {
      isBroken = true // told once
      ports.emit({ type: 'register_failed', path: register, reason: reasonOf(error) })
    }
  }
  const claim: Claim = async (now, begin) => {
    const { unknown, count } = now.first
    const { host, looked_through, other_imports } = now.checkpoint.opening ?? {}
    if (look.log !== undefined && now.checkpoint.opening) await checkCopies(look.log, now.checkpoint)
    if (host !== undefined && host !== ports.host) ports.emit({ type: 'other_host', host })
    const kept = { host: ports.host, looked_through, other_imports }
    const folders = unknown * 10 <= count ? undefined : await foldersOf(prepared)
    const claimed = folders && options.service ? [...folders, register] : []
    if (claimed.length > 0 && register)
      await mkdir(register, { recursive: true, mode: 0o700 }).catch(() => {})
    const begun = await holding(claimed, now.runId, ports, async () => {
      const others = folders && (await lookElsewhere(look, folders, now))
      await checkOwn(look)
      return begin({ ...kept, ...others })
    })
    await note()
    return begun
  }
  const hasCopies = async (log: string) => (await copiesOf(log).next()).done !== true
  return { ...prepared, otherLogs: { claim, noteEnd: note, hasCopies } }
}

/** Throws a UsageError if the register knows that the own log had more than it has, unless `--new-log` says that it is lost. */
async function checkOwn({ register, prepared, log = '-' }: Look): Promise<void> {
  const path = await pathOf(log)
  const entry = register ? [...entriesIn(register)].find(each => each.log === path) : undefined
  if (entry === undefined || prepared.settings.newLog) return
  const why = !existsSync(path) ? 'gone' : (await hasLost(entry)) ? 'lost' : undefined
  if (why) throw new UsageError('other_log_unseen', { path: shown(path), why })
}

/** The path of a log, links followed, also if it is gone. */
const pathOf = (log: string): Promise<string> =>
  realpath(log).catch(async () =>
    join(await realpath(dirname(log)).catch(() => dirname(resolve(log))), basename(log)),
  )

/** The folders of the log, the mapping, the sources and the command. */
async function foldersOf({ settings, mapping, options, ports }: PreparedImport): Promise<string[]> {
  const files = [options.results, settings.results, ...options.sources].flatMap(file => fileOf(file) ?? [])
  if (settings.mapping && !isPreset(mapping.file))
    files.push(mapping.file, await realpath(mapping.file).catch(() => mapping.file))
  const named = [ports.cwd ?? '.', ...files.map(file => dirname(file))]
  const folders = await Promise.all(named.map(folder => realpath(folder).catch(() => [])))
  return [...new Set(folders.flat())].sort()
}

const claimMs = 5_000
const pauseMs = 50

/** Works while no other run makes a claim in the folders; those that cannot be written are left out. */
async function holding<T>(
  folders: readonly (string | undefined)[],
  runId: string,
  info: ProcessInfo,
  work: () => Promise<T>,
): Promise<T> {
  const { clock } = info
  const options = { holder: holderOf(runId, info), clock, timeoutMs: claimMs, onWait() {}, onLost() {} }
  const lock = async (folder: string): Promise<Lock | undefined> =>
    lockLog(join(folder, '.rowlift'), options).catch(async error => {
      if (!(error instanceof LockError)) return undefined
      await sleep(clock, pauseMs)
      return lock(folder)
    })
  const locks: (Lock | undefined)[] = []
  try {
    for (const folder of folders) if (folder !== undefined) locks.push(await lock(folder))
    return await work()
  } finally {
    for (const each of locks) await each?.release()
  }
}

type FoundLog = Hits & { readonly id: string; readonly isPacked: boolean; readonly changedMs: number }

/** Looks for the unknown first rows in other logs. Returns what the opening line keeps. Throws a UsageError if they may have their records. */
async function lookElsewhere(look: Look, folders: readonly string[], { checkpoint, first }: ClaimedRun) {
  const { prepared, steps, run, log = '-' } = look
  const { settings, mapping, options, isStep } = prepared
  const { looked_through = [], other_imports = [] } = checkpoint.opening ?? {}
  const watch = watchingOf(prepared.ports, settings.lockTimeout)
  const own = await pathOf(log)
  const marks: string[] = []
  const hits = new Map<string, FoundLog>()
  const pass = (path: string, found: number, place?: string) =>
    prepared.ports.emit({ type: 'other_log_passed', log: shown(path), found, place })
  const begun = new Map<string, string>()
  const unseen = new Map<string, UnseenLog['why']>()
  const inspect = async (file: LogFile, path: string) => {
    const { record, organization_id, run: id } = file.opening
    if (record !== run.record) return
    const { size, text, changedMs } = endOfFile(file.path)
    const mark = shortHash(JSON.stringify([file.path, size, text, mapping.sha256, options.sources]))
    if (looked_through.includes(mark)) return void marks.push(mark)
    let seen = await lookThrough(file, first, run.key_columns)
    const { base_url } = seen.opening
    if (addressOf(base_url) !== run.base_url || organization_id !== run.organization_id) {
      if (seen.found > 0 && isOnLoopback(base_url) === isOnLoopback(run.base_url))
        pass(path, seen.found, `organization ${organization_id} at ${base_url}`)
      return
    }
    const mayBegin = seen.found === 0 && isSameSample(seen.opening.first_rows, first.opening.first_rows)
    const isLive = mayBegin && (await isHeld(path, watch))
    if (mayBegin && !isLive) seen = await lookThrough(file, first, run.key_columns) // its run may be over by now
    if (seen.found > (hits.get(path)?.found ?? 0))
      hits.set(path, { ...seen, id, isPacked: file.isPacked, changedMs })
    else if (path !== file.path && !existsSync(path)) unseen.set(path, 'gone')
    else if (isLive) begun.set(path, id)
    else marks.push(mark)
  }
  for (const file of await candidates(look, folders)) {
    const path = file.path.replace(/\.inflight$/, '')
    const id = 'opening' in file ? file.opening.run : shortHash(path)
    if (path === own || other_imports.includes(id) || (await steps?.withLog(path))) continue
    if ('why' in file) unseen.set(path, file.why)
    else
      await inspect(file, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error // another run that ends removes its list of calls in flight
      })
  }
  if (settings.newLog) {
    for (const [path, { found }] of hits) pass(path, found)
    const found = [...hits.values()].map(({ id }) => id)
    const hidden = [...unseen.keys()].map(shortHash)
    return { other_imports: [...new Set([...other_imports, ...found, ...begun.values(), ...hidden])] }
  }
  const [most, ...others] = [...hits].sort(([, a], [, b]) => b.found - a.found || b.changedMs - a.changedMs)
  if (most !== undefined) {
    const [other, { found, same, recorded, opening, isPacked }] = most
    const also = others.map(([path]) => shown(path))
    const counts = { found, same, recorded, day: opening.at.slice(0, 10), looked: first.count, others: also }
    throw new UsageError('other_log', { log, other: shown(other), ...counts, isPacked, isStep })
  }
  for (const path of begun.keys()) throw new UsageError('import_begun', { other: shown(path) })
  for (const [path, why] of checkpoint.opening === undefined ? unseen : [])
    throw new UsageError('other_log_unseen', { path: shown(path), why })
  return { looked_through: marks }
}

/** A file that a killed run was writing; what it was to replace is there. */
const unfinished = /\.[0-9A-Z]{26}\.new$/

/** The logs in folders and in the register, each once, and what may be one. One that only the register knows may be gone. */
async function candidates({ register, run }: Look, folders: readonly string[]) {
  const found = new Map<string, LogFile | UnseenLog>()
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [])) {
      if (unfinished.test(name)) continue
      const file = await logAt(join(folder, name))
      if (file !== undefined) found.set(file.path, file)
    }
  for (const { log, key_columns } of register === undefined ? [] : entriesIn(register)) {
    if (found.has(log)) continue
    const file = existsSync(log) ? await logAt(log) : undefined
    if (file !== undefined) found.set(log, file)
    else if (isDeepStrictEqual(key_columns, run.key_columns)) found.set(log, { path: log, why: 'gone' })
  }
  return found.values()
}

/** The path as people name it. */
const shown = (path: string): string => {
  const near = relative('.', path)
  return near.startsWith('..') ? path : near
}

/** Compares the values in the first rows, in the columns that both have. */
function isSameSample(one: Opening['first_rows'] = {}, other: Opening['first_rows'] = {}): boolean {
  const columns = Object.keys(one).filter(column => Object.hasOwn(other, column))
  return columns.length > 0 && columns.every(column => isDeepStrictEqual(one[column], other[column]))
}
