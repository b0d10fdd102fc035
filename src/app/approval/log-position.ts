import { createHash } from 'node:crypto'
import { replay } from '../../journal/checkpoint.ts'
import { endsCall } from '../../journal/lines.ts'

/** How far a log is by its whole lines, as a kill may tear the last one; calls that are under way are not in it yet. */
export type LogPosition = Partial<Record<'bytes' | 'under_way', number> & { sha256: string }>

/** What was approved, if the log is that and only runs with this approval came behind; else where it is; and their calls. Throws a UsageError. */
export async function positionOf(
  log: string,
  approved: LogPosition,
  approval?: string,
): Promise<{ position: LogPosition; calls: number }> {
  const { bytes: upTo = Infinity } = approved
  const hash = createHash('sha256')
  const sha256 = () => hash.copy().digest('hex')
  let [bytes, underWay, calls] = [0, 0, 0]
  let [isReached, isGoingOn, hasStrays] = [upTo === 0, false, false]
  const { orphans } = await replay(log, {}, ({ line, bytes: text }) => {
    if (bytes >= upTo) {
      if (line.rowlift !== undefined && line.approval === approval) isGoingOn = true
      else if (!isGoingOn && line.status === 'in_doubt') underWay += 1
      else hasStrays ||= !isGoingOn || line.rowlift !== undefined // between its runs a person may settle doubts
    }
    if (isGoingOn && endsCall(line) && !line.by_hand) calls += 1
    hash.update(text).update('\n')
    bytes += text.length + 1
    if (bytes === upTo) isReached = sha256() === approved.sha256
  })
  const now = { bytes, sha256: sha256(), under_way: underWay + orphans.length }
  const isSame = isReached && !hasStrays && (isGoingOn || now.under_way === approved.under_way)
  return { position: isSame ? approved : now, calls: isGoingOn ? calls + orphans.length : 0 }
}
