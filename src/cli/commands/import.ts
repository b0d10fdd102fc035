import { describeImport, protectedFiles } from '../../app/file-conflicts.ts'
import { importOptions } from '../../app/options.ts'

import { pathIn } from '../../app/ports.ts'
import { prepare } from '../../app/prepare.ts'
import { run } from '../../app/run.ts'
import { mergeSettings, parseSettings } from '../../app/settings.ts'
import type { RunEvent } from '../../model/events.ts'
import { nextSentence } from '../../report/command-line.ts'
import { summaryWords } from '../../report/summary.ts'
import { stopping } from '../../report/words/run-words.ts'
import type { ParsedArgs } from '../args.ts'
import { type CliContext, portsOf } from '../context.ts'
import { nextSteps } from '../next-step.ts'
import { logEvent } from '../reporter.ts'
import { runReported } from '../run-reported.ts'
import { readSettings } from '../settings-sources.ts'
import { stopOnInterrupts } from '../signals.ts'

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
  const ports = portsOf(context)
  const layers = await readSettings(importOptions, flags, context)
  const given = mergeSettings(layers.outside, layers.inFile)
  if (given.has('plan')) return (await import('./plan.ts')).planCommand({ sources, layers, context, args })
  const settings = parseSettings(importOptions, given)
  const asked = await describeImport(sources, settings, ports)
  let unwatch = () => {}
  return runReported({
    settings,
    given,
    context,
    unbegun: async () => [{ name: undefined, asked, end: undefined }],
    async work({ logger, begin }, files, page) {
      await files.check(protectedFiles(asked, settings))
      const emit = (event: RunEvent) => logEvent(logger, event)
      const prepared = await prepare({ sources, settings }, { ...ports, emit })
      await files.check(prepared.lookupFiles.map(path => ({ path, role: 'lookup' })))
      const { stop, tally, totalBytes } = prepared
      const end = await run(prepared, {
        sinks: page?.sinksOf({ name: undefined, sources, settings }) ?? [],
        onStart() {
          unwatch = stopOnInterrupts(stop, context)
          stop.signal.addEventListener('abort', () => {
            if (stop.reason?.code === 'signal') logger.warn(stopping(stop.reason.params.signal))
          })
          return begin({ tally, totalBytes, clock: context.clock })
        },
      })
      const next = nextSteps(args, end)
      const isRead = end.tally.stopReason?.code !== 'reader_gone'
      return {
        exitCode: end.exitCode,
        imports: [{ name: undefined, asked, end }],
        next,
        words: isRead ? summaryWords({ ...end, next: nextSentence(next) }) : undefined,
      }
    },
  }).finally(() => unwatch())
}
