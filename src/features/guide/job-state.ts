import { ulid } from 'ulid'
import type { Clock } from '../../model/clock.ts'
import { Stop } from '../../model/stop.ts'
import { progressFields } from '../../output/progress.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import type { JobState } from './api.ts'

/** A check, a trial or a run, from its start on. */
export interface Job extends Pick<JobState, 'id' | 'kind' | 'file' | 'practice'> {
  readonly stop: Stop
  readonly notices: string[]
  startedMs: number
  /** Refused rows that have a correction, which is another row. */
  superseded: number
  prepared?: PreparedImport
  summary?: object
  error?: string
  report?: string
  status: JobState['status']
  /** Never rejects. */
  done: Promise<void>
}

type About = Pick<Job, 'kind' | 'file' | 'practice' | 'startedMs'>

/** Starts the work of a job, and notes how it ends. */
export function startJob(
  about: About,
  work: (job: Job) => Promise<void>,
  describe: (error: unknown) => string,
): Job {
  const job: Job = {
    ...{ ...about, id: ulid(), stop: new Stop(), notices: [], superseded: 0 },
    ...{ status: 'running', done: Promise.resolve() },
  }
  job.done = work(job).then(
    () => {
      job.status = 'ended'
    },
    error => {
      job.status = 'failed'
      job.error = describe(error)
    },
  )
  return job
}

/** How far a job is, by the counts of its import. */
export function stateOfJob(job: Job, clock: Clock): JobState {
  const { id, kind, file, practice, status, prepared, startedMs, notices } = job
  const { summary = null, error = null, report = null } = job
  const measured = prepared && progressFields({ ...prepared, clock }, startedMs)
  const {
    rows = 0,
    rows_per_second: rowsPerSecond = 0,
    percent,
    seconds_left: secondsLeft = null,
  } = measured ?? {}
  const { ends, leftOut = 0 } = prepared?.tally ?? {}
  const invalid = (ends?.invalid ?? 0) - job.superseded
  const counts = Object.entries({ ...ends, invalid, left_out: leftOut }).filter(([, count]) => count > 0)
  return {
    ...{ id, kind, file, practice, status, rows, error, notices, report, rowsPerSecond, secondsLeft },
    share: status === 'ended' ? 1 : percent === undefined ? null : percent / 100,
    counts: Object.fromEntries(counts),
    summary: summary as JobState['summary'],
  }
}
