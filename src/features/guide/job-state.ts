import { basename } from 'node:path'
import { ulid } from 'ulid'
import type { Clock } from '../../model/clock.ts'
import { Stop } from '../../model/stop.ts'
import { progressFields } from '../../output/progress.ts'
import type { PreparedStep } from '../../run/plan.ts'
import { describeError } from './language.ts'

const mostNotices = 50

export type JobKind = 'check' | 'try' | 'run'
export type Job = ReturnType<typeof newJob>

/** A check, a trial or a run, from its start on. `short` makes a text fit for the page. */
export function newJob(kind: JobKind, file: string, clock: Clock, short: (text: string) => string) {
  const stop = new Stop()
  let step: Pick<PreparedStep['prepared'], 'tally' | 'totalBytes'> | undefined
  let startedMs = 0
  const own = {
    ...{ kind, file, id: ulid() },
    /** The file that is read: the one of the job, or one that its links need first. */
    step: file,
    status: 'running' as 'running' | 'stopping' | 'ended' | 'failed',
    rows: 0,
    /** 0 to 1; null if it is not known. */
    share: null as number | null,
    rowsPerSecond: 0,
    secondsLeft: null as number | null,
    /** Rows by status of the result log, `valid` in a check. */
    counts: {} as Readonly<Record<string, number>>,
    /** Why it could not start, or stopped. */
    error: null as string | null,
    /** What happened during the run that a person should know, as the command prints it. */
    notices: [] as string[],
    /** The summary of the command, once it has begun. */
    summary: null as Readonly<Record<string, unknown>> | null,
  }

  /** Takes over how far the import is. */
  function measure(): void {
    if (step === undefined) return
    const { ends, leftOut = 0 } = step.tally
    const { rows, percent, ...pace } = progressFields({ ...step, clock }, startedMs)
    const { rows_per_second: rowsPerSecond, seconds_left: secondsLeft = null } = pace
    const counts = Object.entries({ ...ends, left_out: leftOut }).filter(([, count]) => count > 0)
    const share = percent === undefined ? null : percent / 100
    Object.assign(own, { rows, share, rowsPerSecond, secondsLeft, counts: Object.fromEntries(counts) })
  }

  function tell(notice: string): void {
    if (own.notices.length < mostNotices) own.notices.push(short(notice))
  }

  return {
    ...{ stop, own, tell },
    /** Notes the step whose rows are read from now on; what it prepared goes with its end. */
    begin({ sources: [source = ''], prepared: { tally, totalBytes } }: PreparedStep) {
      own.step = basename(source)
      step = { tally, totalBytes }
      startedMs = clock.elapsedMs()
      return () => {}
    },
    /** Does the work, and notes how it ends. Never rejects. */
    async run(work: () => Promise<void>): Promise<void> {
      let hasFailed = false
      try {
        await work()
      } catch (error) {
        hasFailed = stop.reason === undefined || step !== undefined // else it was stopped before its first row
        if (hasFailed) own.error = short(describeError(error))
        own.summary ??= { finished: false }
      }
      measure()
      step = undefined
      if (!hasFailed) own.share = 1
      own.status = hasFailed ? 'failed' : 'ended'
    },
    state() {
      measure()
      return { ...own, notices: [...own.notices] }
    },
  }
}
