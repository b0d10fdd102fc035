// Starts a job, shows how far it is, and stops it.
import { useEffect, useState } from 'preact/hooks'
import type { JobState } from '../api.ts'
import { useApp } from './app.ts'
import { Button, Facts } from './parts.tsx'
import { counted, duration, number, statusText, text } from './texts.ts'

const isOn = (job: JobState | null) => job?.status === 'running' || job?.status === 'stopping'

/** The last job of this kind for the open file, unless another one came after it. */
export function useJob(kind: JobState['kind']) {
  const { state, file } = useApp()
  const job = state.job?.kind === kind && state.job.file === file.source ? state.job : null
  return { job, isOn: isOn(job), isBusy: isOn(state.job) && !isOn(job) }
}

/** Why nothing can be sent yet. A log that was begun goes on with its questions. */
function useObstacle(kind: JobState['kind']): string | undefined {
  const { state, file } = useApp()
  if (kind !== 'check' && file.log === null && file.open.questions > 0) return text('answer_first')
  const isAgreed = kind !== 'run' || state.service.practice || file.approval?.agreed
  return isAgreed ? undefined : text('not_agreed')
}

/** One button starts and stops, so that the focus stays on it. */
export function Job({ kind }: Pick<JobState, 'kind'>) {
  const { state, ask, say } = useApp()
  const { job, isOn, isBusy } = useJob(kind)
  const [isAsked, setAsked] = useState(false)
  useEffect(() => setAsked(false), [state.job?.id, state.job?.status])
  const tenths = Math.floor((job?.share ?? 0) * 10)
  useEffect(() => {
    if (job) say(isOn ? text('at_share', { share: tenths * 10 }) : text(`job_${job.status}`))
  }, [job?.status, tenths])

  const obstacle = useObstacle(kind)
  const isPaused = kind === 'run' && job?.summary?.finished === false
  const start = text(isPaused ? 'go_on' : `start_${kind}`)
  const stop = text(kind === 'run' ? 'pause' : 'stop')
  const why = isBusy ? text('busy') : isOn ? undefined : obstacle
  const press = async () => {
    setAsked(true)
    if ((await ask(isOn ? 'stop' : kind, {})) === undefined) setAsked(false)
  }
  return (
    <section class="job" aria-label={text('progress')}>
      <p class="buttons">
        <Button
          class="main"
          onClick={press}
          label={isOn ? stop : start}
          isOff={why !== undefined || isAsked || job?.status === 'stopping'}
        />
        <small>{why}</small>
      </p>
      {job && <Progress job={job} />}
    </section>
  )
}

function Progress({ job }: { job: JobState }) {
  const { file, step, status, share, rows, rowsPerSecond, secondsLeft, counts, error, notices, summary } = job
  const end = status === 'ended' && summary?.finished === false ? 'stopped' : status
  const pace = isOn(job) && [
    text('pace', { rows: Math.round(rowsPerSecond) }),
    ...(step === file ? [] : [step]),
    ...(secondsLeft === null ? [] : [text('left', { time: duration(secondsLeft) })]),
  ]
  return (
    <>
      <progress aria-label={text('progress')} max={1} value={share ?? (isOn(job) ? undefined : 1)} />
      <p>{[text(`job_${end}`), counted('row', rows), ...(pace || [])].join(' · ')}</p>
      <Facts facts={Object.entries(counts).map(([name, count]) => [statusText(name), number(count)])} />
      {[...(error === null ? [] : [error]), ...notices].map(notice => (
        <p class="notice" key={notice}>
          {notice}
        </p>
      ))}
    </>
  )
}
