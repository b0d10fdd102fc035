import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFile } from '../../model/package.ts'

/** The schemas that drafts name. They lie beside the draft, for a path into this installation leads nowhere on another machine. */
export const schemaFiles = { mapping: 'mapping.schema.json', plan: 'plan.schema.json' }

/** Writes schemas into a folder, also over those of an earlier version. A file that is not of rowlift stays. */
export async function writeSchemas(folder: string, kinds: readonly (keyof typeof schemaFiles)[]) {
  for (const name of kinds.map(kind => schemaFiles[kind])) {
    const [path, text] = [join(folder, name), packageFile(`config/${name}`)]
    const existing = await readFile(path, 'utf8').catch(() => undefined)
    if (existing === undefined || titleIn(existing) === titleIn(text)) await writeFile(path, text)
  }
}

const titleIn = (schema: string) => /"title": "(.*)"/.exec(schema)?.[1]
