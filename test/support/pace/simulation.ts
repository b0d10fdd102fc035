import { type Limiter, limiterOf, type Permit, type SharedPace } from '../../../src/api/limiter.ts'
import { delayBeforeRetry } from '../../../src/api/retry.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { Stop } from '../../../src/model/stop.ts'
import type { Random } from '../random.ts'

/** A service of services.yaml, which says what the fields mean. */
export interface SimulatedService {
  readonly name: string
  readonly in_flight: number
  readonly seconds: number
  readonly machines?: number
  readonly call_ms: number
  readonly spread?: number
  readonly workers?: number
  readonly slower_by?: number
  readonly slow?: { readonly share: number; readonly times: number }
  readonly warm_up?: { readonly seconds: number; readonly times: number }
  readonly pauses?: { readonly every_s: number; readonly ms: number }
  readonly tenant?: { readonly every_s: number; readonly for_s: number; readonly workers: number }
  readonly throttle?: { readonly above?: number; readonly per_second?: number }
  readonly drought?: { readonly every_s: number; readonly for_s: number }
  readonly long?: boolean
  readonly throughput?: number
  readonly throttled?: number
  readonly enough: readonly [from: number, to: number]
}

export interface Played {
  readonly rows: number
  readonly throttled: number
  /** The limit above which calls only wait, at the end. */
  readonly enough: number
  /** The limits over time, each with its second. */
  readonly limits: readonly (readonly [second: number, atOnce: number])[]
}

interface SimulatedClock extends Clock {
  /** Lets everything happen that is due until then. */
  play(untilMs: number): Promise<void>
}

/** Numbers that are the same for the same text; there are too many of them for digests. */
function quickRandom(text: string): Random {
  let state = [...text].reduce((sum, sign) => Math.imul(sum ^ sign.charCodeAt(0), 16_777_619), 2_166_136_261)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), state | 1)
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61))
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Lets everything have its turn that waits for promises alone. */
const turn = () => new Promise(resolve => setImmediate(resolve))

/** A clock that jumps from event to event. */
function simulatedClock(): SimulatedClock {
  let nowMs = 0
  let count = 0
  const heap: { readonly dueMs: number; readonly id: number; action: (() => void) | undefined }[] = []
  const isBefore = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    return a !== undefined && b !== undefined && (a.dueMs - b.dueMs || a.id - b.id) < 0
  }
  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    if (a && b) [heap[one], heap[other]] = [b, a]
  }
  const up = (at: number) => {
    for (let child = at; child > 0 && isBefore(child, (child - 1) >> 1); child = (child - 1) >> 1)
      swap(child, (child - 1) >> 1)
  }
  const down = () => {
    for (let at = 0, next = 1; next < heap.length; at = next, next = 2 * at + 1) {
      if (next + 1 < heap.length && isBefore(next + 1, next)) next += 1
      if (!isBefore(next, at)) return
      swap(next, at)
    }
  }
  const pop = () => {
    swap(0, heap.length - 1)
    const first = heap.pop()
    down()
    return first
  }
  return {
    now: () => new Date(nowMs),
    elapsedMs: () => nowMs,
    after(delayMs, action) {
      count += 1
      const event = { dueMs: nowMs + delayMs, id: count, action: action as (() => void) | undefined }
      up(heap.push(event) - 1)
      return () => {
        event.action = undefined
      }
    },
    async play(untilMs) {
      await turn()
      while ((heap[0]?.dueMs ?? Infinity) <= untilMs) {
        const event = pop()
        if (event?.action === undefined) continue
        nowMs = event.dueMs
        event.action()
        await turn()
      }
      nowMs = untilMs
    },
  }
}

