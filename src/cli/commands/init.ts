import { writeFile } from 'node:fs/promises'
import { initOptions } from '../../app/command-options.ts'
import { draftMapping } from '../../app/draft.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { pathIn } from '../../app/ports.ts'
import { standardInput } from '../../input/source.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { describeColumns, describeDraft } from '../../report/command-output.ts'
import { type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift init`: drafts a mapping for a source; returns the exit code. Throws a UsageError or SourceError. */
export const initCommand: Run = async ({ positionals: sources, flags }, context) => {
  const { stdin, stdout, stderr } = context
  const options = parseFlags(initOptions, flags, context)
  const [named] = sources
  if (named === undefined || sources.length > 1) throw new UsageError('one_source_only')
  const source = pathIn(context, named)
  const draft = await draftMapping(source, options, stdin)
  const output = options.output === standardInput ? undefined : options.output
  if (output === undefined) stdout.write(draft.text)
  else await writeNew(output, draft.text)
  if (options.explain) tell(stderr, describeColumns(draft.explained))
  tell(stderr, describeDraft(source, output, draft.tried))
  return exitCodes.finished
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch(error => {
    throw error.code === 'EEXIST'
      ? new UsageError('output_exists', { path })
      : new UsageError('cannot_write_draft', { path, reason: reasonOf(error) })
  })
}
