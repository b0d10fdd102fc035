import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { joinLedger } from '../../src/features/ledger/ledger.ts'
import { openDatabase } from '../../src/features/ledger/schema.ts'
import { LockError } from '../../src/model/errors.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Call, RowIdentity } from '../../src/model/row.ts'
import type { Past } from '../../src/model/store.ts'
import { describeProblem } from '../../src/output/words.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import { openJournal } from '../../src/store/files/journal.ts'
import type { Opening } from '../../src/store/files/lines.ts'
import { lockLog } from '../../src/store/files/lock.ts'
import { atEnd, tempFolder } from './cleanup.ts'
import { fastClock, testClock } from './clock.ts'
import { askedRun } from './ledger.ts'
import { openingLine } from './log-files.ts'
import type { TestDatabase } from './postgres.ts'
import { type Line, linesOf, rowlift } from './rowlift.ts'
import type { Ended } from './running.ts'

// One way to drive both stores, for the cases that each of them has to pass: result log and intent log, and a ledger.

/** One run of an import, as the engine sees its store. */
export interface StoreRun {
  /** What earlier runs made of rows. */
  past(...identities: readonly RowIdentity[]): Promise<Past>
  /** Keeps that a call may be under way, as before each attempt; resolves with whether it may go out. */
  mayCall(identity: RowIdentity): Promise<boolean>
  /** Takes a call back that reached nothing. */
  withdraw(identity: RowIdentity): void
  /** Resolves with the outcome as it was recorded; undefined if there is nothing to keep, or another run has the rows. */
  settle(outcome: Outcome): Promise<Outcome | undefined>
  /** Ends it as an import that has read its sources; resolves with whether the store has that. */
  end(): Promise<boolean>
  /** It is killed, or suspended for so long that others may take over. What it does afterwards is what a process that wakes up does. */
  vanish(): Promise<void>
}

export interface TestStore {
  /** Begins the next run, or goes on with the one that was left. Throws a LockError while another process has the rows. */
  begin(): Promise<StoreRun>
  /** Runs `rowlift resolve` on it. */
  resolve(...words: readonly string[]): Promise<Ended>
  /** The lines of its log, without opening and closing lines. */
  lines(): Promise<Line[]>
  /** The closing lines of its runs, without those of commands. */
  endings(): Promise<Line[]>
  /** What `rowlift log --json` says of its log. */
  account(): Promise<Line>
  /** Removes it, with all it knows. */
  drop(): Promise<void>
}

const now = () => new Date('2026-11-21T08:00:00.000Z')
const delivery = { delivery: 'at-least-once', use_created: null, record: 'contact' } as const

function callTo(identity: RowIdentity, past: Past): Call {
  const state = past.get(identity.key, identity.hash)?.status
  const body = bodyOf(identity)
  return { identity, body, json: JSON.stringify(body), before: state === 'settled' ? undefined : state }
}

/** What is sent for a row. */
export const bodyOf = ({ key }: RowIdentity) => ({ name: key })

/** Resolves with nothing if another run has taken over. */
const unlessLost = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch(error => {
    if (error instanceof LockError) return undefined
    throw error
  })

const unwrap = (line: Line): Line => {
  const { crc32: _, chain, intents, lines, ...fields } = line
  return fields
}
const isOfRow = ({ status }: Line) => status !== undefined
const isEnding = ({ ended, command }: Line) => ended !== undefined && command === undefined

