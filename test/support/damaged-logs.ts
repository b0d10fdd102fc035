import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repairLog } from '../../src/features/log-tools/repair.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { problem } from '../../src/model/problem.ts'
import { describeProblem } from '../../src/output/words.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import {
  closingLine,
  intentLine,
  type Opening,
  openingLine as openingText,
  removedLine,
  resultLine,
} from '../../src/store/files/lines.ts'
import type { Lock } from '../../src/store/files/lock.ts'
import { intentLogPath } from '../../src/store/files/whole-lines.ts'
import { tempFolder } from './cleanup.ts'
import { openingLine } from './log-files.ts'

const at = new Date('2026-11-21T08:00:00.000Z')
const record = 'task'
const effort = { attempts: 1, durationMs: 87, throttled: undefined, omitted: undefined }

const opening = (run: string) => openingLine(run, { record, rowlift: '0.4.0', use_created: null }) as Opening

const identity = (row: number, key: string) => ({
  ...{ source: 'tasks.csv', row, line: row + 1, key },
  hash: `${row}23456789abcdef0`,
})

const outcomeLine = (run: string, row: number, key: string, outcome: object) =>
  resultLine({ identity: identity(row, key), ...effort, ...outcome } as unknown as Outcome, {
    ...{ run, at, record, describe: describeProblem },
  })

const uuid = (last: number) => `9d2f0000-0000-4000-8000-00000000000${last}`
const created = (row: number) => ({ status: 'created', httpStatus: 200, recordId: uuid(row) })
const answer = { httpStatus: 422, fault: 'refused', errors: [problem('http_error', { status: 422 })] }

const keys = ['ada', 'Čapek "x" 😀', 'cy\\n', 'dora', 'eve', 'fay', 'gus']
const [ada = '', capek = '', cy = '', dora = '', eve = '', fay = '', gus = ''] = keys

const call = (row: number, key: string) =>
  intentLine('R2', at, { identity: identity(row, key), json: JSON.stringify({ name: key, n: row }) } as never)

/** The lines of a log of several statuses, and of the intent log that its killed run left. */
export const sampleLines = {
  log: [
    openingText(opening('R1')),
    outcomeLine('R1', 1, ada, created(1)),
    outcomeLine('R1', 2, capek, { status: 'failed', ...answer }),
    outcomeLine('R1', 3, cy, { status: 'in_doubt', body: '{"name":"cy","x":"é"}', errors: answer.errors }),
    outcomeLine('R1', 4, dora, { status: 'invalid', errors: [problem('run_killed')] }),
    outcomeLine('R1', 5, ada, { status: 'duplicate', sameAs: { source: 'tasks.csv', row: 1 } }),
    closingLine('R1', at, { rows: 5, created: 1 }),
    openingText(opening('R2')),
    outcomeLine('R2', 2, capek, created(2)),
    outcomeLine('R2', 6, eve, created(6)),
  ],
  inFlight: [
    openingText(opening('R2')),
    call(2, capek),
    call(6, eve),
    call(7, fay),
    call(8, gus),
    removedLine('R2', gus),
  ],
}

export const createdLine = (row: number) => outcomeLine('R2', row, `k${row}`, created(1))

export const textOf = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map(line => `${line}\n`).join(''))

export const unlocked: Lock = { check() {}, async release() {} }

/** Writes both logs over those of a folder. */
export async function writeLogs(results: string, log: Buffer, inFlight: Buffer): Promise<void> {
  await Promise.all([writeFile(results, log), writeFile(intentLogPath(results), inFlight)])
}

export const newResults = async () => join(await tempFolder(), 'r.ndjson')

const rowsOfKeys = [1, 2, 3, 4, 6, 7, 8]

/** What the next run would know of the rows. */
export async function knownIn(results: string) {
  const checkpoint = await replay(results, { records: true })
  return {
    rows: keys.map((key, at) => checkpoint.get(key, identity(rowsOfKeys[at] ?? 0, key).hash)?.status),
    records: [1, 2, 6].map(row => checkpoint.claimRecord(uuid(row), {})?.row),
    orphans: checkpoint.orphans.map(({ key, body }) => [key, body]),
    run: checkpoint.opening?.run,
    last: checkpoint.lastRows,
  }
}

export const repaired = (results: string) => repairLog(results, unlocked, '01JDBBBBBBBBBBBBBBBBBBBBBB')
