// What commands other than import do with an import in a ledger: they export it, settle its doubts, and look at its workers.
import { open } from 'node:fs/promises'
import { ulid } from 'ulid'
import { Database } from '../journal/ledger/database.ts'
import { hasRun, logTexts } from '../journal/ledger/export.ts'
import { type FoundImport, findImport } from '../journal/ledger/found-import.ts'
import { type DoubtFacts, doubtFacts, settleDoubts, stateOf } from '../journal/ledger/resolve.ts'
import { lockLog } from '../journal/lock.ts'
import { replaceFile } from '../journal/replace-file.ts'
import type { Resolution } from '../journal/resolve.ts'
import { isThere, resolveLink } from '../journal/result-log.ts'
import { sleep } from '../model/clock.ts'
import { cannotWrite, LogError, RowliftError, UsageError } from '../model/errors.ts'
import { describeProblem } from '../report/words.ts'
import { lockTimeout } from './options.ts'
import { holderOf, type ProcessInfo } from './ports.ts'

export interface LedgerPlace {
  readonly ledger: string
  readonly import: string
}

const patienceMs = 600_000
/** The first lines of a long run may be behind those of many others. */
const statementMs = 60_000

/** Throws a UsageError or a LogError. */
export async function withImport<T>(
  { ledger, import: name }: LedgerPlace,
  { clock }: ProcessInfo,
  work: (found: FoundImport) => Promise<T>,
): Promise<T> {
  const database = await Database.open(ledger, { clock, patienceMs, timeoutMs: statementMs })
  try {
    return await work(await findImport(database, name))
  } catch (error) {
    if (error instanceof RowliftError || !('code' in (error as object))) throw error
    throw new LogError('ledger_away', { ledger: database.name, reason: (error as Error).message })
  } finally {
    await database.close()
  }
}

/** Writes the log of an import in one step; only an earlier export of it is replaced. Throws a UsageError, LogError or LockError. */
export async function exportTo(named: string, found: FoundImport, info: ProcessInfo): Promise<void> {
  const path = await resolveLink(named)
  if ((await isThere(path)) && !(await hasRun(found, await firstLine(path))))
    throw new UsageError('output_exists', { path })
  const run = ulid()
  const lock = await lockLog(path, {
    holder: holderOf(run, info),
    clock: info.clock,
    timeoutMs: lockTimeout.default * 1000,
    onWait: () => {},
    onLost: () => {}, // it is checked before the file is replaced
  })
  await replaceFile(path, run, logTexts(found), lock)
    .then(file => file.close())
    .catch(error => Promise.reject(cannotWrite(path, error)))
    .finally(lock.release)
}

async function firstLine(path: string): Promise<string> {
  await using file = await open(path)
  for await (const line of file.readLines({ autoClose: false })) return line
  return ''
}

/** Rows in doubt; of a key, that its row is. Throws a UsageError. */
export async function doubtsOf(found: FoundImport, key: string | undefined): Promise<DoubtFacts> {
  const facts = await doubtFacts(found, key)
  if (key !== undefined && facts.count === 0)
    throw new UsageError('not_in_doubt', { log: found.name, key, state: await stateOf(found, key) })
  return facts
}

/** Settles rows in doubt, those without a record once no worker can hold their calls any more. Throws a UsageError. */
export async function settleIn(
  found: FoundImport,
  settlement: Resolution,
  { clock }: ProcessInfo,
  onWait: (until: Date) => void,
): Promise<{ settled: number; left: number }> {
  const { upTo, heldMs } = await doubtsOf(found, settlement.key)
  if (settlement.recordId === undefined && heldMs > 0) {
    onWait(new Date(clock.now().getTime() + heldMs))
    await sleep(clock, heldMs)
  }
  const context = { run: ulid(), now: clock.now, describe: describeProblem }
  const settled = await settleDoubts(found, upTo, settlement, context)
  return { settled, left: (await doubtFacts(found)).count }
}
