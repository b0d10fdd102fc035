import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { trueName } from '../../journal/true-name.ts'

/** What all names of one result log have in common, through whatever links, whether it is there yet or not. */
export async function placeOfLog(path: string): Promise<string> {
  const file = resolve(await trueName(path))
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  return join(folder, basename(file))
}
