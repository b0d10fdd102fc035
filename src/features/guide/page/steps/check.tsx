import { useState } from 'preact/hooks'
import { useAnswer, useApp } from '../app.ts'
import { Job, useJob } from '../job.tsx'
import { RowList } from '../row-list.tsx'
import { counted, text } from '../texts.ts'

/** What the last check came to: how many rows can go, are refused, or are left out. */
export function useChecked(needs: readonly unknown[]) {
  const { file } = useApp()
  const input = { file: file.source, of: 'check', filter: 'refused', from: 0, count: 1 } as const
  const [view] = useAnswer('rows', input, needs)
  const { all = 0, refused = 0, left_out: leftOut = 0, sent: good = 0 } = view?.counts ?? {}
  const [one, many] =
    file.record === 'task' ? (['task_one', 'task_many'] as const) : (['person_one', 'person_many'] as const)
  return { all, refused, leftOut, good, records: counted(one, many, good) }
}

/** A dry run of all rows: one sentence, and the rows with what is wrong. */
export function CheckStep() {
  const { corrected } = useApp().file
  const { job, isOn } = useJob('check')
  const [corrections, setCorrections] = useState(0)
  const needs = [job?.id, job?.status]
  const { all, refused, leftOut, records } = useChecked([...needs, corrections])
  const sentences = [
    text('check_sentence', { records }),
    ...(refused > 0 ? [counted('refused_one', 'refused_many', refused)] : []),
    ...(leftOut > 0 ? [counted('left_out_one', 'left_out_many', leftOut)] : []),
    ...(corrected ? [text('corrected_file', { name: corrected.name, rows: corrected.rows })] : []),
  ]
  return (
    <>
      <p>{text('check_intro')}</p>
      <Job kind="check" start={text('check_start')} stop={text('stop')} />
      {!isOn && all > 0 && <p class="verdict">{sentences.join(' ')}</p>}
      {!isOn && <RowList start="all" needs={needs} onClose={() => setCorrections(corrections + 1)} />}
    </>
  )
}
