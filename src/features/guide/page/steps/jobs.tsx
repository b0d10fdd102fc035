// The steps that start a job: a check of all rows, a trial of five, the import.
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { JobState } from '../../api.ts'
import { ask, say, useApp, useView } from '../app.ts'
import { Button, Card, Facts, Field, Form, RecordCard, Tick, Verdict } from '../parts.tsx'
import { RowList, useChecked } from '../rows.tsx'
import { useDestination } from '../service-bar.tsx'
import { counted, duration, ifAny, number, rowTitle, statusText, text, time } from '../texts.ts'

const isRunning = (job: JobState | null) => job?.status === 'running' || job?.status === 'stopping'

/**
 * Starts a job, shows how far it is, and stops it; while none of its kind is on, it shows what is inside. One button does all, so that
 * the focus stays on it.
 */
function Job({ kind, children }: { kind: JobState['kind']; children?: ComponentChildren }) {
  const { state, file } = useApp()
  const [isAsked, setAsked] = useState(false)
  const last = state.job
  const job = last?.kind === kind && last.file === file.source ? last : null
  const isOn = isRunning(job)
  useEffect(() => setAsked(false), [last?.id, last?.status])
  const tenths = Math.floor((job?.share ?? 0) * 10)
  useEffect(() => {
    if (job) say(isOn ? text('at_share', { share: tenths * 10 }) : text(`job_${job.status}`))
  }, [job?.status, tenths])

  /** Why it cannot start. A log that was begun goes on with its questions. */
  function obstacle() {
    if (isRunning(last)) return text('busy')
    if (kind !== 'check' && file.log === null && file.open.questions > 0) return text('answer_first')
    const isAgreed = kind !== 'run' || state.service.practice || file.approval?.agreed
    return isAgreed ? undefined : text('not_agreed')
  }
  const why = isOn ? undefined : obstacle()
  const isPaused = kind === 'run' && job?.summary?.finished === false
  const start = text(isPaused ? 'go_on' : `start_${kind}`)
  const press = async () => {
    setAsked(true)
    if ((await ask(isOn ? 'stop' : kind, {})) === undefined) setAsked(false)
  }
  return (
    <>
      <section class="job" aria-label={text('progress')}>
        <p class="buttons">
          <Button
            class="main"
            onClick={press}
            label={isOn ? text(kind === 'run' ? 'pause' : 'stop') : start}
            isOff={why !== undefined || isAsked || job?.status === 'stopping'}
          />
          <small>{why}</small>
        </p>
        {job && <Progress job={job} />}
      </section>
      {!isOn && <Fragment key={job?.id}>{children}</Fragment>}
    </>
  )
}

function Progress({ job }: { job: JobState }) {
  const { file, step, status, share, rows, rowsPerSecond, secondsLeft, counts, error, notices, summary } = job
  const end = status === 'ended' && summary?.finished === false ? 'stopped' : status
  const pace = isRunning(job) && [
    text('pace', { rows: Math.round(rowsPerSecond) }),
    ...(step === file ? [] : [step]),
    ...(secondsLeft === null ? [] : [text('left', { time: duration(secondsLeft) })]),
  ]
  return (
    <>
      <progress aria-label={text('progress')} max={1} value={share ?? (isRunning(job) ? undefined : 1)} />
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

/** A dry run of all rows: one sentence, and the rows with what is wrong. */
export function CheckStep() {
  const { corrected } = useApp().file
  const { all, records, counts, isOld } = useChecked()
  const sentences = [
    text('check_sentence', { records }),
    ifAny('refused', counts.refused),
    ifAny('left_out', counts.left_out),
    corrected ? text('corrected_file', { name: corrected.name, rows: corrected.rows }) : undefined,
  ]
  return (
    <>
      <p>{text('check_intro')}</p>
      <Job kind="check">
        {isOld && <p class="notice">{text('check_old')}</p>}
        {all > 0 && <Verdict sentences={sentences} />}
        <RowList start="all" />
      </Job>
    </>
  )
}

const looks = ['look_names', 'look_phones', 'look_dates', 'look_links', 'look_lost'] as const

/** Sends the five rows that differ most, to be looked at there before all the others. */
export function TryStep() {
  return (
    <>
      <p>{text('try_intro', { where: useDestination() })}</p>
      <Job kind="try">
        <Tried />
      </Job>
    </>
  )
}

/** The records to look at; if they are wrong, they are deleted there, and the log forgets them. */
function Tried() {
  const view = useView('rows', { filter: 'all', of: 'try', from: 0, count: 5 }, [])
  const sent = view?.rows.filter(({ recordId }) => recordId !== null) ?? []
  const forget = async () => (await ask('forget', { keys: sent.map(({ key }) => key) })) && text('forgot')
  if (sent.length === 0) return null
  return (
    <>
      <h2>{text('try_look')}</h2>
      <div class="cards">
        {sent.map(({ key, recordId, record, ...row }) => (
          <Card key={key} title={text('id', { id: recordId ?? '' })}>
            <p>{rowTitle(row)}</p>
            <RecordCard record={record} />
          </Card>
        ))}
      </div>
      <fieldset>
        <legend>{text('checklist')}</legend>
        {looks.map(look => (
          <Tick key={look} type="checkbox" label={text(look)} />
        ))}
      </fieldset>
      <details>
        <summary>{text('try_wrong')}</summary>
        <p>{text('try_delete', { ids: sent.map(({ recordId }) => recordId).join(', ') })}</p>
        <Form submit={text('try_forget')} isOnce onSend={forget} />
      </details>
    </>
  )
}

/** The import itself: what it will do, who agreed to it, and how far it is. */
export function RunStep() {
  return (
    <>
      <Forecast />
      {!useApp().state.service.practice && <Approval />}
      <Job kind="run" />
      <small>{text('run_hint')}</small>
    </>
  )
}

/** What the run will do: records that go, rows that stay, columns that are not imported. */
function Forecast() {
  const where = useDestination()
  const { all, counts, records, isOld } = useChecked()
  const view = useView('columns', {})
  const unused = view?.columns.filter(({ by }) => by === 'undecided' || by === 'not_imported').length ?? 0
  if (all === 0 || isOld) return <Verdict sentences={[text(isOld ? 'check_old' : 'check_first')]} />
  const goes = text(counts.sent === 1 ? 'goes_to_one' : 'goes_to_many', { records, where })
  return <Verdict sentences={[goes, ifAny('stays', counts.refused), ifAny('unused', unused)]} />
}

/** The check wrote what may be done; a second person agrees, here or by the command line. */
function Approval() {
  const { approval } = useApp().file
  const { command } = useView('elsewhere', {}) ?? {}
  if (approval === null) return <p>{text('approval_none')}</p>
  const { by, at, agreed } = approval
  return (
    <Card title={text('approval')}>
      <p role="status">
        {text('checked_by', { by, at: time(at) })} {agreed && text('agreed_by', { by: agreed })}
      </p>
      {!agreed && (
        <>
          <Form submit={text('agree')} onSend={field => ask('approve', { by: field('by') })}>
            <Field name="by" label={text('second_name')} />
          </Form>
          {command && <p>{text('agree_elsewhere')}</p>}
          {command && <pre>{command}</pre>}
        </>
      )}
    </Card>
  )
}
