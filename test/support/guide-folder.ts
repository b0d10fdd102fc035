import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ColumnChoice } from '../../src/features/guide/api.ts'
import { openGuide, stateOf } from '../../src/features/guide/guide.ts'
import { sourcesIn } from '../../src/features/guide/sources.ts'
import { importOptions } from '../../src/settings/options.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { tempFolder } from './cleanup.ts'
import { silentContext } from './context.ts'
import { callsOf } from './guide-calls.ts'

/** A guide of a folder with these files, as its page would call it; `edit` passes the version that the mapping has. */
export async function guideOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await tempFolder()
  const write = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content)
  for (const [name, content] of Object.entries(files)) await write(name, content)
  const context = { ...silentContext(), cwd: folder }
  const sources = await sourcesIn(folder)
  const guide = await openGuide(context, await readSettings(importOptions, {}, context), sources)
  const calls = callsOf(guide)
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const versionOf = async (file: string) => (await calls.mapping({ file })).version
  const choose = async (file: string, column: string, choice: ColumnChoice) =>
    calls.column({ file, column, choice, version: await versionOf(file) })
  const columnOf = async (file: string, name: string) =>
    (await calls.columns({ file })).columns.find(column => column.name === name)
  const fileOf = async (file: string) => (await stateOf(guide)).files.find(({ source }) => source === file)
  return {
    ...{ folder, guide, calls, sources, write, read, versionOf, choose, columnOf, fileOf },
    state: () => stateOf(guide),
  }
}