/** A service that takes calls; `ended` is called with whether it made a record or asked to slow down. */
function serviceOf(service: SimulatedService, clock: Clock, random: Random) {
  const {
    call_ms,
    spread = 0,
    workers = Infinity,
    slower_by,
    slow,
    warm_up,
    pauses,
    tenant,
    throttle,
  } = service
  const waiting: (() => void)[] = []
  let working = 0
  let lastSecond = { second: 0, count: 0 }
  const isIn = (seconds: number, span: { every_s: number; for_s: number }) =>
    seconds % span.every_s >= span.every_s - span.for_s
  const seconds = () => clock.elapsedMs() / 1000
  const free = () => workers - (tenant && isIn(seconds(), tenant) ? tenant.workers : 0)

  function durationMs(): number {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const isSlow = slow !== undefined && random() < slow.share
    const isCold = warm_up !== undefined && seconds() < warm_up.seconds
    const times =
      (isSlow ? slow.times : 1) * (isCold ? warm_up.times : 1) * (1 + (slower_by ? working / slower_by : 0))
    return call_ms * times * Math.exp(spread * normal - spread ** 2 / 2)
  }

  /** The time that goes by until so much work is done. */
  function withPauses(workMs: number): number {
    if (pauses === undefined) return workMs
    const everyMs = pauses.every_s * 1000
    const nowMs = clock.elapsedMs()
    let [atMs, leftMs] = [nowMs, workMs]
    for (;;) {
      const inMs = atMs % everyMs
      const workableMs = everyMs - pauses.ms - inMs
      if (workableMs >= leftMs) return atMs + leftMs - nowMs
      leftMs -= Math.max(0, workableMs)
      atMs += everyMs - inMs
    }
  }

  function startNext(): void {
    while (working < free()) {
      const next = waiting.shift()
      if (next === undefined) return
      working += 1
      next()
    }
  }
  if (tenant) {
    const look = () => {
      startNext()
      clock.after(100, look)
    }
    look()
  }

  return function call(ended: (isThrottled: boolean) => void): void {
    const second = Math.floor(seconds())
    if (second !== lastSecond.second) lastSecond = { second, count: 0 }
    lastSecond.count += 1
    const isFull = working + waiting.length >= (throttle?.above ?? Infinity)
    if (isFull || lastSecond.count > (throttle?.per_second ?? Infinity)) {
      clock.after(20, () => ended(true))
      return
    }
    waiting.push(() =>
      clock.after(withPauses(durationMs()), () => {
        working -= 1
        ended(false)
        startNext()
      }),
    )
    startNext()
  }
}

/** A pace whose news reach the other workers a quarter of a second later, as by a ledger. */
function sharedPace(clock: Clock): () => SharedPace {
  type Follow = Parameters<SharedPace['follow']>[0]
  const followers = new Map<object, Follow>()
  return () => {
    const me = {}
    const tellOthers = (...news: Parameters<Follow>) => {
      for (const [who, follow] of followers) if (who !== me) clock.after(250, () => follow(...news))
    }
    return {
      spacing: () => {
        throw new Error('there is no rate')
      },
      announce: tellOthers,
      level: share => tellOthers(0, false, share),
      follow: onOther => followers.set(me, onOther),
    }
  }
}

/** Imports rows for the time that the service says; limiters that `listen` hear of latency, too. */
export async function play(service: SimulatedService, listens: boolean): Promise<Played> {
  const { in_flight, seconds, drought, machines = 1 } = service
  const clock = simulatedClock()
  const random = quickRandom(service.name + (process.env.PACE_SEED ?? ''))
  const call = serviceOf(service, clock, random)
  const limits: [number, number][] = []
  let [rows, throttled, enough] = [0, 0, in_flight]
  const share = sharedPace(clock)
  const limiters = Array.from({ length: machines }, () =>
    limiterOf({
      ...{
        concurrency: in_flight,
        rate: undefined,
        stop: new Stop(),
        clock,
        random: quickRandom(`pace of ${service.name}`),
      },
      ...(machines > 1 && { shared: share() }),
      emit(event) {
        if (event.type !== 'concurrency') return
        limits.push([Math.round(clock.elapsedMs() / 100) / 10, event.atOnce])
        enough = event.enough
      },
    }),
  )

  async function send(limiter: Limiter, attempts = 1): Promise<void> {
    const permit = await limiter.acquire()
    call(isThrottled => {
      if (isThrottled) throttle(limiter, permit, attempts)
      else {
        rows += 1
        limiter.speedUp(listens)
        permit.release()
        next(limiter)
      }
    })
  }

  function throttle(limiter: Limiter, permit: Permit, attempts: number): void {
    throttled += 1
    limiter.backOff(permit, attempts, undefined)
    permit.release()
    const tried = {
      fault: 'throttled',
      attempts,
      retries: 20,
      mode: 'at-most-once',
      retryAfterMs: undefined,
    } as const
    clock.after(delayBeforeRetry(tried, random) ?? 0, () => void send(limiter, attempts + 1))
  }

  function next(limiter: Limiter): void {
    const dryMs = drought === undefined ? 0 : clock.elapsedMs() % (drought.every_s * 1000)
    if (drought === undefined || dryMs < (drought.every_s - drought.for_s) * 1000) void send(limiter)
    else clock.after(drought.every_s * 1000 - dryMs, () => void send(limiter))
  }

  for (const limiter of limiters) for (let at = 0; at < 2 * in_flight; at += 1) next(limiter)
  await clock.play(seconds * 1000)
  return { rows, throttled, enough, limits }
}
