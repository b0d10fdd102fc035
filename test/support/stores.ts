import { join } from 'node:path'
import { doubtFacts, settleDoubts } from '../../src/features/ledger/resolve.ts'
import { openDatabase } from '../../src/features/ledger/schema.ts'
import { readDoubts, resolveDoubts } from '../../src/features/reconcile/doubts.ts'
import { systemClock } from '../../src/model/clock.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Call, RowIdentity } from '../../src/model/row.ts'
import type { Intents, Past } from '../../src/model/store.ts'
import { describeProblem } from '../../src/output/words.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import { type Journal, openJournal } from '../../src/store/files/journal.ts'
import type { Opening } from '../../src/store/files/lines.ts'
import { tempFolder } from './cleanup.ts'
import { askedRun, testWorker } from './ledger.ts'
import { openingLine } from './log-files.ts'
import type { TestDatabase } from './postgres.ts'

/** One run of an import, as the engine sees its store. */
export interface StoreRun {
  readonly intents: Intents
  readonly record: Journal['record']
  /** What earlier runs made of rows. */
  past(...identities: readonly RowIdentity[]): Promise<Past>
  callOf(identity: RowIdentity): Promise<Call>
  end(): Promise<void>
  /** What a killed run leaves is what it had written. */
  kill(): Promise<void>
}

export interface TestStore {
  run(): Promise<StoreRun>
  /** A person settles the rows in doubt, or one; returns how many. */
  resolve(key: string | undefined, recordId: string | undefined): Promise<number>
}

const now = () => new Date('2026-11-21T08:00:00.000Z')
const delivery = { delivery: 'at-least-once', use_created: null, record: 'contact' } as const

const callTo = (identity: RowIdentity, past: Past): Call => {
  const state = past.get(identity.key, identity.hash)?.status
  const body = { name: identity.key }
  return { identity, body, json: JSON.stringify(body), before: state === 'settled' ? undefined : state }
}

const unlocked = { check() {}, busyMs: 0, async release() {} }

/** A result log and its intent log. */
export async function filesStore(): Promise<TestStore> {
  const results = join(await tempFolder(), 'r.ndjson')
  let runs = 0
  return {
    async run() {
      runs += 1
      const checkpoint = await replay(results, { records: true, content: true })
      const opening = openingLine(`R${runs}`, delivery) as Opening
      const options = { opening, now, describe: describeProblem, onUnwritten() {} }
      const journal = await openJournal(results, checkpoint, unlocked, options)
      return {
        intents: journal.intentLog,
        record: journal.record,
        past: async () => checkpoint,
        callOf: async identity => callTo(identity, checkpoint),
        end: () => journal.close({ ended: { rows: 1 } }),
        kill: async () => {},
      }
    },
    async resolve(key, recordId) {
      const doubts = await readDoubts(results)
      const { checkpoint } = doubts
      const how = {
        checkpoint,
        endOf: () => ({ recordId }),
        run: 'H',
        rowlift: '0',
        now,
        describe: describeProblem,
      }
      return resolveDoubts(results, unlocked, doubts.each(key), how)
    },
  }
}

const rowsAtOnce = 10

/** An import in a ledger, with a worker for each run. */
export function ledgerStore(db: TestDatabase, name: string): TestStore {
  const asked = () => askedRun([rowsAtOnce], { ...delivery, run: `${name} run` })
  return {
    async run() {
      const worker = await testWorker(db.url, asked(), { name })
      const claim = await worker.claim()
      const loaded = async (identities: readonly RowIdentity[]) => {
        await worker.calls(claim, ...identities)
        return claim
      }
      return {
        intents: worker.ledger.intentLog,
        record: (outcome: Outcome) => worker.ledger.record(outcome),
        past: (...identities) => loaded(identities),
        callOf: async identity => callTo(identity, await loaded([identity])),
        async end() {
          await worker.ledger.free(claim, { left: 0, unlogged: {} })
          await worker.ledger.claim() // which closes the run
        },
        async kill() {
          await db.query(
            `UPDATE rowlift.chunk SET lease = clock_timestamp() - interval '1 s' WHERE lease IS NOT NULL`,
          )
        },
      }
    },
    async resolve(key, recordId) {
      const timing = { clock: systemClock, patienceMs: 1000, timeoutMs: 5000 }
      await using database = await openDatabase(db.url, timing)
      const [found] = await db.query(
        `SELECT i.id, r.opening FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
          WHERE i.name = $1 ORDER BY r.id DESC LIMIT 1`,
        [name],
      )
      const place = { database, name, importId: found?.id, opening: JSON.parse(found?.opening) as Opening }
      const facts = await doubtFacts(place, key)
      return await settleDoubts(place, facts, { key, recordId }, { run: 'H', now })
    },
  }
}
