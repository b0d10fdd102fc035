// The rows of a trial, as the log has them: they can be looked at and forgotten after a restart, too.
import { rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ulid } from 'ulid'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import { isThere, streamOf } from '../../store/files/whole-lines.ts'
import { logCommand } from '../log-tools/command.ts'
import { mostTried } from './checked-rows.ts'
import { isJson } from './corrections.ts'
import { linesOf } from './run-command.ts'
import { CallError, type Of } from './server.ts'
import type { WithService } from './service.ts'

/** The records that the last import made, if it had a limit, and they are no more than those of a trial. */
export async function triedRows(log: string) {
  const made = new Map<string, ResultLine>()
  const lines = (await isThere(log)) ? await lastLines(log) : []
  for (const line of lines)
    if (line.status === 'forgotten') made.delete(line.key ?? '')
    else if (line.status === 'created') made.set(line.key ?? '', line)
  const isTrial = lines.some(line => line.run === lines[0]?.run && line.stopped === 'limit')
  if (!isTrial || made.size > mostTried) return []
  return [...made].map(([key, { row = 0, line = 0, record_id: recordId = null }]) => {
    return { key, row, line, status: 'created', recordId }
  })
}

/** A trial and what came after it take less at the end of a log. */
const mostBytes = 1_000_000

/** The lines from the opening of the last import on; none if it wrote more than a trial does. */
async function lastLines(log: string): Promise<ResultLine[]> {
  const { size } = await stat(log)
  const end = await text(streamOf(log, Math.max(0, size - mostBytes)))
  const lines: ResultLine[] = end.split('\n').flatMap(line => (isJson(line) ? JSON.parse(line) : [])) // of the first one it may be a part
  const at = lines.findLastIndex(({ rowlift, command }) => rowlift !== undefined && command === undefined)
  return at < 0 ? [] : lines.slice(at)
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
