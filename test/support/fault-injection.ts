import { deckOf, type Random } from './random.ts'
import { type ArrivedCall, type Reaction, type Service, startService } from './service.ts'

/** The `--timeout` that goes with faults, in seconds: a service that hangs does so for longer. */
export const faultTimeoutS = 1

/** The faults between the service and its caller. */
export const faults = {
  'cut before reading': { cut: 'before reading' },
  'cut after creating': { cut: 'after creating' },
  'cut in the answer': { cut: 'in the answer' },
  'an answer that is no JSON': { answer: 200, body: '<html>', creates: true },
  'a hang': { hang: true },
  'a hang, then a record': { hang: true, createsAfterMs: faultTimeoutS * 1_500 },
  'a 422': { answer: 422 },
  'a 429': { answer: 429, headers: { 'retry-after': '0' } },
  'a 500': { answer: 500 },
  'a 500 after creating': { answer: 500, creates: true },
  'a 503': { answer: 503 },
} satisfies Readonly<Record<string, Reaction>>

/** How a call ended. */
export type CallResult = keyof typeof faults | 'created'

/** Results after which the caller knows that no record was made. */
export const noRecordMade: ReadonlySet<CallResult> = new Set<CallResult>(['a 422', 'a 429', 'a 503'])

/** Good answers for each round of faults: few enough to stress every row, enough to make progress. */
const goodAnswersPerRound = 20
const shareOfCutConnections = 0.05

/** What happened to a call, as its service sees it. */
export type CallEvent =
  | { readonly type: 'invoked'; readonly call: number; readonly name: string }
  | { readonly type: 'answered'; readonly call: number; readonly what: CallResult }

export interface FaultyService extends Service {
  /** In the order in which it happened; an answer is here before its caller can have it. */
  readonly events: readonly CallEvent[]
  /** How each call ended, in order of arrival, with the name in its body. */
  readonly results: readonly { readonly name: string; readonly what: CallResult }[]
  /** Stops injecting faults. */
  stopFaults(): void
}

export interface FaultyServiceOptions {
  /** Whether faults are injected; without them the service is only slow. */
  readonly fails: boolean
  readonly random: Random
  /** The longest that it takes to answer; most answers are quicker. */
  readonly slowestMs?: number
  /** See {@link startService}. */
  readonly similar?: (call: ArrivedCall) => string
  readonly holds?: (call: ArrivedCall) => Promise<unknown> | undefined
}

/** Starts a service that injects random faults and remembers each record that it made. */
export async function startFaultyService({
  fails,
  random,
  slowestMs = 40,
  ...options
}: FaultyServiceOptions): Promise<FaultyService> {
  const results: { name: string; what: CallResult }[] = []
  const events: CallEvent[] = []
  const numbers = new Map<ArrivedCall, number>()
  const names = Object.keys(faults) as (keyof typeof faults)[]
  const nextResult = deckOf<CallResult>(
    [...names, ...Array<'created'>(goodAnswersPerRound).fill('created')],
    random,
  )
  let isFaultless = !fails
  const service = await startService({
    ...options,
    latencyMs: () => random() ** 2 * slowestMs,
    cutsConnection: () => !isFaultless && random() < shareOfCutConnections,
    react: (_, call) => {
      const what = isFaultless ? 'created' : nextResult()
      const name = String(call.body.name)
      numbers.set(call, results.length)
      events.push({ type: 'invoked', call: results.length, name })
      results.push({ name, what })
      return what === 'created' ? 'create' : faults[what]
    },
    onAnswer(arrived) {
      const call = numbers.get(arrived) ?? 0
      const { what } = results[call] ?? { what: 'created' }
      events.push({ type: 'answered', call, what })
    },
  })
  const stopFaults = () => {
    isFaultless = true
  }
  return { ...service, results, events, stopFaults }
}
