import { useApp, useView } from '../app.ts'
import { Job, useJob } from '../job.tsx'
import { Button, Card, Field, Form, Verdict } from '../parts.tsx'
import { useChecked } from '../rows.tsx'
import { useDestination } from '../service-bar.tsx'
import { ifAny, text, time } from '../texts.ts'

/** The import itself: what it will do, who agreed to it, and how far it is. */
export function RunStep() {
  const { practice } = useApp().state.service
  const { isOn } = useJob('run')
  return (
    <>
      <Forecast />
      {!practice && !isOn && <Approval />}
      <Job kind="run" />
      <small>{text('run_hint')}</small>
    </>
  )
}

/** What the run will do: records that go, rows that stay, columns that are not imported. */
function Forecast() {
  const where = useDestination()
  const { all, counts, records, isOld } = useChecked()
  const [view] = useView('columns', {})
  const unused = view?.columns.filter(({ by }) => by === 'undecided' || by === 'not_imported').length ?? 0
  if (all === 0 || isOld) return <Verdict sentences={[text(isOld ? 'check_old' : 'check_first')]} />
  const goes = text(counts.sent === 1 ? 'goes_to_one' : 'goes_to_many', { records, where })
  return <Verdict sentences={[goes, ifAny('stays', counts.refused), ifAny('unused', unused)]} />
}

/** The check wrote what may be done; a second person agrees, here or by the command line. */
function Approval() {
  const { state, file, ask } = useApp()
  const { approval, name: source, mapping } = file
  const { baseUrl, organizationId } = state.service
  if (approval === null) return <p>{text('approval_none')}</p>
  const { by, at, agreed } = approval
  const approved = mapping?.name.replace(/yaml$/, 'approval.json')
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
          <pre>{`rowlift import ${source} --mapping ${mapping?.name} ${service} --approval ${approved}`}</pre>
        </Form>
      )}
    </Card>
  )
}
