/** How long an attempt took, or several by their geometric mean, when so many were under way. */
export interface Sample {
  readonly atOnce: number
  readonly tookMs: number
}

/** Times that grow by less give rows for the calls that are added: 0 is not at all; 1 is in proportion, so that calls only wait. */
const leastGrowth = 0.8
/** Enough for a trial. The first attempts of a run are slow for other reasons, too, such as new connections. */
const suspectGrowth = 0.5
/** One pair may be an accident, such as a pause of the service. */
const pairsNeeded = 2
/** The share of the throughput that a lower limit has to keep. */
const kept = 0.95
/** With more calls a second they may wait for this process. */
const mostPerMs = 0.5

/**
 * Decides which share of the high limit is enough, from pairs of samples with fewer and with more at once; undefined if another pair is
 * needed. Only what all of them say changes the limit: that calls wait or, if it is to be raised, that they do not.
 */
export function decide(pairs: readonly (readonly [Sample, Sample])[], isRaise: boolean): number | undefined {
  const growths = pairs.flatMap(([low]) => pairs.map(([, high]) => growthOf(low, high)))
  const growth = isRaise ? Math.max(...growths) : Math.min(1, ...growths)
  const isWaiting = growth >= leastGrowth && pairs.every(([, high]) => high.atOnce / high.tookMs < mostPerMs)
  if (isWaiting !== isRaise && pairs.length < pairsNeeded) return undefined
  const share = Math.max(...pairs.map(([low, high]) => low.atOnce / high.atOnce))
  if (!isWaiting || isRaise) return isWaiting ? share : 1
  return Math.max(share, (kept * (1 - growth)) / (1 - kept * growth))
}

const growthOf = (low: Sample, high: Sample) =>
  (1 - low.tookMs / high.tookMs) / (1 - low.atOnce / high.atOnce)

/** Fewer are never tried: the service works on one call while the next is on its way. */
const fewestAtOnce = 2
/** Attempts of a sample, and of one with few at once that came without a trial. */
const [fewestAttempts, fewestSeen] = [20, 5]
/** Part of the time that trials may cost which change nothing. */
const mostLost = 0.005
const raiseEveryMs = 30_000

/**
 * Finds the limit above which calls only wait: tries half as many at once and, below `most`, half as many more. The first attempts of a
 * run, and those after a throttled one, are compared as they come. Limits that change reach everybody after `settleMs`.
 */
