// The checks of `rowlift doctor` before a run. They make no call, and write nothing but a scratch file.
import { rmSync } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ulid } from 'ulid'
import type { Run } from '../../cli/command.ts'
import { type CliContext, portsOf, printTo } from '../../cli/context.ts'
import { byOption, storeOf, withStore } from '../../features.ts'
import { standardInput } from '../../input/source.ts'
import type { Clock } from '../../model/clock.ts'
import { cannotWrite, RowliftError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { packageFile } from '../../model/package.ts'
import { counted, due, grouped, rows, shellWord, timeOf, visible, visibleJson } from '../../output/text.ts'
import { holderName } from '../../output/words/run-words.ts'
import { listed } from '../../output/words/sentence.ts'
import { describeError } from '../../output/words.ts'
import { whenFree } from '../../platform/busy-files.ts'
import { isReadByOthers } from '../../platform/owners.ts'
import { pathIn } from '../../platform/process-info.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { watchingOf } from '../../run/logs.ts'
import { fileOf } from '../../run/paths.ts'
import type { Plan, Step } from '../../run/plan.ts'
import { type ImportPorts, writeTexts } from '../../run/ports.ts'
import { checkWritable, prepare } from '../../run/prepare.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { required, resolveResults, tokenOf } from '../../run/resolve-options.ts'
import { checkBaseUrl, proxyFor, proxyVariable } from '../../run/service.ts'
import { importOptions } from '../../settings/options.ts'
import { type ImportSettings, mergeSettings, parseSettings, readSettings } from '../../settings/settings.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { checkNames, lockOf } from '../../store/files/lock.ts'
import { probe } from './probe.ts'

/** `rowlift doctor`: prints the finding of each check as it ends; returns the exit code. Throws a UsageError. */
export const runDoctor: Run = async (input, context) => {
  const { stdout, stdoutIsTerminal } = context
  let exitCode: number = exitCodes.finished
  for await (const finding of findings(input, context)) {
    await writeTexts([findingLine(finding, stdoutIsTerminal)], stdout)
    if (finding.state === 'fail') exitCode = exitCodes.someBad
  }
  return exitCode
}

/** Makes the checks; yields the finding of each. Throws a UsageError. */
export async function* findings(
  { positionals, flags }: Pick<Parameters<Run>[0], 'positionals' | 'flags'>,
  context: CliContext,
): AsyncGenerator<PlacedFinding> {
  const layers = await readSettings(importOptions, flags, context)
  const settings = parseSettings(importOptions, mergeSettings(layers.outside, layers.inFile))
  const emit = (event: RunEvent) => {
    if (event.type === 'token_command_said') printTo(context.stderr, `${event.program}: ${event.line}\n`)
  }
  const sources = positionals.map(path => pathIn(context, path))
  const ports = { ...portsOf(context), emit }
  const { steps, links }: Pick<Plan, 'links'> & { readonly steps: readonly Job[] } =
    settings.plan === undefined
      ? { steps: [{ name: undefined, sources, settings }] }
      : await (
          await (await byOption.plan()).openPlan(settings, sources, layers, { ...ports, storeOf })
        ).load()
  const done = new Set<string>()
  for (const step of steps) {
    const exam: Exam = { ...step, ports, links }
    for (const [check, find] of Object.entries(checks)) {
      const name = `${check} ${JSON.stringify(shared[check]?.map(option => step.settings[option]) ?? step.name)}`
      if (done.has(name)) continue
      done.add(name)
      const finding = await find(exam).catch(findingOf)
      if (finding !== undefined) yield { ...finding, check, step: shared[check] ? undefined : step.name }
    }
  }
}

/** Checks that depend on these options alone: steps of a plan that share them are checked once. */
const shared: Readonly<Record<string, readonly (keyof ImportSettings)[]>> = {
  node: [],
  service: ['baseUrl', 'allowHttp'],
  token: ['tokenFile', 'tokenCommand'],
}

type Job = Pick<Step, 'name' | 'sources' | 'settings' | 'mapping'>

interface Exam extends Job {
  readonly links: Plan['links']
  readonly ports: ImportPorts
  /** Findings of the first checks. */
  rows?: number | undefined
  log?: { readonly path: string; readonly bytes: number }
}

interface Finding {
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped'
  /** Fields for programs. */
  readonly facts?: object
  readonly text: string
  /** Advice unless the state is ok. */
  readonly fix?: string
  /** The error that the text is about. */
  readonly error?: unknown
}

export type PlacedFinding = Finding & { readonly check: string; readonly step: string | undefined }

/** Codes of options that are missing. */
const missing = new Set(['no_source', 'option_required', 'no_token', 'no_results'])

function findingOf(error: unknown): Finding {
  if (!(error instanceof RowliftError)) throw error
  return { state: missing.has(error.code) ? 'skipped' : 'fail', text: describeError(error), error }
}

const marks = { ok: '✓', warn: '!', fail: '✗', skipped: '-' }

export const messageOf = ({ text, state, fix }: Finding) =>
  visible(due(text, state !== 'ok' && fix).join('; '))

/** Makes a line for people, or for programs. */
function findingLine(finding: PlacedFinding, isForPeople: boolean): string {
  const { check, step, state, facts } = finding
  const message = messageOf(finding)
  if (isForPeople)
    return `${marks[state]} ${check.padEnd(7)} ${step === undefined ? '' : `${visible(step)}: `}${message}\n`
  return visibleJson(`${JSON.stringify({ check, step, state, ...facts, message })}\n`)
}

/** Checks in their order. Each throws what is wrong, and has no finding if there is nothing to check. */
const checks: Readonly<Record<string, (exam: Exam) => Promise<Finding | undefined>>> = {
  async node({ ports: { node: version } }) {
    const { engines } = JSON.parse(packageFile('package.json'))
    const needed = engines.node.replace('>=', '')
    const state = version.localeCompare(needed, 'en', { numeric: true }) < 0 ? 'fail' : 'ok'
    return { state, facts: { version, needed }, text: `Node ${version}`, fix: `install ${needed} or newer` }
  },
  async import(exam) {
    const { sources, mapping, ports, links } = exam
    const noRows = sources.includes(standardInput) ? [] : undefined // only the run reads it
    let lacks: string | undefined
    const emit = (event: RunEvent) => {
      if (event.type === 'lookup_assumed') lacks = event.path // a run ends there
    }
    const settings = { ...exam.settings, dryRun: true }
    const job = { sources, rows: noRows, settings, ...(mapping && { mapping }) }
    const prepared = await withStore(await prepare(job, { ...ports, emit }, links))
    exam.rows = await rowsIn(prepared)
    if (exam.settings.baseUrl !== undefined) required(exam.settings.organizationId, 'organization-id')
    const facts = { record: prepared.mapping.record, rows: exam.rows, lacks }
    const text = `${exam.rows === undefined ? '' : `about ${rows(exam.rows)}: `}${facts.record}s`
    const questions = prepared.mapping.openQuestions.map(each => `answer ${each.place}: ${each.text}`)
    const fix = [...due(lacks && `run the import that writes ${lacks} first`), ...questions].join('; ')
    return { state: lacks ? 'fail' : fix === '' ? 'ok' : 'warn', facts, text, fix }
  },
  async service({ settings, ports: { environment, clock } }) {
    const service = checkBaseUrl(required(settings.baseUrl, 'base-url'), settings.allowHttp)
    const proxy = proxyFor(service, environment)
    const through = proxy && `${proxy.host} (${proxyVariable(service, environment)})`
    const facts = { through, ...(await probe(new URL(service), proxy, clock)) }
    const { host, addresses, ms, tls, valid_until: end } = facts
    const isSoon = Date.parse(end ?? '') - clock.now().getTime() < 14 * 86_400_000
    const more = due(through && `through ${through}`, tls, end && `certificate to ${timeOf(end)}`)
    const text = listed([host, ...addresses, `${ms} ms`, ...more])
    return { state: isSoon ? 'warn' : 'ok', facts, text, fix: 'have the certificate renewed' }
  },
  async token({ settings, ports }) {
    const { tokenFile, tokenCommand } = settings
    await (await tokenOf(settings, ports)).begin(new AbortController().signal)
    const from = tokenFile ?? (tokenCommand === undefined ? 'ROWLIFT_TOKEN' : '--token-command')
    const isShared = tokenFile !== undefined && (await isReadByOthers(tokenFile))
    return { state: isShared ? 'warn' : 'ok', facts: { from }, text: `from ${from}`, fix: protect(from) }
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
    const under_way = orphans.length
    const heartbeat = new Date(view?.beatMs ?? 0).toISOString()
    const lock = view && { is_held, holder: view.holder, heartbeat }
    const what = is_held ? 'wait for the run that holds it' : 'the next run takes the lock of a dead one'
    const killed = under_way > 0 ? `, with ${counted(under_way, 'call')} of a killed run` : ''
    const fix = due(
      is_shared && protect(path),
      lock && `${what}: ${holderName(lock.holder)}, last heartbeat ${timeOf(heartbeat)}`,
      in_doubt > 0 && `${rows(in_doubt)} in doubt${killed}: rowlift resolve ${shellWord(path)}`,
    )
    const facts = { path, is_shared, lock, in_doubt, under_way }
    const state = fix.length > 0 ? 'warn' : 'ok'
    return { state, facts, text: `${path} can be written`, fix: fix.join('; ') }
  },
  async disk({ log, settings, ports }) {
    if (log === undefined) return undefined
    const [median_ms, worst_ms] = await timeSyncs(log.path, ports.clock)
    const rows_per_second = Math.floor((1000 * settings.concurrency) / (2 * median_ms)) // each waits for two
    const is_remote = remote.has((await statfs(dirname(log.path))).type)
    const facts = { median_ms, worst_ms, rows_per_second, is_remote }
    const speed = `at most ${grouped(rows_per_second)} rows per second`
    const text = `a sync takes ${median_ms} ms, at worst ${worst_ms} ms: ${speed}`
    const fix = 'a local disk is faster, and its locks are reliable'
    return { state: is_remote ? 'warn' : 'ok', facts, text, fix }
  },
  async space({ log, rows: count }) {
    if (log === undefined || count === undefined) return undefined
    const { bavail, bsize } = await statfs(dirname(log.path))
    const facts = { free_bytes: bavail * bsize, needed_bytes: Math.max(0, count * bytesOfRow - log.bytes) }
    const share = facts.free_bytes / facts.needed_bytes
    const text = `${megabytes(facts.free_bytes)} free, about ${megabytes(facts.needed_bytes)} needed`
    const fix = 'free some, or put the log on another disk'
    return { state: share < 1 ? 'fail' : share < 2 ? 'warn' : 'ok', facts, text, fix }
  },
}

const protect = (path: string) => `others can read it: chmod 600 ${shellWord(path)}`
const megabytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1_000_000))} MB`

/** Size of a row in the log, by docs/usage/operations.md. */
const bytesOfRow = 350
/** Types by statfs(2): NFS, SMB, CIFS, 9P, Ceph, AFS, and what FUSE mounts. */
const remote = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x1021997, 0xc36400, 0x5346414f, 0x65735546])

/** Estimates how many rows there are by the first ones; undefined if a source has no size. */
async function rowsIn({ sources: [first], totalBytes, tally, ports }: PreparedImport) {
  if (first === undefined || totalBytes === undefined) return undefined
  for await (const { length: rows } of first.rows()) {
    ports.emit({ type: 'batch', rows })
    if (rows > 0) return tally.rowsLeft(totalBytes)
  }
  return 0
}

/** Measures the median and the longest time of a sync in the folder of the log, in milliseconds. Throws a LogError. */
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
    await whenFree(() => rmSync(path, { force: true }))
  }
  times.sort((a, b) => a - b)
  return [times[10], times[19]].map(ms => Math.max(0.01, Number(ms?.toFixed(2)))) as [number, number]
}
