import { createClient, createUrl } from '../../src/api/client.ts'
import { createPace, type Pace } from '../../src/api/pace.ts'
import { createSend } from '../../src/api/send.ts'
import type { Sending, SendingEvent } from '../../src/api/sending.ts'
import { fixedToken } from '../../src/api/token.ts'
import type { Call, Delivered } from '../../src/model/row.ts'
import { Stop } from '../../src/model/stop.ts'
import { atEnd } from './cleanup.ts'
import { hastyClock } from './clock.ts'

/** Sends calls to a service, as a run does. */
export interface Sender {
  readonly send: (name?: string, inDoubt?: boolean) => Promise<Delivered>
  readonly stop: Stop
  readonly events: SendingEvent[]
  /** How many attempts are under way. */
  readonly underWay: () => number
}

/** What a test wants otherwise. */
type SenderChanges = Partial<Omit<Sending, 'pace'>> & {
  readonly timeoutMs?: number | undefined
  readonly concurrency?: number
  readonly rate?: number
}

/** A sender into a service; nobody waits for its clock, unless it gets another. */
export function senderTo(url: string, changes: SenderChanges = {}): Sender {
  const { timeoutMs = 5_000, concurrency = 50, rate, clock = hastyClock(), ...rest } = changes
  const client = createClient({ version: 'test', timeoutMs, retries: 3, proxy: undefined, clock })
  atEnd(() => client.connections.close())
  const stop = new Stop()
  const events: SendingEvent[] = []
  const tell = (event: SendingEvent) => void events.push(event)
  const { pace, underWay } = counted(createPace({ concurrency, rate, stop, clock, random: () => 0, tell }))
  const send = createSend({
    client,
    url: createUrl(url, '1.0', 'contact', 7, rest.useCreated),
    record: 'contact',
    useCreated: undefined,
    token: fixedToken('a-secret-token', 'test'),
    retries: 3,
    mode: 'at-most-once',
    rules: [],
    pace,
    announced: { begin: async () => {}, withdraw: () => {} },
    stop,
    clock,
    random: () => 0,
    tell,
    ...rest,
  })
  const callOf = (name: string, inDoubt: boolean): Call => ({
    origin: { source: 'x.csv', row: 1, line: 2, key: name, hash: '0123456789abcdef' },
    body: { name },
    before: inDoubt ? 'in_doubt' : undefined,
  })
  return { send: (name = 'Ada', inDoubt = false) => send(callOf(name, inDoubt)), stop, events, underWay }
}

/** The same pace, of whose turns it is counted how many are not over. */
function counted(pace: Pace): { readonly pace: Pace; readonly underWay: () => number } {
  let count = 0
  const turn = async () => {
    const { startedMs, over } = await pace.turn()
    count += 1
    const once = () => {
      count -= 1
      over()
    }
    return { startedMs, over: once }
  }
  return { pace: { ...pace, turn }, underWay: () => count }
}
