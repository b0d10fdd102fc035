import { setImmediate as endOfTurn } from 'node:timers/promises'
import { gotClient } from '../../src/api/got-client.ts'
import { createUrl } from '../../src/api/http-client.ts'
import { type LimiterSettings, limiterOf, type Permit } from '../../src/api/limiter.ts'
import { createSend, type Send, type SendDependencies, type SendEvent } from '../../src/api/send.ts'
import { fixedToken } from '../../src/api/token.ts'
import type { Call } from '../../src/model/row.ts'
import { Stop } from '../../src/model/stop.ts'
import { Checkpoint } from '../../src/store/files/checkpoint.ts'
import { atEnd } from './cleanup.ts'
import { fastClock } from './clock.ts'

/** Sends calls to a service, as a run does. */
export interface Sender {
  readonly send: (name?: string, inDoubt?: boolean) => ReturnType<Send>
  readonly stop: Stop
  readonly events: SendEvent[]
  /** How many attempts are under way. */
  readonly underWay: () => number
}

/** What a test wants otherwise. */
type SenderChanges = Partial<Omit<SendDependencies, 'limiter' | 'client'>> & {
  readonly timeoutMs?: number | undefined
  readonly concurrency?: number
  readonly rate?: number
  readonly proxy?: URL | undefined
}

/** A sender into a service; its clock skips waits unless the test passes another. */
export function senderTo(url: string, changes: SenderChanges = {}): Sender {
  const { timeoutMs = 5_000, concurrency = 50, rate, proxy, clock = fastClock(), ...rest } = changes
  const client = gotClient({
    url: createUrl(url, '1.0', 'contact', 7, rest.useCreated),
    ...{ version: 'test', timeoutMs, proxy, clock },
  })
  atEnd(() => client.close())
  const stop = new Stop()
  const checkpoint = new Checkpoint()
  const events: SendEvent[] = []
  const emit = (event: SendEvent) => void events.push(event)
  const limiter = countingLimiter({
    concurrency,
    rate,
    waitMs: rest.waitMs ?? 0,
    stop,
    clock,
    random: () => 0,
    emit,
  })
  const send = createSend({
    client,
    record: 'contact',
    useCreated: undefined,
    claimRecord: (recordId, row) => checkpoint.claimRecord(recordId, row),
    token: fixedToken('a-secret-token'),
    retries: 3,
    waitMs: 0,
    concurrency,
    mode: 'at-most-once',
    rules: [],
    limiter,
    intentLog: { add: () => endOfTurn(undefined), remove: () => {} },
    stop,
    clock,
    random: () => 0,
    emit,
    ...rest,
  })
  const callOf = (name: string, inDoubt: boolean): Call => ({
    identity: { source: 'x.csv', row: 1, line: 2, key: name, hash: '0123456789abcdef' },
    body: { name },
    json: JSON.stringify({ name }),
    before: inDoubt ? 'in_doubt' : undefined,
  })
  return {
    send: (name = 'Ada', inDoubt = false) => send(callOf(name, inDoubt)),
    stop,
    events,
    underWay: limiter.underWay,
  }
}

/** Counts the permits that were not released. */
function countingLimiter(settings: LimiterSettings) {
  const limiter = limiterOf(settings)
  let underWay = 0
  return {
    ...limiter,
    underWay: () => underWay,
    async acquire(): Promise<Permit> {
      const { startedMs, release } = await limiter.acquire()
      underWay += 1
      const releaseOnce = () => {
        underWay -= 1
        release()
      }
      return { startedMs, release: releaseOnce }
    },
  }
}
