import type { AfterView } from '../../api.ts'
import { ask, goTo, say, useApp, useView } from '../app.ts'
import { Button, Card, Field, Form, Loading, RecordCard, Tick, Verdict } from '../parts.tsx'
import { RowList } from '../rows.tsx'
import { counted, ifAny, text } from '../texts.ts'

/** What is left to do once the import ended: rejects, doubts, changes, and every night. */
export function AfterStep() {
  const { file } = useApp()
  const after = useView('after', {})
  if (after === undefined) return <Loading />
  const { report, rejects, doubts, changes, nightly } = after
  const { records = 0, invalid = 0, failed = 0, inDoubt = 0 } = file.log ?? {}
  const ends = [ifAny('have_record', records), ifAny('need_you', invalid + failed + inDoubt)]
  return (
    <>
      <Verdict sentences={ends.some(Boolean) ? ends : [text('nothing_yet')]} />
      {report !== null && (
        <Button label={text('open_report')} class="main" onClick={() => ask('open', { name: report })} />
      )}
      {rejects !== null && (
        <Card title={counted('rejects', rejects.rows)}>
          <p>{text('rejects_intro', { name: rejects.name })}</p>
          <RowList start="refused" />
          <Button label={text('send_corrected')} onClick={() => goTo({ step: 'run' })} />
        </Card>
      )}
      {doubts.length > 0 && (
        <section>
          <h2>{counted('doubts', doubts.length)}</h2>
          <p>{text('doubts_intro')}</p>
          <div class="cards">
            {doubts.map(doubt => (
              <Doubt key={doubt.key} doubt={doubt} />
            ))}
          </div>
        </section>
      )}
      {changes.length > 0 && (
        <section class="print">
          <h2>{text('changes')}</h2>
          <pre>{changes.map(change => text('changed_row', change)).join('\n')}</pre>
          <Button label={text('print')} onClick={() => print()} />
        </section>
      )}
      {nightly && <Nightly nightly={nightly} />}
    </>
  )
}

/** A row of which nobody knows whether its record exists: a person looks, and says so. Its card stays where it is. */
function Doubt({ doubt: { key, row, record } }: { doubt: AfterView['doubts'][number] }) {
  const settle = async (field: (name: string) => string) => {
    const recordId = field('absent') === '' ? field('address') : null
    return (await ask('settle', { key, recordId })) && text('settled', { row })
  }
  return (
    <Card title={`${text('row_number')} ${row}`}>
      <RecordCard record={record} />
      <Form submit={text('settle')} isOnce onSend={settle}>
        <Field name="address" label={text('is_it_there')} note={text('has_id')} />
        <Tick type="checkbox" name="absent" label={text('is_not_there')} />
      </Form>
    </Card>
  )
}

/** Settings and schedules to copy. */
function Nightly({ nightly }: { nightly: NonNullable<AfterView['nightly']> }) {
  const copy = (value: string) => navigator.clipboard.writeText(value).then(() => say(text('copied')))
  return (
    <Card title={text('nightly')}>
      {(['settings', 'cron', 'systemd', 'taskScheduler'] as const).map(part => (
        <details key={part}>
          <summary>{text(`nightly_${part}`)}</summary>
          <Button label={text('copy')} onClick={() => copy(nightly[part])} />
          <pre>{nightly[part]}</pre>
        </details>
      ))}
    </Card>
  )
}
