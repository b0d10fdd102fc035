import { basename } from 'node:path'
import { ulid } from 'ulid'
import type { Clock } from '../../model/clock.ts'
import { Stop } from '../../model/stop.ts'
import { progressFields } from '../../output/progress.ts'
import type { PreparedStep } from '../../run/plan.ts'
import { describeError } from './language.ts'

const mostNotices = 50

interface JobAbout {
  readonly kind: 'check' | 'try' | 'run'
  readonly file: string
  readonly practice: boolean
}

export type Job = ReturnType<typeof newJob>

/** A check, a trial or a run, from its start on. `short` makes a text fit for the page. */
export function newJob(about: JobAbout, clock: Clock, short: (text: string) => string) {
  const stop = new Stop()
  let step: Pick<PreparedStep['prepared'], 'tally' | 'totalBytes'> | undefined
  let startedMs = 0
  const state = {
    ...{ ...about, id: ulid() },
    /** The file that is read: the one of the job, or one that its links need first. */
    step: about.file,
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
    /** The summary of the command, at the end. */
    summary: null as Readonly<Record<string, unknown>> | null,
    report: null as string | null,
  }

  /** Takes over how far the import is. */
  function measure(): void {
    if (step === undefined) return
    const { ends, leftOut = 0 } = step.tally
    const measured = progressFields({ ...step, clock }, startedMs)
    const { rows, percent, rows_per_second: rowsPerSecond, seconds_left: secondsLeft = null } = measured
    const counts = Object.entries({ ...ends, left_out: leftOut }).filter(([, count]) => count > 0)
    const share = percent === undefined ? null : percent / 100
    Object.assign(state, { rows, share, rowsPerSecond, secondsLeft, counts: Object.fromEntries(counts) })
  }

  return {
    ...{ about, stop, own: state },
    tell(notice: string): void {
      if (state.notices.length < mostNotices) state.notices.push(short(notice))
    },
    /** Notes the step whose rows are read from now on; what it prepared goes with its end. */
    begin({ sources: [source = ''], prepared: { tally, totalBytes } }: PreparedStep): void {
      state.step = basename(source)
      step = { tally, totalBytes }
      startedMs = clock.elapsedMs()
    },
    /** Does the work, and notes how it ends. Never rejects. */
    async run(work: () => Promise<void>): Promise<void> {
      let hasFailed = false
      try {
        await work()
      } catch (error) {
        hasFailed = stop.reason === undefined || step !== undefined // else it was stopped before its first row
        if (hasFailed) state.error = short(describeError(error))
      }
      measure()
      step = undefined
      if (!hasFailed) state.share = 1
      state.status = hasFailed ? 'failed' : 'ended'
    },
    get state() {
      measure()
      return { ...state, notices: [...state.notices] }
    },
  }
}
