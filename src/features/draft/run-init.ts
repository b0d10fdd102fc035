import { existsSync, statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { Run } from '../../cli/command.ts'
import { tell } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { draftMapping, draftMigration } from './drafts.ts'
import type { initOptions } from './options.ts'
import { describeColumns, describeDraft, describeDrafts } from './text.ts'

/** `rowlift init`: drafts a mapping for a source, or a plan for several; returns the exit code. Throws a UsageError or SourceError. */
export const runInit: Run<typeof initOptions> = async ({ positionals, values: options }, context) => {
  const { stdin, stdout, stderr } = context
  const sources = positionals.map(named => pathIn(context, named))
  const [source] = sources
  const output = options.output === standardInput ? undefined : options.output
  if (source === undefined) throw new UsageError('one_source_only')
  if (output !== undefined && isFolder(output, sources.length)) {
    if (sources.includes(standardInput)) throw new UsageError('stream_in_migration')
    const files = await draftMigration(sources, output, options)
    await writeNew(files, output)
    for (const { path, explained } of options.explain ? files : [])
      if (explained) tell(stderr, `${path}\n${describeColumns(explained)}`)
    tell(stderr, describeDrafts(files.map(({ path }) => path)))
    return exitCodes.finished
  }
  if (sources.length > 1) throw new UsageError('several_need_folder')
  const draft = await draftMapping(source, options, stdin)
  if (output === undefined) stdout.write(draft.text)
  else await writeNew([{ path: output, text: draft.text }])
  if (options.explain) tell(stderr, describeColumns(draft.explained))
  tell(stderr, describeDraft(source, output, draft.counts))
  return exitCodes.finished
}

/** One that exists or ends in a slash; for several sources, any name but that of a mapping. */
const isFolder = (path: string, sources: number) =>
  statSync(path.replace(/[/\\]+$/, ''), { throwIfNoEntry: false })?.isDirectory() ??
  (/[/\\]$/.test(path) || (sources > 1 && !/\.(ya?ml|json)$/i.test(path)))

/** Writes all files or none, and makes the folder. */
async function writeNew(files: readonly { readonly path: string; readonly text: string }[], folder?: string) {
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path)
  if (there.length > 0) throw new UsageError('output_exists', { path: there.join(', ') })
  const written: string[] = []
  try {
    if (folder !== undefined) await mkdir(folder, { recursive: true })
    for (const { path, text } of files) {
      await writeFile(path, text, { flag: 'wx' })
      written.push(path)
    }
  } catch (error) {
    for (const each of written) await rm(each)
    const { path = '' } = files[written.length] ?? {}
    throw new UsageError('cannot_write_draft', { path, reason: reasonOf(error) })
  }
}
