import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isObject, type JsonObject } from '../../model/values.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { readableMode } from '../../run/output.ts'
import { writeAnew } from '../../run/outputs.ts'
import { CallError } from './server.ts'
import type { FileNames } from './service.ts'

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

async function readJson(path: string): Promise<{ readonly text?: string; readonly content: JsonObject }> {
  try {
    const text = await readFile(path, 'utf8')
    const content: unknown = JSON.parse(text)
    return isObject(content) ? { text, content } : { content: {} }
  } catch {
    return { content: {} }
  }
}

/** Who checked, and who agreed to just that; null if nobody checked. */
export async function approvalState({ approval, agreed }: FileNames) {
  const { text, content } = await readJson(approval)
  if (text === undefined) return null
  const { content: agreement } = await readJson(agreed)
  const isOfThis = agreement.approval_sha256 === sha256Of(text)
  return { by: String(content.by), at: String(content.at), agreed: isOfThis ? String(agreement.by) : null }
}

/** The hash of the mapping that was checked. */
export async function approvedMapping({ approval }: FileNames): Promise<unknown> {
  const { content } = await readJson(approval)
  const [part] = [content.imports].flat().filter(isObject)
  return isObject(part?.mapping) ? part.mapping.sha256 : undefined
}

/** Notes in a file beside the approval who agreed to it. Throws a CallError if there is none. */
export async function agree(
  { approval, agreed }: FileNames,
  by: string,
  { host, clock }: ProcessInfo,
): Promise<void> {
  const { text } = await readJson(approval)
  if (text === undefined) throw new CallError('no_check', 'nothing was checked yet that could be approved')
  if (by.trim() === '') throw new CallError('no_name', 'an approval needs a name')
  const agreement = { by: by.trim(), at: clock.now().toISOString(), host, approval_sha256: sha256Of(text) }
  await writeAnew(agreed, `${JSON.stringify(agreement, null, 2)}\n`, readableMode)
}
