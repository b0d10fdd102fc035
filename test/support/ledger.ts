import { ulid } from 'ulid'
import type { ClaimedChunk } from '../../src/features/ledger/claim.ts'
import { joinLedger, type Ledger } from '../../src/features/ledger/ledger.ts'
import type { RunRequest } from '../../src/features/ledger/registration.ts'
import { openDatabase } from '../../src/features/ledger/schema.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { CallOutcome } from '../../src/model/outcome.ts'
import type { Call, RowIdentity } from '../../src/model/row.ts'
import type { Opening } from '../../src/store/files/lines.ts'
import { atEnd } from './cleanup.ts'
import { testClock } from './clock.ts'
import { identityOf } from './outcomes.ts'

const openingOf = (fields: Partial<Opening> = {}): Opening => ({
  run: ulid(),
  at: '2026-11-21T08:00:00.000Z',
  rowlift: '0.4.0',
  base_url: 'http://localhost',
  organization_id: 7,
  record: 'contact',
  mapping: 'c.yaml',
  mapping_sha256: 'ab',
  key_columns: ['id'],
  use_created: null,
  delivery: 'at-most-once',
  sources: ['a.csv'],
  ...fields,
})

/** A run of one source, with chunks of so many rows. */
export const askedRun = (chunks: readonly number[], fields: Partial<Opening> = {}): RunRequest => {
  const rows = chunks.reduce((sum, each) => sum + each, 0)
  let before = 0
  return {
    opening: openingOf(fields),
    sources: [{ name: 'a.csv', size: 100, sha256: 'cd'.repeat(32), rows, reading: 'csv' }],
    chunks: chunks.map(each => {
      const place = { source: 0, at: before * 10, firstRow: before + 1, firstLine: before + 2, rows: each }
      before += each
      return place
    }),
    isNewRun: false,
  }
}

export interface TestWorker {
  readonly ledger: Ledger
  readonly clock: Clock
  claim(): Promise<ClaimedChunk>
  /** Asks for the past of rows, and returns their calls. */
  calls<Rows extends readonly RowIdentity[]>(
    claim: ClaimedChunk,
    ...identities: Rows
  ): Promise<{ [At in keyof Rows]: Call }>
}

/** A worker that the test drives by hand; its clocks stand still. */
export async function testWorker(
  url: string,
  asked = askedRun([2, 2]),
  { name = 'customers', clock = testClock() as Clock, spoolFolder = '/nowhere' } = {},
): Promise<TestWorker> {
  const id = ulid()
  const database = await openDatabase(url, { clock, patienceMs: 1000, timeoutMs: 5000 })
  const ledger = await joinLedger(database, asked, {
    ...{ clock, id, name, spoolFolder },
    ...{ leaseS: 30, attemptS: 120, resendsDoubts: asked.opening.delivery === 'at-least-once' },
    worker: `test-${id.slice(-4)}`,
    lock: { timeoutMs: 1000, holder: { id, pid: 1, host: 'here', since: '' } },
    unmetIn: () => undefined,
    onFailure: () => {},
  })
  atEnd(async () => {
    await ledger.close().catch(() => {}) // the database may be away
    await database.close()
  })
  return {
    ledger,
    clock,
    async claim() {
      const claim = await ledger.claim()
      if (typeof claim === 'string') throw new Error(claim)
      return claim
    },
    async calls<Rows extends readonly RowIdentity[]>(claim: ClaimedChunk, ...identities: Rows) {
      await claim.load(identities)
      const calls = identities.map(identity => ({
        ...{ identity, before: undefined },
        body: { name: identity.key },
        json: `{"name":"${identity.key}"}`,
      }))
      return calls as { [At in keyof Rows]: Call }
    },
  }
}

export const created = (
  { identity }: Pick<Call, 'identity'>,
  recordId = `id-${identity.key}`,
): CallOutcome => ({
  ...{ identity, status: 'created', recordId },
  ...{ attempts: 1, durationMs: 5, httpStatus: 200 },
})

export const row = identityOf
