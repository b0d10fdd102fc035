import { type Output, readableMode } from '../../run/output.ts'
import { writeAnew } from '../../run/outputs.ts'

/** Writes the approval of a dry run, unless one of its imports did not come to its end. */
export const approvalOutput = (path: string): Output => ({
  path,
  role: 'approval',
  async write({ imports }) {
    const ended = imports.flatMap(({ end }) => (end?.finished ? (end.details.approval ?? []) : []))
    if (ended.length < imports.length) return
    const approval = { ...ended[0], imports: ended.flatMap(each => each.imports) }
    await writeAnew(path, `${JSON.stringify(approval, null, 2)}\n`, readableMode)
  },
})
