import { readFile, writeFile } from 'node:fs/promises'
import { dryRunArgs, rowlift } from './rowlift.ts'
import type { Workspace } from './workspace.ts'

/** The bodies that an import sends, as JSON each, and a file that has one a line. */
export interface Bodies {
  readonly file: string
  readonly texts: readonly string[]
}

/** Takes those of so many contacts from the preview of a dry run: so they are the very same. */
export async function bodiesOf(rows: number, workspace: Workspace): Promise<Bodies> {
  const preview = workspace.path('preview.ndjson')
  await rowlift(dryRunArgs(await workspace.contacts(rows), '--preview', preview))
  const fates = (await readFile(preview, 'utf8')).trimEnd().split('\n')
  const texts = fates.map(fate => JSON.stringify(JSON.parse(fate).body))
  const file = workspace.path(`bodies-${rows}.ndjson`)
  await writeFile(file, `${texts.join('\n')}\n`)
  return { file, texts }
}
