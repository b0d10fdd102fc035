import { useAnswer, useApp, useFresh } from '../app.ts'
import { Button, Loading, RecordCard } from '../parts.tsx'
import { text } from '../texts.ts'

/** Contacts or tasks, each as two rows of the file would look. */
export function KindStep() {
  const { ask, file, say } = useApp()
  const of = { file: file.source }
  const [view, reload] = useAnswer('kinds', of, useFresh())
  if (view === undefined) return <Loading />
  const { recognized, chosen, choices } = view
  async function choose(record: (typeof choices)[number]['record']) {
    if (record === chosen || (await ask('record', { ...of, record })) === undefined) return
    say(text('kind_chosen', { kind: text(record) }))
    await reload()
  }
  return (
    <>
      {recognized !== null && <p class="good">{text('recognized', { product: recognized })}</p>}
      <p>{text('kind_help')}</p>
      <div class="cards">
        {choices.map(({ record, samples }) => (
          <section class="card" key={record} aria-label={text(record)}>
            <h2>{text(record)}</h2>
            <Button aria-pressed={record === chosen} onClick={() => choose(record)}>
              {text(record === chosen ? 'kind_is' : 'kind_choose', { kind: text(record) })}
            </Button>
            {samples.length === 0 && <p>{text('no_samples')}</p>}
            {samples.map((sample, index) => (
              <RecordCard key={index} record={sample} />
            ))}
          </section>
        ))}
      </div>
    </>
  )
}
