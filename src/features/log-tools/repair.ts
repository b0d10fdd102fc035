import { chownSync, statSync } from 'node:fs'
import type { CliContext } from '../../cli/context.ts'
import { cannotWrite, UsageError } from '../../model/errors.ts'
import { describeProblem } from '../../output/words.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { unseal } from '../../store/files/checksum.ts'
import { openDurableFile } from '../../store/files/durable-file.ts'
import { readIntents, removeIntentLog } from '../../store/files/intent-log.ts'
import {
  commandOpening,
  endsCall,
  identityIn,
  type Opening,
  type OrphanedCall,
  openingAfter,
  orphanDoubt,
  orphanLine,
  parseLine,
  type ResultLine,
} from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { Pairing } from '../../store/files/pairing.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { intentLogPath, LineCheck, readTexts } from '../../store/files/whole-lines.ts'
import { sealing } from './sealing.ts'

/** The faults of files that a repair mends. */
const repaired: readonly string[] = ['bad_log_line', 'lines_missing', 'log_cut', 'intents_missing']

/** What a repair did. */
interface Repair {
  readonly moved: readonly Buffer[]
  readonly isLost: boolean
}

/**
 * Writes a damaged log anew, under the lock and in one step: damaged texts go to a file of their own, the rows of these and of calls under way are in
 * doubt then, and a `lost` line says that lines are missing. Undefined if nothing is damaged. Throws a UsageError, LogError or LockError.
 */
export async function repairLog(
  log: string,
  lock: Lock,
  run: string,
  { version, clock }: CliContext,
): Promise<Repair | undefined> {
  const fault = await faultOf(log)
  if (fault === undefined) return undefined
  const survey = await surveyOf(log)
  const { moved, isLost, doubts, opening, startsWithOpening } = survey
  if (opening === undefined) throw new UsageError('not_a_log', { path: log })
  if (moved.length > 0) await keep(`${log}.damaged`, moved)
  const own = { run, at: clock.now().toISOString() }
  const command = 'repair'
  const texts = async function* () {
    const seal = sealing()
    const ownOpening = commandOpening(opening, { ...own, rowlift: version }, { command })
    if (!startsWithOpening) yield seal(ownOpening) // a log begins with one
    for await (const text of textsIn(log)) {
      const line = lineIn(text)
      if (line !== undefined) yield seal(line)
    }
    yield seal(ownOpening)
    for (const doubt of doubts) yield seal(JSON.parse(orphanLine(doubt, describeProblem, run)))
    if (isLost) yield seal({ ...own, status: 'lost' })
    yield seal({ ...own, ended: { rows: 0 }, command, lines: 0 })
  }
  await rewrite(log, run, texts(), lock)
  await removeIntentLog(intentLogPath(log), lock)
  return survey
}

async function faultOf(log: string): Promise<UsageError | undefined> {
  try {
    for await (const _ of readResultLines(log));
  } catch (error) {
    if (error instanceof UsageError && repaired.includes(error.problem.code)) return error
    throw error
  }
  return undefined
}

/** Looks at both files: which texts are damaged, whether lines are missing, and which rows are in doubt then. */
async function surveyOf(log: string) {
  const inFlight = intentLogPath(log)
  const moved: Buffer[] = []
  let opening: Opening | undefined
  const calls = new Map<string, OrphanedCall>()
  for await (const text of textsIn(inFlight)) {
    const line = lineIn(text) as (OrphanedCall & Partial<Opening> & { readonly over?: boolean }) | undefined
    if (line === undefined) moved.push(text)
    else if (line.over) calls.delete(line.key)
    else if (line.rowlift === undefined) calls.set(line.key, line)
    else opening = line as unknown as Opening
  }
  const intents = moved.length > 0 ? undefined : await readIntents(log).catch(() => undefined)
  const check = new LineCheck({ path: log, log })
  const pairing = new Pairing(intents)
  const damaged: OrphanedCall[] = []
  let isLost = moved.length > 0
  let startsWithOpening: boolean | undefined
  for await (const text of textsIn(log)) {
    const whole = lineIn(text)
    const line = whole ?? parseLine(String(text))
    const { crc, chain } = sealIn(text)
    startsWithOpening ??= whole?.rowlift !== undefined
    if (line === undefined || crc === undefined || !check.follows({ line, crc, chain })) isLost = true
    if (line !== undefined && crc !== undefined) pairing.add(line, crc)
    if (whole === undefined) {
      const rows = rowIn(text, line)
      moved.push(text)
      damaged.push(...rows)
      if (rows.length === 0 && (line?.rowlift ?? line?.ended) === undefined) isLost = true
    } else if (whole.rowlift !== undefined) opening = openingAfter(opening, whole as Opening)
    else if (endsCall(whole) && calls.get(`${whole.key}`)?.run === whole.run) calls.delete(`${whole.key}`)
  }
  isLost ||= pairing.faultOf(log, check, undefined) !== undefined
  const record = opening?.record ?? usualRecordType
  const doubts = [...damaged, ...calls.values()].map(call => orphanDoubt(call, record))
  return { moved, isLost, doubts, opening, startsWithOpening }
}

async function* textsIn(path: string): AsyncGenerator<Buffer> {
  for await (const { texts } of readTexts(path)) yield* texts
}

/** The line in a text, if it is whole. Throws a UsageError for a line of a newer version. */
function lineIn(text: Buffer): ResultLine | undefined {
  const whole = unseal(text)
  return whole && parseLine(whole.json)
}

/** The seal that a text shows. That of a damaged line may be right. */
function sealIn(text: Buffer) {
  const [, chain, crc] = /(?:"chain":"(\w{8})",)?"crc32":"(\w{8})"\}$/.exec(String(text)) ?? []
  const numberOf = (hex: string | undefined) => (hex === undefined ? undefined : Number.parseInt(hex, 16))
  return { crc: numberOf(crc), chain: numberOf(chain) }
}

/** The row of a line that is damaged within its values, or cut behind them: it has a key and a hash, and one of them is right. */
function rowIn(text: Buffer, line: ResultLine | undefined): OrphanedCall[] {
  const fields = line ?? parseLine(`${/^.*?"hash":"\w+"/s.exec(String(text))}}`)
  if (typeof fields?.key !== 'string' || typeof fields.hash !== 'string') return []
  const call = { at: '', body: {}, ...fields } as OrphanedCall
  return [{ run: call.run, at: call.at, ...identityIn(call), body: call.body, damaged: true }]
}

/** Throws a LogError. */
async function keep(path: string, texts: readonly Buffer[]): Promise<void> {
  try {
    const file = await openDurableFile(path, 'a')
    const bytes = Buffer.concat(texts.flatMap(text => [text, Buffer.from('\n')]))
    const written = file.appendFile(bytes).then(() => file.datasync())
    await written.finally(() => file.close())
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Rewrites a log; its owner, whose next run has to read it, stays the same. Throws a LogError or LockError. */
export async function rewrite(
  path: string,
  run: string,
  texts: AsyncIterable<string>,
  lock: Lock,
): Promise<void> {
  try {
    const { uid, gid } = statSync(path)
    const { check, busyMs } = lock
    const file = await replaceFile(path, texts, { id: run, check, longestPauseMs: 0, busyMs })
    await file.close()
    if (uid !== statSync(path).uid) chownSync(path, uid, gid)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}
