import { basename } from 'node:path'
import { ulid } from 'ulid'
import type { Clock } from '../../model/clock.ts'
import { Stop } from '../../model/stop.ts'
import { progressFields } from '../../output/progress.ts'
import { describeError } from '../../output/words.ts'
import type { PreparedStep } from '../../run/plan.ts'
import type { JobState } from './views.ts'

type About = Pick<JobState, 'kind' | 'file' | 'practice'>

const mostNotices = 50

/** A check, a trial or a run, from its start on. */
export class Job {
  readonly id = ulid()
  readonly about: About
  readonly stop = new Stop()
  readonly notices: string[] = []
  readonly #short: (text: string) => string
  status: JobState['status'] = 'running'
  #step: PreparedStep | undefined
  #startedMs = 0
  summary: object | null = null
  error: string | null = null
  report: string | null = null

  /** `short` makes a text fit for the page. */
  constructor(about: About, short: (text: string) => string) {
    this.about = about
    this.#short = short
  }

  tell = (notice: string): void => {
    if (this.notices.length < mostNotices) this.notices.push(this.#short(notice))
  }

  /** Notes the step whose rows are read from now on. */
  begin(step: PreparedStep, startedMs: number): void {
    this.#step = step
    this.#startedMs = startedMs
  }

  /** Does the work, and notes how it ends. Never rejects. */
  async run(work: (job: Job) => Promise<void>): Promise<void> {
    try {
      await work(this)
      this.status = 'ended'
    } catch (error) {
      const isStopped = this.stop.reason !== undefined && this.#step === undefined // before its first row
      this.status = isStopped ? 'ended' : 'failed'
      if (!isStopped) this.error = this.#short(describeError(error))
    }
  }

  /** How far it is, by the counts of its import. */
  state(clock: Clock): JobState {
    const { id, about, status, notices, summary, error, report } = this
    const { prepared, sources: [source = about.file] = [] } = this.#step ?? {}
    const measured = prepared && progressFields({ ...prepared, clock }, this.#startedMs)
    const { ends, leftOut = 0 } = prepared?.tally ?? {}
    const counts = Object.entries({ ...ends, left_out: leftOut }).filter(([, count]) => count > 0)
    return {
      ...{ id, ...about, step: basename(source), status, notices, error, report, rows: measured?.rows ?? 0 },
      share: status === 'ended' ? 1 : measured?.percent === undefined ? null : measured.percent / 100,
      rowsPerSecond: measured?.rows_per_second ?? 0,
      secondsLeft: measured?.seconds_left ?? null,
      counts: Object.fromEntries(counts),
      summary: summary as JobState['summary'],
    }
  }
}
