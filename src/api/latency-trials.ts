import type { Clock } from '../model/clock.ts'

/** What fewer calls have to keep of the records a second, what more have to bring, and by how much equal whiles may differ. */
const [kept, gained, margin] = [0.95, 1.1, 0.15]

/** Decides whether a limit that was tried stays, by the records a second before, during and after the trial. */
export function decide(before: number, tried: number, after: number, isRaise: boolean): boolean {
  if (isRaise) return tried > gained * Math.max(before, after)
  const usual = (before + after) / 2
  return Math.abs(before - after) <= margin * usual && tried > kept * usual
}

/** The most of a run's time that trials may have cost at any moment; that is why short runs have none. */
const mostLost = 0.008
/** With more records a second calls may wait for this process. */
const mostPerMs = 0.5
const mostApartMs = 10_000
/** Enough for a while: whole rounds, as calls that are in step with each other end in bursts. */
const roundsOf = (atOnce: number) => Math.ceil(30 / atOnce)
/** Other workers have heard of a limit by then, and keep to it. */
const settleMs = 500

type Settings = Readonly<{ concurrency: number; clock: Clock; random: () => number; shared?: unknown }>
type Change = (atOnce: number, isOwn: boolean) => void

/** Finds the limit above which calls only wait: tries another one between two whiles with the same, but never one call at a time. */
export function latencyTrials(settings: Settings, limit: { readonly current: number }, change: Change) {
  const { concurrency, clock, random, shared } = settings
  const lagMs = shared === undefined ? 0 : settleMs
  let enough = concurrency
  let watched: ReturnType<typeof watch> | undefined
  const beganMs = clock.elapsedMs()
  let [nextMs, lostMs] = [beganMs + mostApartMs, 0]

  /** Counts answers, once as many have come as are `stale`. */
  function watch(atOnce: number, stale: number, end: (perMs: number) => void) {
    const needed = atOnce * roundsOf(atOnce)
    return { atOnce, end, needed, fromMs: clock.elapsedMs() + lagMs, answers: -stale, made: 0, underWay: 0 }
  }

  /** Resolves with the records per ms of so many calls at once; 0 if the limit changes meanwhile, or fewer are under way. */
  function measure(atOnce: number): Promise<number> {
    return new Promise(end => {
      watched = watch(atOnce, Math.max(atOnce, watched?.atOnce ?? 0), end)
      if (atOnce !== limit.current) change(atOnce, true)
    })
  }

  /** Tries fewer calls, if the run is long enough for what that costs should calls not wait, or half as many more. */
  async function trial(base: number): Promise<void> {
    const before = await measure(base)
    const nowMs = clock.elapsedMs()
    const fewer = Math.floor(base * (0.5 + 0.15 * random()))
    const costMs = lagMs + ((base - fewer) * (1 + roundsOf(fewer))) / before
    const mayLower = fewer > 1 && before < mostPerMs && lostMs + costMs <= mostLost * (nowMs - beganMs)
    const isRaise = base === enough && base < concurrency && (random() < 0.6 || !mayLower)
    nextMs = nowMs + Math.min(mostApartMs, (nowMs - beganMs) / 8) * (0.5 + random())
    const other = isRaise ? Math.min(concurrency, Math.ceil(base * 1.5)) : fewer
    const tried = isRaise || mayLower ? await measure(other) : 0
    if (tried < before) lostMs += (1 - tried / before) * (clock.elapsedMs() - nowMs)
    const after = tried > 0 ? await measure(base) : 0
    const stays = decide(before, tried, after, isRaise)
    if (stays) enough = other
    if (stays || (!isRaise && tried > 0.8 * before)) nextMs = nowMs
    const isCut = limit.current !== watched?.atOnce
    watched = undefined
    if (isRaise || mayLower) change(isCut ? limit.current : stays ? other : base, true)
  }

  return {
    enough: () => enough,
    /** How far the limit may rise by itself. */
    ceiling: () => watched?.atOnce ?? enough,

    /** Takes an answer, with the calls that are under way. */
    take(hasRecord: boolean, underWay: number): void {
      const nowMs = clock.elapsedMs()
      if (watched === undefined && nowMs >= nextMs && limit.current >= 0.6 * enough) void trial(limit.current)
      if (watched === undefined || nowMs < watched.fromMs) return
      watched.answers += 1
      if (watched.answers === 0) watched.fromMs = nowMs
      if (limit.current !== watched.atOnce) watched.end(0)
      if (watched.answers <= 0) return
      watched.made += Number(hasRecord)
      watched.underWay += underWay
      const { end, answers, needed, atOnce, made, fromMs } = watched
      if (answers === needed) end(watched.underWay > 0.8 * needed * atOnce ? made / (nowMs - fromMs) : 0)
    },

    /** Takes the limit that another worker tries or has found: its trial ends that of this one, and costs as much. */
    follow(atOnce: number): void {
      watched = undefined
      enough = atOnce
      nextMs = clock.elapsedMs() + mostApartMs * (0.5 + random())
      lostMs = Math.max(lostMs, mostLost * (clock.elapsedMs() - beganMs))
      change(atOnce, false)
    },
  }
}
