import { useState } from 'preact/hooks'
import { useApp, useView } from '../app.ts'
import { Job, useJob } from '../job.tsx'
import { Button, Card, RecordCard, Tick } from '../parts.tsx'
import { useDestination } from '../service-bar.tsx'
import { rowTitle, text } from '../texts.ts'

const looks = ['look_names', 'look_phones', 'look_dates', 'look_links', 'look_lost'] as const

/** Sends the five rows that differ most, to be looked at there before all the others. */
export function TryStep() {
  const { job, isOn } = useJob('try')
  return (
    <>
      <p>{text('try_intro', { where: useDestination() })}</p>
      <Job kind="try" />
      {!isOn && <Tried key={job?.id} />}
    </>
  )
}

/** The records to look at; if they are wrong, they are deleted there, and the log forgets them. */
function Tried() {
  const { ask } = useApp()
  const [isForgotten, setForgotten] = useState(false)
  const [view] = useView('rows', { filter: 'all', of: 'try', from: 0, count: 5 }, [])
  const sent = view?.rows.filter(({ recordId }) => recordId !== null) ?? []
  const forget = async () => {
    if (await ask('forget', { keys: sent.map(({ key }) => key) })) setForgotten(true)
  }
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
        <Button label={text('try_forget')} onClick={forget} isOff={isForgotten} />{' '}
        <span role="status">{isForgotten && text('forgot')}</span>
      </details>
    </>
  )
}