export function latencyTrials(most: number, settleMs: number) {
  let enough = most
  /** The limit before a trial, the other one, and the one that holds now. */
  let trial: { readonly base: number; readonly other: number; readonly level: number } | undefined
  let pairs: [Sample, Sample][] = []
  let watched = watch(0)
  /** More calls took longer, so a trial with fewer costs nothing. */
  let isSuspect = false
  /** What attempts took at first since the limit was found. */
  let settledMs: number | undefined
  let [firstMs, lostMs, raiseAtMs] = [Infinity, 0, 0]

  /** Collects attempts that start from now on, with at most `low` and with about `high` at once. */
  function watch(fromMs: number, low = Math.floor(enough / 2), high = 1.5 * low, fewest = fewestSeen) {
    return { fromMs, low, high, lows: sampleOf(fewest, low), highs: sampleOf(fewestAttempts, high) }
  }

  function begin(base: number, other: number, nowMs: number): number {
    trial = { base, other, level: base }
    watched = watch(nowMs + settleMs, Math.min(base, other), Math.max(base, other), fewestAttempts)
    return base
  }

  function end(atOnce: number, nowMs: number): number {
    trial = undefined
    pairs = []
    watched = watch(nowMs + settleMs)
    settledMs = undefined
    return atOnce
  }

  const tryFewer = (current: number, nowMs: number) =>
    current < 2 * fewestAtOnce ? undefined : begin(current, Math.floor(current / 2), nowMs)

  /** Begins a trial if it is time, once there are enough attempts with many at once and none with fewer. */
  function consider(current: number, nowMs: number): number | undefined {
    const { fromMs, high, highs } = watched
    const { tookMs } = highs.mean()
    settledMs ??= tookMs
    watched = { ...watched, fromMs: nowMs, highs: sampleOf(fewestAttempts, high) }
    if (current < enough) return undefined
    if (enough < most && (nowMs >= raiseAtMs || tookMs < 0.85 * settledMs))
      return begin(enough, Math.min(most, Math.ceil(enough * 1.5)), nowMs)
    const mayLose = lostMs + (nowMs - fromMs) / 2 <= mostLost * (nowMs - firstMs)
    return mayLose ? tryFewer(current, nowMs) : undefined
  }

  /** Takes a pair. One that came without a trial makes one due at most. */
  function judge(nowMs: number): number | undefined {
    const { low, high, lows, highs, fromMs } = watched
    const isRaise = trial !== undefined && trial.other > trial.base
    if (trial === undefined) {
      isSuspect = growthOf(lows.mean(), highs.mean()) >= suspectGrowth
      watched = watch(nowMs, low)
      return undefined
    }
    pairs.push([lows.mean(), highs.mean()])
    const share = decide(pairs, isRaise)
    if (share === undefined) return begin(trial.base, trial.other, nowMs)
    isSuspect = !isRaise && share < 1
    raiseAtMs = share === 1 ? nowMs : nowMs + raiseEveryMs
    if (isRaise || isSuspect) enough = Math.ceil(high * share)
    else lostMs += (nowMs - fromMs) * (1 - low / high)
    return end(isRaise || isSuspect ? enough : trial.base, nowMs)
  }

  return {
    get enough(): number {
      return enough
    },

    /** How far the limit may rise by itself. */
    get ceiling(): number {
      return trial?.level ?? enough
    },

    /** Takes an attempt that made a record; returns the limit from now on, if it changes. */
    take(attempt: Sample, startedMs: number, current: number, nowMs: number): number | undefined {
      firstMs = Math.min(firstMs, startedMs)
      const { fromMs, low, high, lows, highs } = watched
      if (startedMs < fromMs) return undefined
      if (attempt.atOnce <= low) lows.add(attempt)
      else if (attempt.atOnce >= 0.9 * high) highs.add(attempt)
      if (lows.isFull() && highs.isFull()) return judge(nowMs)
      if (trial === undefined && isSuspect && current >= high) return tryFewer(current, nowMs)
      if (trial === undefined) return highs.isFull() ? consider(current, nowMs) : undefined
      const { base, other, level } = trial
      if (level !== base || !(other > base ? lows : highs).isFull()) return undefined
      trial = { base, other, level: other }
      watched = { ...watched, fromMs: nowMs + settleMs }
      return other
    },

    /**
     * Ends a trial when the limit changes for another reason; `found` is by another worker, who goes on with the trials. What was seen
     * below about the same limit still counts.
     */
    interrupt(current: number, nowMs: number, found?: number): void {
      const isSame = trial === undefined && Math.abs(current - watched.low) <= watched.low / 4
      const seen = isSame ? watched : watch(nowMs, current)
      end(current, nowMs)
      raiseAtMs = nowMs + raiseEveryMs
      if (found === undefined) watched = seen
      else [enough, isSuspect, firstMs] = [found, false, nowMs]
    },
  }
}

/** The geometric mean of times; at most so many are taken as are needed. */
function sampleOf(fewest: number, atOnce: number) {
  const needed = Math.max(fewest, Math.ceil(atOnce))
  let [count, places, logs] = [0, 0, 0]
  return {
    isFull: () => count >= needed,
    mean: (): Sample => ({ atOnce: places / count, tookMs: Math.exp(logs / count) }),
    add({ atOnce: place, tookMs }: Sample): void {
      if (count >= needed) return
      count += 1
      places += place
      logs += Math.log(Math.max(1, tookMs))
    },
  }
}
