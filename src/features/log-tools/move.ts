import type { CliContext } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { counted } from '../../output/text.ts'
import { addressOf, checkBaseUrl, isOnLoopback } from '../../run/service.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { tellOf, workOn } from './command-run.ts'
import type { LogOptions } from './options.ts'

/** Notes in a log that its service has another address, with all its records. Throws a UsageError, LockError or LogError. */
export async function moveLog(path: string, options: LogOptions, context: CliContext): Promise<void> {
  const now = checkBaseUrl(options.movedTo ?? '', true, 'moved-to')
  const tell = tellOf(path, context)
  await workOn(path, options, context, async write => {
    const checkpoint = await replay(path, {})
    const { opening, settled: records, inDoubt } = checkpoint
    if (opening === undefined) throw new UsageError('log_not_begun', { path })
    const before = opening.base_url
    if (addressOf(before) === addressOf(now)) return tell(`belongs to ${before} already`)
    if (isOnLoopback(before) && !isOnLoopback(now))
      throw new UsageError('moved_from_sandbox', { log: path, before, now, records })
    if (write === undefined)
      throw new UsageError('move_unconfirmed', { log: path, before, now, records, inDoubt })
    await write(checkpoint, { command: 'move', base_url: now })
    const held = `${counted(records, 'record')} and ${counted(inDoubt, 'row')} in doubt`
    tell(`moved from ${before} to ${now}, with ${held}`)
  })
}
