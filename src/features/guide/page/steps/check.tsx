import { useAnswer, useApp } from '../app.ts'
import { Job, useJob } from '../job.tsx'
import { RowList } from '../row-list.tsx'
import { counted, text } from '../texts.ts'

/** What the last check came to: rows that can go, are refused, or are left out. */
export function useChecked() {
  const { file, state } = useApp()
  const input = { file: file.source, filter: 'refused', from: 0, count: 1 } as const
  const [view] = useAnswer('rows', input, [state.job?.id, state.job?.status, file.corrected?.rows])
  const { all = 0, refused = 0, left_out: leftOut = 0 } = view?.counts ?? {}
  const good = all - refused - leftOut
  const isTask = file.record === 'task'
  const records = counted(isTask ? 'task_one' : 'person_one', isTask ? 'task_many' : 'person_many', good)
  return { all, refused, leftOut, good, records }
}

/** A dry run of all rows: one sentence, and the rows with what is wrong. */
export function CheckStep() {
  const { file } = useApp()
  const { job, isOn } = useJob('check')
  const { all, refused, leftOut, records } = useChecked()
  const { corrected } = file
  return (
    <>
      <p>{text('check_intro')}</p>
      <Job kind="check" start={text('check_start')} stop={text('stop')} />
      {!isOn && all > 0 && (
        <p class="verdict">{text('check_sentence', { records, refused, left_out: leftOut })}</p>
      )}
      {corrected && <p>{text('corrected_file', { name: corrected.name, rows: corrected.rows })}</p>}
      {!isOn && <RowList start="all" needs={[job?.id, job?.status]} />}
    </>
  )
}
