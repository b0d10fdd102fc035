import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repairLog } from '../../src/features/log-tools/repair.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { problem } from '../../src/model/problem.ts'
import { describeProblem } from '../../src/output/words.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import { type Journal, openJournal } from '../../src/store/files/journal.ts'
import type { Opening } from '../../src/store/files/lines.ts'
import type { Lock } from '../../src/store/files/lock.ts'
import { intentLogPath } from '../../src/store/files/whole-lines.ts'
import { tempFolder } from './cleanup.ts'
import { silentContext } from './context.ts'
import { openingLine } from './log-files.ts'

const now = () => new Date('2026-11-21T08:00:00.000Z')
const record = 'task'

export const unlocked: Lock = { check() {}, busyMs: 0, async release() {} }

export const newResults = async () => join(await tempFolder(), 'r.ndjson')

/** The rows of the sample: their numbers by their keys. */
export const sampleRows = { ada: 1, 'Čapek "x" 😀': 2, 'cy\\n': 3, dora: 4, eve: 6, fay: 7, gus: 8 } as const
type Key = keyof typeof sampleRows
const keys = Object.keys(sampleRows) as Key[]

const identityOf = (key: Key) => ({
  ...{ source: 'tasks.csv', row: sampleRows[key], line: sampleRows[key] + 1, key },
  hash: `${sampleRows[key]}23456789abcdef0`,
})

const effort = { attempts: 1, durationMs: 87, throttled: undefined, omitted: undefined }
const errors = [problem('http_error', { status: 422 })]
const uuid = (row: number) => `9d2f0000-0000-4000-8000-00000000000${row}`
const outcomes = {
  created: (key: Key) => ({ status: 'created', httpStatus: 200, recordId: uuid(sampleRows[key]), ...effort }),
  failed: () => ({ status: 'failed', httpStatus: 422, fault: 'refused', errors, ...effort }),
  in_doubt: () => ({ status: 'in_doubt', body: '{"name":"cy","x":"é"}', errors, ...effort }),
  invalid: () => ({ status: 'invalid', errors: [problem('run_killed')] }),
}

/** Opens the journal of a run. */
export async function begin(results: string, run: string, lock = unlocked): Promise<Journal> {
  const checkpoint = await replay(results, { records: true })
  const opening = openingLine(run, { record, rowlift: '0.5.0', use_created: null }) as Opening
  return openJournal(results, checkpoint, lock, { opening, now, describe: describeProblem, onUnwritten() {} })
}

export async function call(journal: Journal, ...keys: Key[]): Promise<void> {
  const body = (key: Key) => ({ name: key, n: sampleRows[key] })
  await Promise.all(
    keys.map(key =>
      journal.intentLog.add({
        ...{ identity: identityOf(key), body: body(key), json: JSON.stringify(body(key)), before: undefined },
      }),
    ),
  )
}

export async function end(journal: Journal, status: keyof typeof outcomes, ...keys: Key[]): Promise<void> {
  const outcomeOf = (key: Key) =>
    ({ identity: identityOf(key), ...outcomes[status](key) }) as unknown as Outcome
  await Promise.all(keys.map(key => journal.record(outcomeOf(key))))
}

/** Both files, as they are on disk. */
export interface Files {
  readonly log: Buffer
  readonly inFlight: Buffer | undefined
}

export const filesOf = async (results: string): Promise<Files> => ({
  log: await readFile(results),
  inFlight: await readFile(intentLogPath(results)).catch(() => undefined),
})

/** Writes both files over those of a folder. */
export async function writeFiles(results: string, { log, inFlight }: Files): Promise<void> {
  await writeFile(results, log)
  if (inFlight === undefined) await rm(intentLogPath(results), { force: true })
  else await writeFile(intentLogPath(results), inFlight)
}

const [ada, capek, cy, dora, eve, fay, gus] = keys as [Key, Key, Key, Key, Key, Key, Key]

/** The files of two runs, as the journal writes them: of a finished log, and after each step of a run that is killed. */
export async function sampleFiles(): Promise<{
  readonly finished: Files
  readonly killed: readonly Files[]
}> {
  const results = await newResults()
  const first = await begin(results, 'R1')
  await call(first, ada, capek, cy)
  await end(first, 'created', ada)
  await end(first, 'failed', capek)
  await end(first, 'in_doubt', cy)
  await end(first, 'invalid', dora)
  await first.close({ ended: { rows: 5, created: 1 } })
  const finished = await filesOf(results)
  const killed: Files[] = []
  const second = await begin(results, 'R2')
  const step = async (work: Promise<void>) => {
    await work
    killed.push(await filesOf(results))
  }
  await step(call(second, capek, eve))
  await step(end(second, 'created', capek))
  await step(call(second, fay))
  await step(end(second, 'created', eve))
  await step(call(second, gus))
  second.intentLog.remove(gus)
  await step(call(second, dora))
  await second.close()
  return { finished, killed }
}

/** What the next run would know of the rows. */
export async function knownIn(results: string) {
  const checkpoint = await replay(results, { records: true })
  return {
    rows: keys.map(key => checkpoint.get(key, identityOf(key).hash)?.status),
    records: ([ada, capek, eve] as const).map(key => checkpoint.ownerOf(uuid(sampleRows[key]))?.row),
    orphans: checkpoint.orphans.map(({ key, body }) => [key, body]),
    run: checkpoint.opening?.run,
    last: checkpoint.lastRows,
    isLost: checkpoint.lacksLines,
  }
}

export const repaired = (results: string, lock = unlocked) =>
  repairLog(results, lock, '01JDBBBBBBBBBBBBBBBBBBBBBB', silentContext())
