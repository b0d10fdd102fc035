import { useApp, useView } from '../app.ts'
import { useChecked } from '../checked.ts'
import { Job, useJob, useOpenQuestions } from '../job.tsx'
import { Button, Card, Field, Form } from '../parts.tsx'
import { useDestination } from '../service-bar.tsx'
import { counted, text, time } from '../texts.ts'

/** The import itself: what it will do, who agreed to it, and how far it is. */
export function RunStep() {
  const { state, file } = useApp()
  const { job, isOn } = useJob('run')
  const { practice } = state.service
  const isPaused = job?.summary?.finished === false
  const isAgreed = practice || Boolean(file.approval?.agreed)
  const obstacle = useOpenQuestions() ?? (isAgreed ? undefined : text('not_agreed'))
  return (
    <>
      <Forecast />
      {!practice && !isOn && <Approval />}
      <Job
        kind="run"
        start={text(isPaused ? 'go_on' : 'run_start')}
        stop={text('pause')}
        obstacle={obstacle}
      />
      <p class="hint">{text('run_hint')}</p>
    </>
  )
}

/** What the run will do: records that go, rows that stay, columns that are not imported. */
function Forecast() {
  const where = useDestination()
  const { all, counts, records, isOld } = useChecked()
  const [view] = useView('columns', {})
  const unused = view?.columns.filter(({ by }) => by === 'undecided' || by === 'not_imported').length ?? 0
  const { sent = 0, refused = 0 } = counts
  const sentences = [
    text(sent === 1 ? 'goes_to_one' : 'goes_to_many', { records, where }),
    ...(refused > 0 ? [counted('stays', refused)] : []),
    ...(unused > 0 ? [counted('unused', unused)] : []),
  ]
  const isChecked = all > 0 && !isOld
  return <p class="verdict">{isChecked ? sentences.join(' ') : text(isOld ? 'check_old' : 'check_first')}</p>
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
    <Card title={text('approval')}>
      <p role="status">
        {text('checked_by', { by, at: time(at) })} {agreed && text('agreed_by', { by: agreed })}
      </p>
      {!agreed && (
        <Form onSend={field => ask('approve', { by: field('by') })}>
          <Field name="by" label={text('second_name')} />
          <Button label={text('agree')} type="submit" />
          <p>{text('agree_elsewhere')}</p>
          <pre>{`rowlift import ${source} --mapping ${mapping?.name} ${service} --approval ${name}`}</pre>
        </Form>
      )}
    </Card>
  )
}