async function accountOf(log: string, cwd: string): Promise<Line> {
  const { stdout, stderr } = await rowlift(['log', log, '--json'], { cwd })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** A result log and its intent log. */
export async function filesStore(): Promise<TestStore> {
  const cwd = await tempFolder()
  const results = join(cwd, 'r.ndjson')
  const clock = fastClock(now())
  let runs = 0
  const log = async () => linesOf(await readFile(results, 'utf8').catch(() => '')).map(unwrap)
  return {
    async begin() {
      runs += 1
      let isGone = false
      /** Nothing goes off in a process that is no more, or sleeps. */
      const own = {
        ...clock,
        after: (delayMs: number, action: () => void, kind?: 'background') =>
          clock.after(delayMs, () => void (isGone || action()), kind),
      }
      const lock = await lockLog(results, {
        ...{ clock: own, timeoutMs: 1_000, onWait() {}, onLost() {} },
        holder: { id: `run-${runs}`, pid: process.pid, host: 'here', since: '' },
      })
      const checkpoint = await replay(results, { records: true, content: true })
      const opening = openingLine(`R${runs}`, delivery) as Opening
      const options = { opening, now, describe: describeProblem, onUnwritten() {} }
      const journal = await openJournal(results, checkpoint, lock, options)
      atEnd(() => journal.close().catch(() => {})) // another run may have the log by then
      return {
        past: async () => checkpoint,
        mayCall: identity =>
          unlessLost(journal.intentLog.add(callTo(identity, checkpoint)).then(() => true)).then(
            isTrue => isTrue ?? false,
          ),
        withdraw: ({ key }) => journal.intentLog.remove(key),
        settle: async outcome => unlessLost(Promise.resolve(journal.record(outcome))),
        async end() {
          await journal.close({ ended: { rows: 1 } })
          await lock.release()
          return (await log()).some(line => isEnding(line) && line.run === opening.run)
        },
        async vanish() {
          isGone = true
        },
      }
    },
    resolve: (...words) => rowlift(['resolve', 'r.ndjson', ...words], { cwd, clock: fastClock() }),
    lines: async () => (await log()).filter(isOfRow),
    endings: async () => (await log()).filter(isEnding),
    account: () => accountOf('r.ndjson', cwd),
    async drop() {
      for (const name of [results, `${results}.inflight`]) await rm(name, { force: true })
    },
  }
}

export type LedgerStores = Awaited<ReturnType<typeof ledgerStores>>

/** Imports in a ledger, each under a name of its own, with a worker for each run. They share one connection, as the lanes of a worker do. */
export async function ledgerStores(db: TestDatabase) {
  const clock = testClock(now())
  const database = await openDatabase(db.url, { clock, patienceMs: 1000, timeoutMs: 10_000 })
  let imports = 0

  async function open(): Promise<TestStore> {
    imports += 1
    const name = `import ${imports}`
    const cwd = await tempFolder()
    let workers = 0
    const place = ['--ledger', db.url, '--import', name]
    const exported = async () => {
      const { stdout, stderr } = await rowlift(['export', ...place], { cwd })
      if (stdout === '') throw new Error(stderr)
      return stdout
    }
    const log = async () => linesOf(await exported()).map(unwrap)
    return {
      async begin() {
        workers += 1
        const id = `${name} worker ${workers}`
        const ledger = await joinLedger(database, askedRun([rowsAtOnce], { ...delivery, run: `${id} run` }), {
          ...{ clock, id, name, worker: id, spoolFolder: cwd },
          ...{ leaseS: 30, attemptS: 0, resendsDoubts: true },
          lock: { timeoutMs: 1000, holder: { id, pid: 1, host: 'here', since: '' } },
          unmetIn: () => undefined,
          onFailure: () => {},
        })
        const claim = await ledger.claim()
        if (typeof claim === 'string')
          throw new LockError('ledger_busy', { ledger: '', import: name, worker: '' })
        const past = async (...identities: readonly RowIdentity[]) => {
          await claim.load(identities)
          return claim
        }
        return {
          past,
          async mayCall(identity) {
            const call = callTo(identity, await past(identity))
            return (
              (await ledger.intentLog.add(call)) === undefined && ledger.intentLog.check(call) === undefined
            )
          },
          withdraw: ({ key }) => ledger.intentLog.remove(key),
          settle: async outcome => ledger.record(outcome),
          async end() {
            await ledger.free(claim, { left: 0, unlogged: {} })
            return (await ledger.claim()) === 'finished'
          },
          async vanish() {
            const over = `UPDATE rowlift.chunk SET lease = clock_timestamp() - interval '1 s' WHERE worker = $1`
            await database.query(over, [id])
          },
        }
      },
      // so long as a call may be under way, it waits: by a clock that jumps
      resolve: (...words) => rowlift(['resolve', ...place, ...words], { cwd, clock: fastClock() }),
      lines: async () => (await log()).filter(isOfRow),
      endings: async () => (await log()).filter(isEnding),
      async account() {
        await writeFile(join(cwd, 'e.ndjson'), await exported())
        return accountOf('e.ndjson', cwd)
      },
      async drop() {
        await database.query('SELECT rowlift.drop_import($1)', [name])
      },
    }
  }
  return { open, close: database.close }
}

const rowsAtOnce = 1_000
