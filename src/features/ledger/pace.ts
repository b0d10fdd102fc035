import { type SharedPace, spacingOf } from '../../api/limiter.ts'
import { type Clock, every } from '../../model/clock.ts'
import type { Query } from './query.ts'

const lookEveryMs = 250

// Times are in seconds from now: the clock of the database is not that of this machine.
const state =
  'coalesce(extract(epoch FROM held_until - clock_timestamp()), 0)::float8 AS held, cuts::float8, level'
const openSql = 'INSERT INTO rowlift.pace (import) VALUES ($1) ON CONFLICT DO NOTHING'
const lookSql = `SELECT ${state} FROM rowlift.pace WHERE import = $1`
const holdSql = `UPDATE rowlift.pace SET cuts = cuts + $3::int,
  held_until = greatest(held_until, clock_timestamp() + make_interval(secs => $2::float8))
  WHERE import = $1 RETURNING ${state}`
const levelSql = `UPDATE rowlift.pace SET level = $2::float8 WHERE import = $1 RETURNING ${state}`
const takeSql = `UPDATE rowlift.pace
  SET next_start = greatest(next_start, clock_timestamp()) + make_interval(secs => $2::float8) WHERE import = $1
  RETURNING extract(epoch FROM next_start - clock_timestamp())::float8 - $2::float8 AS begins, ${state}`

/** One pace for all workers of a registered import: a row of the ledger. While the database is away nothing is taken and nothing shared. */
export function paceOf(query: Query, importId: number, clock: Clock) {
  let onOtherWorker = (_untilMs: number, _isCut: boolean, _level?: number) => {}
  let sharedUntilMs = 0
  let level: number | undefined = 1 // undefined while this worker sets it: answers are older then
  /** Cuts that are known, such as this worker's own. */
  let known: number | undefined
  let opened: Promise<unknown> | undefined
  let isLooking = false
  let stopLooking = () => {}

  /** Looks once at a time, however slow the database. */
  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    await run(lookSql)
    isLooking = false
  }

  /** Runs a statement, whose answer has the pace of all: undefined while the database is away, or if the import was dropped. */
  async function run(sql: string, ...params: readonly number[]) {
    type Answer = Readonly<Record<'begins' | 'held' | 'cuts' | 'level', number>>
    const asked = level
    const [answer] = await query<Answer>(sql, [importId, ...params]).catch(() => [])
    if (answer === undefined) return undefined
    const { held, cuts } = answer
    const isCut = cuts > (known ?? cuts)
    const news = asked !== undefined && asked === level && answer.level !== level ? answer.level : undefined
    level = news ?? level
    if (isCut || held > 0 || news) onOtherWorker(clock.elapsedMs() + held * 1000, isCut, news)
    known = Math.max(known ?? 0, cuts)
    return answer
  }

  /** Takes the next starts, and resolves with when the first of them may be; undefined if there are none to be had. */
  async function take(starts: number, perSecond: number): Promise<number | undefined> {
    await opened
    const answer = await run(takeSql, starts / perSecond)
    return answer && clock.elapsedMs() + answer.begins * 1000
  }

  return {
    spacing: (perSecond: number, onFree: () => void) => sharedSpacing({ take, clock }, perSecond, onFree),
    take,
    /** Calls that are throttled together are to wait until nearly the same time; that is shared once. */
    announce(untilMs: number, isCut: boolean): void {
      if (!isCut && untilMs <= sharedUntilMs) return
      sharedUntilMs = Math.ceil(untilMs / lookEveryMs) * lookEveryMs
      if (known !== undefined) known += Number(isCut)
      void run(holdSql, (sharedUntilMs - clock.elapsedMs()) / 1000, Number(isCut))
    },
    level(share: number): void {
      level = undefined
      void run(levelSql, share).then(() => (level ??= share))
    },
    follow(onOther: typeof onOtherWorker): void {
      onOtherWorker = onOther
      opened = run(openSql).then(look)
      stopLooking = every(clock, lookEveryMs, () => void look())
    },
    close: () => stopLooking(),
  } satisfies SharedPace & Record<string, unknown>
}

interface Starts {
  readonly clock: Clock
  take(starts: number, perSecond: number): Promise<number | undefined>
}

/** Milliseconds whose starts are taken at once. */
const blockMs = 200
/** A start that is not made within this time is lost: a rate is there to prevent bursts. */
const mostLateMs = 250
const takeAgainMs = 1_000

/**
 * One worker's part of a rate. However many there are, no second sees more than the rate and the starts that may be late. `onStarts` is
 * called when `freeMs` may have changed.
 */
export function sharedSpacing({ clock, take }: Starts, perSecond: number, onStarts: () => void) {
  const own = spacingOf(perSecond)
  const gapMs = 1000 / perSecond
  const startsMs: number[] = []
  /** The numbers that were taken last, and that were lost since: as many are taken as are used, so that others get theirs. */
  let [taken, lost] = [Infinity, 0]
  /** The time to take more; Infinity while that is under way. */
  let takeAtMs = 0

  async function takeMore(): Promise<void> {
    const used = lost > 0 ? taken - lost : taken * 1.5
    taken = Math.max(1, Math.min(Math.ceil(used), Math.round(blockMs / gapMs)))
    lost = 0
    takeAtMs = Infinity
    const firstMs = await take(taken, perSecond)
    takeAtMs = firstMs === undefined ? clock.elapsedMs() + takeAgainMs : 0
    for (let at = 0; at < taken && firstMs !== undefined; at += 1) startsMs.push(firstMs + at * gapMs)
    onStarts()
  }

  return {
    /** The next start as far as it is known. If few starts are left for an attempt that waits, more are taken. */
    get freeMs(): number {
      const nowMs = clock.elapsedMs()
      for (; (startsMs[0] ?? Infinity) < nowMs - mostLateMs; lost += 1) startsMs.shift()
      if (startsMs.length <= taken / 2 && nowMs >= takeAtMs) void takeMore()
      return Math.max(startsMs[0] ?? takeAtMs, own.freeMs)
    },
    start(nowMs: number, readyMs: number): void {
      startsMs.shift()
      own.start(nowMs, readyMs)
    },
  }
}
