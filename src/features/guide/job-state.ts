import { basename } from 'node:path'
import { ulid } from 'ulid'
import type { Clock } from '../../model/clock.ts'
import { Stop } from '../../model/stop.ts'
import { progressFields } from '../../output/progress.ts'
import type { PreparedStep } from '../../run/plan.ts'
import { describeError } from './language.ts'
import type { JobState } from './views.ts'

const mostNotices = 50

/** A check, a trial or a run, from its start on. */
export class Job {
  readonly about: Pick<JobState, 'kind' | 'file' | 'practice'>
  readonly stop = new Stop()
  status: JobState['status'] = 'running'
  summary: object | null = null
  report: string | null = null
  readonly #id = ulid()
  readonly #clock: Clock
  readonly #short: (text: string) => string
  readonly #notices: string[] = []
  #error: string | null = null
  #step: Pick<PreparedStep['prepared'], 'tally' | 'totalBytes'> | undefined
  #source: string
  #startedMs = 0
  #ended: JobState | undefined

  /** `short` makes a text fit for the page. */
  constructor(about: Job['about'], clock: Clock, short: (text: string) => string) {
    this.about = about
    this.#source = about.file
    this.#clock = clock
    this.#short = short
  }

  tell = (notice: string): void => {
    if (this.#notices.length < mostNotices) this.#notices.push(this.#short(notice))
  }

  /** Notes the step whose rows are read from now on; what it prepared goes with its end. */
  begin({ sources: [source = ''], prepared: { tally, totalBytes } }: PreparedStep): void {
    this.#source = basename(source)
    this.#step = { tally, totalBytes }
    this.#startedMs = this.#clock.elapsedMs()
  }

  /** Does the work, and notes how it ends. Never rejects. */
  async run(work: (job: Job) => Promise<void>): Promise<void> {
    try {
      await work(this)
      this.status = 'ended'
    } catch (error) {
      const isStopped = this.stop.reason !== undefined && this.#step === undefined // before its first row
      this.status = isStopped ? 'ended' : 'failed'
      if (!isStopped) this.#error = this.#short(describeError(error))
    }
    this.#ended = this.state
  }

  /** How far it is, by the counts of its import. */
  get state(): JobState {
    if (this.#ended) return this.#ended
    const { about, status, report } = this
    const measured = this.#step && progressFields({ ...this.#step, clock: this.#clock }, this.#startedMs)
    const { ends, leftOut = 0 } = this.#step?.tally ?? {}
    const counts = Object.entries({ ...ends, left_out: leftOut }).filter(([, count]) => count > 0)
    return {
      ...{ ...about, id: this.#id, step: this.#source, status, report },
      ...{ notices: [...this.#notices], error: this.#error, rows: measured?.rows ?? 0 },
      share: status === 'ended' ? 1 : measured?.percent === undefined ? null : measured.percent / 100,
      rowsPerSecond: measured?.rows_per_second ?? 0,
      secondsLeft: measured?.seconds_left ?? null,
      counts: Object.fromEntries(counts),
      summary: this.summary as JobState['summary'],
    }
  }
}
