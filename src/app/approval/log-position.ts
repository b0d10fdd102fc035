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
  let [isReached, hasStrays] = [upTo === 0, false]
  const runs = new Set<string>() // with this approval
  const { orphans } = await replay(log, {}, ({ line, bytes: text }) => {
    if (bytes >= upTo) {
      if (line.rowlift !== undefined && line.approval === approval) runs.add(line.run)
      else if (runs.size === 0 && line.status === 'in_doubt') underWay += 1
      else hasStrays ||= runs.size === 0 || line.rowlift !== undefined // between its runs a person may settle doubts
    }
    if (runs.has(line.run) && endsCall(line)) calls += 1
    hash.update(text).update('\n')
    bytes += text.length + 1
    if (bytes === upTo) isReached = sha256() === approved.sha256
  })
  const now = { bytes, sha256: sha256(), under_way: underWay + orphans.length }
  const isSame = isReached && !hasStrays && (runs.size > 0 || now.under_way === approved.under_way)
  const left = orphans.filter(({ run }) => runs.has(run))
  return { position: isSame ? approved : now, calls: calls + left.length }
}
