// What `rowlift doctor` looks at before a run. It makes no call, and writes nothing but a scratch file.
import { readFileSync } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ulid } from 'ulid'
import { isReadByOthers } from '../../api/token.ts'
import { withStore } from '../../features.ts'
import { standardInput } from '../../input/source.ts'
import type { Clock } from '../../model/clock.ts'
import { cannotWrite, RowliftError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { packageRoot } from '../../model/package.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { type ImportPorts, watchingOf } from '../../run/ports.ts'
import { checkWritable, fileOf, type ImportJob, type PreparedImport, prepare } from '../../run/prepare.ts'
import { required, resolveResults, tokenOf } from '../../run/resolve-options.ts'
import { checkBaseUrl, proxyFor, proxyVariable } from '../../run/service.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { checkNames, lockOf } from '../../store/files/lock.ts'
import { probe } from './probe.ts'
import type { Finding, Findings } from './text.ts'

interface Exam extends Pick<ImportJob, 'sources' | 'settings'> {
  readonly ports: ImportPorts
  /** Findings of the first checks. */
  rows?: number | undefined
  log?: { readonly path: string; readonly bytes: number }
}

/** Codes of what was not given. */
const missing = new Set(['no_source', 'option_required', 'no_token', 'no_results'])

/** Checks one thing after the other; leaves out what there is not. */
export async function* examine(exam: Exam): AsyncGenerator<Finding> {
  for (const check of Object.keys(checks) as (keyof Findings)[]) {
    const found = await checks[check](exam).catch(error => {
      if (!(error instanceof RowliftError)) throw error
      return { state: missing.has(error.code) ? ('skipped' as const) : ('fail' as const), error }
    })
    if (found !== undefined) yield { check, ...found }
  }
}

type Found<C extends keyof Findings> = { readonly state: Finding['state']; readonly facts: Findings[C] }

/** Each throws what is wrong. */
const checks: { readonly [C in keyof Findings]: (exam: Exam) => Promise<Found<C> | undefined> } = {
  async node({ ports: { node: version } }) {
    const { engines } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'))
    const needed = engines.node.replace('>=', '')
    const isOld = version.localeCompare(needed, 'en', { numeric: true }) < 0
    return { state: isOld ? 'fail' : 'ok', facts: { version, needed } }
  },
  async import(exam) {
    const { sources, ports } = exam
    const rows = sources.includes(standardInput) ? [] : undefined // only the run reads it
    let lacks: string | undefined
    const emit = (event: RunEvent) => {
      if (event.type === 'lookup_assumed') lacks = event.path // a run ends there
    }
    const settings = { ...exam.settings, dryRun: true }
    const prepared = await withStore(await prepare({ sources, rows, settings }, { ...ports, emit }))
    exam.rows = await rowsIn(prepared)
    if (exam.settings.baseUrl !== undefined) required(exam.settings.organizationId, 'organization-id')
    return {
      state: lacks ? 'fail' : 'ok',
      facts: { record: prepared.mapping.record, rows: exam.rows, lacks },
    }
  },
  async service({ settings, ports: { environment, clock } }) {
    const service = checkBaseUrl(required(settings.baseUrl, 'base-url'), settings.allowHttp)
    const proxy = proxyFor(service, environment)
    const through = proxy && `${proxy.host} (${proxyVariable(service, environment)})`
    const probed = await probe(new URL(service), proxy, clock)
    const isSoon = 'tls' in probed && Date.parse(probed.valid_until) - clock.now().getTime() < 14 * 86_400_000
    return { state: isSoon ? 'warn' : 'ok', facts: { through, ...probed } }
  },
  async token({ settings, ports }) {
    const { tokenFile, tokenCommand } = settings
    await (await tokenOf(settings, ports)).begin(new AbortController().signal)
    const from = tokenFile ?? (tokenCommand === undefined ? 'ROWLIFT_TOKEN' : '--token-command')
    const isShared = tokenFile !== undefined && (await isReadByOthers(tokenFile))
    return { state: isShared ? 'warn' : 'ok', facts: { from } }
  },
  async log(exam) {
    const { sources, settings, ports } = exam
    const path = fileOf(await resolveResults(sources, settings, ports))
    if (path === undefined) return undefined
    const bytes = (await stat(path).catch(() => undefined))?.size ?? 0
    checkNames(path)
    await checkWritable(path)
    exam.log = { path, bytes }
    const { isHeld: is_held, lock: view } = await lockOf(path, watchingOf(ports, settings.lockTimeout))
    const { inDoubt: in_doubt, orphans } = await replay(path, {}, undefined, !is_held)
    const is_shared = bytes > 0 && (await isReadByOthers(path))
    const heartbeat = new Date(view?.beatMs ?? 0).toISOString()
    const lock = view && { is_held, holder: view.holder, heartbeat }
    const facts = { path, is_shared, lock, in_doubt, under_way: orphans.length }
    return { state: is_shared || lock || in_doubt > 0 ? 'warn' : 'ok', facts }
  },
  async disk({ log, settings, ports }) {
    if (log === undefined) return undefined
    const [median_ms, worst_ms] = await timeSyncs(log.path, ports.clock)
    const rows_per_second = Math.floor((1000 * settings.concurrency) / (2 * median_ms)) // each waits for two
    const is_remote = remote.has((await statfs(dirname(log.path))).type)
    return { state: is_remote ? 'warn' : 'ok', facts: { median_ms, worst_ms, rows_per_second, is_remote } }
  },
  async space({ log, rows }) {
    if (log === undefined || rows === undefined) return undefined
    const { bavail, bsize } = await statfs(dirname(log.path))
    const facts = { free_bytes: bavail * bsize, needed_bytes: Math.max(0, rows * bytesOfRow - log.bytes) }
    const share = facts.free_bytes / facts.needed_bytes
    return { state: share < 1 ? 'fail' : share < 2 ? 'warn' : 'ok', facts }
  },
}

/** Size of a row in the log, by docs/usage/operations.md. */
const bytesOfRow = 350
/** By statfs(2): NFS, SMB, CIFS, 9P, Ceph, AFS, and what FUSE mounts. */
const remote = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x1021997, 0xc36400, 0x5346414f, 0x65735546])

/** About how many rows there are, by the first ones; undefined if a source has no size. */
async function rowsIn({ sources: [first], totalBytes, tally, ports }: PreparedImport) {
  if (first === undefined || totalBytes === undefined) return undefined
  for await (const { length: rows } of first.rows()) {
    ports.emit({ type: 'batch', rows })
    if (rows > 0) return tally.rowsLeft(totalBytes)
  }
  return 0
}

/** The median and the longest time of a sync beside the log, in milliseconds. Throws a LogError. */
async function timeSyncs(log: string, clock: Clock) {
  const path = `${log}.doctor-${ulid()}`
  const times: number[] = []
  try {
    await using file = await open(path, 'wx', ownerOnly)
    while (times.length < 20) {
      await file.appendFile('-'.repeat(bytesOfRow))
      const startedMs = clock.elapsedMs()
      await file.datasync()
      times.push(clock.elapsedMs() - startedMs)
    }
  } catch (error) {
    throw cannotWrite(path, error)
  } finally {
    await rm(path, { force: true })
  }
  times.sort((a, b) => a - b)
  return [times[10], times[19]].map(ms => Math.max(0.01, Number(ms?.toFixed(2)))) as [number, number]
}
