import { stopping } from '../model/errors.ts'
import { summaryWords } from '../report/summary.ts'
import type { ParsedArgs } from './args.ts'
import { askedOf, filesKept } from './asked.ts'
import { type CliContext, pathIn } from './context.ts'
import { endingTold } from './ending.ts'
import { importOptions } from './import-options.ts'
import { fileParts, importSettings } from './import-settings.ts'
import { stopOnInterrupts } from './interrupts.ts'
import { checkGiven, firstOf, layersOf } from './layers.ts'
import { logEvent } from './log-event.ts'
import { nextCommand } from './next-command.ts'
import { runImport } from './run-import.ts'

/**
 * `rowlift import`: gives the exit code. `args` are the words of the whole command line, to say what to type next. Throws a UsageError, SourceError, LockError or LogError when the run could not
 * begin, after the files were written that tell of the end of every run.
 */
export async function importCommand(
  { positionals, flags }: ParsedArgs,
  context: CliContext,
  args: readonly string[],
): Promise<number> {
  const sources = positionals.map(path => pathIn(context, path))
  const layers = await layersOf(importOptions, flags, context, fileParts)
  const given = firstOf(layers.outside, layers.inFile)
  if (given.has('plan'))
    return (await import('./migration/plan-command.ts')).planCommand({ sources, layers, context, args })
  const settings = checkGiven(importSettings, given)
  const asked = await askedOf(sources, settings, context)
  let unwatch = () => {}
  return endingTold({
    settings,
    given,
    context,
    unbegun: async () => [{ name: undefined, asked, end: undefined }],
    async work({ logger, begin }, files, page) {
      await files.check(filesKept(asked, settings))
      const end = await runImport({
        sources,
        settings,
        context,
        keepers: page?.keepersOf({ name: undefined, sources, settings }) ?? [],
        tell: event => logEvent(logger, event),
        checkLookups: paths => files.check(paths.map(path => ({ path, role: 'lookup' }))),
        opened({ stop, totalBytes }, tally) {
          unwatch = stopOnInterrupts(stop, context)
          stop.signal.addEventListener('abort', () => {
            if (stop.reason?.is === 'signal') logger.warn(stopping(stop.reason.signal))
          })
          return begin({ tally, totalBytes, clock: context.clock })
        },
      })
      const next = nextCommand(args, end)
      const isRead = end.tally.stopReason?.is !== 'reader_gone'
      return {
        exitCode: end.exitCode,
        imports: [{ name: undefined, asked, end }],
        next,
        words: isRead ? summaryWords({ ...end, next }) : undefined,
      }
    },
  }).finally(() => unwatch())
}
