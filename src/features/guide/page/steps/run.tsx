import { useAnswer, useApp } from '../app.ts'
import { Field, Form } from '../controls.tsx'
import { time } from '../formats.ts'
import { Job, useJob, useOpenQuestions } from '../job.tsx'
import { Button } from '../parts.tsx'
import { useDestination } from '../service-bar.tsx'
import { counted, text } from '../texts.ts'
import { useChecked } from './check.tsx'

/** The import itself: what it will do, who agreed to it, and how far it is. */
export function RunStep() {
  const { state, file, ask, goTo } = useApp()
  const { job, isOn } = useJob('run')
  const { practice } = state.service
  const isPaused = job?.summary?.finished === false
  const stop = async () => {
    await ask('stop', {})
    goTo('after')
  }
  const isAgreed = practice || Boolean(file.approval?.agreed)
  const obstacle = useOpenQuestions() ?? (isAgreed ? undefined : text('not_agreed'))
  return (
    <>
      <Forecast />
      {!practice && !isOn && <Approval />}
      <Job kind="run" start={text(isPaused ? 'go_on' : 'run_start')} stop={text('pause')} obstacle={obstacle}>
        <Button onClick={stop}>{text('stop_for_good')}</Button>
      </Job>
      <p class="hint">{text('run_hint')}</p>
      {job && !isOn && <Button onClick={() => goTo('after')}>{text('to_after')}</Button>}
    </>
  )
}

/** What the run will do: records that go, rows that stay, columns that are not imported. */
function Forecast() {
  const { state, file } = useApp()
  const where = useDestination()
  const { all, refused, good, records } = useChecked([state.job?.status])
  const [view] = useAnswer('columns', { file: file.source }, [file.mapping?.version])
  const unused = view?.columns.filter(({ fields }) => fields.length === 0).length ?? 0
  const sentences = [
    text(good === 1 ? 'goes_to_one' : 'goes_to_many', { records, where }),
    ...(refused > 0 ? [counted('stays_one', 'stays_many', refused)] : []),
    ...(unused > 0 ? [counted('unused_one', 'unused_many', unused)] : []),
  ]
  return <p class="verdict">{all === 0 ? text('check_first') : sentences.join(' ')}</p>
}

/** The check wrote what may be done; a second person agrees, here or by the command line. */
function Approval() {
  const { state, file, ask } = useApp()
  const { approval, source, mapping } = file
  const { baseUrl, organizationId } = state.service
  if (approval === null) return <p>{text('approval_none')}</p>
  const { by, at, agreed } = approval
  const name = mapping?.name.replace(/yaml$/, 'approval.json')
  const service = `--base-url ${baseUrl} --organization-id ${organizationId}`
  return (
    <section class="card" aria-labelledby="approval">
      <h2 id="approval">{text('approval')}</h2>
      <p role="status">
        {text('checked_by', { by, at: time(at) })} {agreed && text('agreed_by', { by: agreed })}
      </p>
      {!agreed && (
        <Form onSend={field => ask('approve', { file: source, by: field('by') })}>
          <Field name="by" label={text('second_name')} />
          <Button type="submit">{text('agree')}</Button>
          <p>{text('agree_elsewhere')}</p>
          <pre>{`rowlift import ${source} --mapping ${mapping?.name} ${service} --approval ${name}`}</pre>
        </Form>
      )}
    </section>
  )
}
