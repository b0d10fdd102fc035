import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isObject, type JsonObject } from '../../model/values.ts'
import { readableMode } from '../../run/output.ts'
import { writeAnew } from '../../run/outputs.ts'
import { CallError, type Of } from './server.ts'
import type { FileNames, WithService } from './service.ts'

/** The content of a file, without any if there is none, with the hash of its text. */
async function readJson(path: string): Promise<JsonObject & { readonly sha256?: string }> {
  try {
    const text = await readFile(path, 'utf8')
    return { ...JSON.parse(text), sha256: createHash('sha256').update(text).digest('hex') }
  } catch {
    return {}
  }
}

/** Who checked, and who agreed to just that, with the hash of the mapping; null if nobody checked. */
export async function approvalState({ approval, agreed }: FileNames) {
  const { sha256, by, at, imports } = await readJson(approval)
  if (sha256 === undefined) return null
  const agreement = await readJson(agreed)
  const [{ mapping } = {}] = [imports].flat().filter(isObject)
  return {
    ...{ by: String(by), at: String(at), mapping: Object(mapping).sha256 as unknown },
    agreed: agreement.approval_sha256 === sha256 ? String(agreement.by) : null,
  }
}

/** Notes in a file beside the approval who agreed to it: a second person, or the same one. Throws a CallError if there is none. */
export async function agree({ file, by }: Of & { readonly by: string }, { service, context }: WithService) {
  const { approval, agreed } = service.namesOf(file)
  const { host, clock } = context
  const { sha256: approval_sha256 } = await readJson(approval)
  if (approval_sha256 === undefined)
    throw new CallError('no_check', 'nothing was checked yet that could be approved')
  const name = String(by).trim()
  if (name === '') throw new CallError('no_name', 'an approval needs a name')
  const agreement = { by: name, at: clock.now().toISOString(), host, approval_sha256 }
  await writeAnew(agreed, `${JSON.stringify(agreement, null, 2)}\n`, readableMode)
  return {}
}
