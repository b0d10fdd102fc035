// The rows of a trial, as the log has them: they can be looked at and forgotten after a restart, too.
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { logCommand } from '../log-tools/command.ts'
import { mostTried } from './checked-rows.ts'
import { linesOf } from './run-command.ts'
import { CallError, type Of } from './server.ts'
import type { WithService } from './service.ts'

/** The records that the last import made, if they are no more than those of a trial. */
export async function triedRows(log: string) {
  const made = new Map<string, ResultLine>()
  for await (const lines of (await isThere(log)) ? readResultLines(log) : [])
    for (const { line } of lines) {
      const { rowlift, command, key = '', status } = line
      if (rowlift !== undefined && command === undefined) made.clear()
      else if (status === 'forgotten') made.delete(key)
      else if (status === 'created' && made.size <= mostTried) made.set(key, line)
    }
  if (made.size > mostTried) return []
  return [...made].map(([key, { row = 0, line = 0, record_id: recordId = null }]) => {
    return { key, row, line, status: 'created', recordId }
  })
}

/** Takes records out of the log after they were deleted in the service. Throws a CallError. */
export async function forget(
  { file, keys }: Of & { readonly keys: readonly string[] },
  { service, context }: WithService,
) {
  const { log } = service.namesOf(file)
  const tried = (await triedRows(log)).map(({ key }) => key)
  if (!keys.every(key => tried.includes(key)))
    throw new CallError('bad_call', 'only rows of the last trial can be forgotten here')
  const list = join(tmpdir(), `rowlift-${ulid()}`)
  await writeFile(list, keys.map(key => `${key}\n`).join(''), { mode: ownerOnly, flag: 'wx' })
  await linesOf(logCommand, [log], { forget: true, keys: list, yes: true }, context).finally(() => rm(list))
  return {}
}
