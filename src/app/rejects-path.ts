import { stat } from 'node:fs/promises'
import type { CheckedSource } from '../input/open.ts'
import { isGzip, standardInput } from '../input/source.ts'
import { trueName } from '../journal/true-name.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { reasonColumn } from '../model/own-columns.ts'
import { usageErrors } from '../model/usage-errors.ts'

/** The file that `--rejects` names. Throws a UsageError where nothing can be written there that is read back. */
export async function rejectsPath(named: string | undefined): Promise<string | undefined> {
  if (named === undefined) return undefined
  if (named === standardInput) throw usageErrors.rejectsToStdout()
  if (isGzip(named)) throw usageErrors.rejectsPacked(named)
  const path = await trueName(named)
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) throw usageErrors.rejectsNoFile(path)
  return path
}

/** Checks that no row is taken out of a tree that is made of the order of rows. Throws a UsageError. */
export function checkTree(
  { indents, file }: Mapping,
  rejects: string | undefined,
  sources: readonly CheckedSource[],
): void {
  const isRead = sources.some(({ columns }) => columns?.includes(reasonColumn))
  if (indents.length > 0 && (isRead || rejects !== undefined)) throw usageErrors.rejectsInTree(file)
}
