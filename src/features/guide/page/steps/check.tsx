import { useApp } from '../app.ts'
import { useChecked } from '../checked.ts'
import { Job, useJob } from '../job.tsx'
import { RowList } from '../row-list.tsx'
import { counted, text } from '../texts.ts'

/** A dry run of all rows: one sentence, and the rows with what is wrong. */
export function CheckStep() {
  const { corrected } = useApp().file
  const { isOn } = useJob('check')
  const checked = useChecked()
  const { all, records, counts, isOld } = checked
  const { refused = 0, left_out: leftOut = 0 } = counts
  const sentences = [
    text('check_sentence', { records }),
    ...(refused > 0 ? [counted('refused', refused)] : []),
    ...(leftOut > 0 ? [counted('left_out', leftOut)] : []),
    ...(corrected ? [text('corrected_file', { name: corrected.name, rows: corrected.rows })] : []),
  ]
  return (
    <>
      <p>{text('check_intro')}</p>
      <Job kind="check" start={text('check_start')} />
      {!isOn && isOld && <p class="notice">{text('check_old')}</p>}
      {!isOn && all > 0 && <p class="verdict">{sentences.join(' ')}</p>}
      {!isOn && <RowList start="all" checked={checked} />}
    </>
  )
}
