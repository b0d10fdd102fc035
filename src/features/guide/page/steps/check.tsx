import { useApp } from '../app.ts'
import { Job, useJob } from '../job.tsx'
import { Verdict } from '../parts.tsx'
import { RowList, useChecked } from '../rows.tsx'
import { ifAny, text } from '../texts.ts'

/** A dry run of all rows: one sentence, and the rows with what is wrong. */
export function CheckStep() {
  const { corrected } = useApp().file
  const { isOn } = useJob('check')
  const { all, records, counts, isOld } = useChecked()
  const sentences = [
    text('check_sentence', { records }),
    ifAny('refused', counts.refused),
    ifAny('left_out', counts.left_out),
    corrected ? text('corrected_file', { name: corrected.name, rows: corrected.rows }) : undefined,
  ]
  return (
    <>
      <p>{text('check_intro')}</p>
      <Job kind="check" />
      {!isOn && isOld && <p class="notice">{text('check_old')}</p>}
      {!isOn && all > 0 && <Verdict sentences={sentences} />}
      {!isOn && <RowList start="all" />}
    </>
  )
}
