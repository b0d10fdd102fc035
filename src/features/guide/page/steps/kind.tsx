import { useApp, useView } from '../app.ts'
import { Button, Card, Loading, RecordCard } from '../parts.tsx'
import { text } from '../texts.ts'

/** Contacts or tasks, each as two rows of the file would look. */
export function KindStep() {
  const { say } = useApp()
  const [view, edit] = useView('kinds', {})
  if (view === undefined) return <Loading />
  const { recognized, chosen, choices } = view
  async function choose(record: (typeof choices)[number]['record']) {
    if (record !== chosen && (await edit('record', { record })))
      say(text('kind_chosen', { kind: text(`records_${record}`) }))
  }
  return (
    <>
      {recognized !== null && <p class="good">{text('recognized', { product: recognized })}</p>}
      <p>{text('kind_help')}</p>
      <div class="cards">
        {choices.map(({ record, samples }) => (
          <Card key={record} title={text(`records_${record}`)}>
            <Button
              label={text(record === chosen ? 'kind_is' : 'kind_choose')}
              aria-pressed={record === chosen}
              onClick={() => choose(record)}
            />
            {record === 'both' && <p>{text('kind_both')}</p>}
            {samples.length === 0 && <p>{text('no_samples')}</p>}
            {samples.map((sample, index) => (
              <RecordCard key={index} record={sample} />
            ))}
          </Card>
        ))}
      </div>
    </>
  )
}
