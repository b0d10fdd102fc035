import { checkApproved, withApproval } from '../../app/approval/approval.ts'
import { describeImport, protectedFiles } from '../../app/file-conflicts.ts'
import { importOptions } from '../../app/options.ts'
import { pathIn } from '../../app/ports.ts'
import { prepare } from '../../app/prepare.ts'
import { run } from '../../app/run.ts'
import { mergeSettings, parseSettings } from '../../app/settings.ts'
import { endReport } from '../../report/summary-text.ts'
import { portsOf, type Run } from '../context.ts'
import { nextImportSteps } from '../next-step.ts'
import { logEvent } from '../reporter.ts'
import { runReported, stopOnInterrupts } from '../run-reported.ts'
import { readSettings } from '../settings-sources.ts'

/** Returns the exit code. Throws when the run could not start; summary, metrics and page are written all the same. */
export const importCommand: Run = async ({ positionals, flags }, context, argv) => {
  const sources = positionals.map(path => pathIn(context, path))
  const ports = portsOf(context)
  const layers = await readSettings(importOptions, flags, context)
  const given = mergeSettings(layers.outside, layers.inFile)
  if (parseSettings({ watch: importOptions.watch }, given).watch) {
    const { watchImport } = await import('./watch.ts')
    return watchImport(sources, parseSettings(importOptions, given), given, context)
  }
  if (given.has('plan')) return (await import('./plan.ts')).planCommand({ sources, layers, context, argv })
  const settings = parseSettings(importOptions, given)
  const name = undefined // only steps of a plan have one
  const asked = await describeImport(sources, settings, ports)
  let unwatch = () => {}
  return runReported({
    settings,
    given,
    context,
    unbegun: () => [{ name, asked, end: undefined }],
    async work({ logger, begin }, artifacts, page) {
      await artifacts.check(protectedFiles(asked, settings))
      const checked = await prepare(
        { sources, settings },
        { ...ports, emit: event => logEvent(logger, event) },
      )
      const prepared = await withApproval(checked)
      await checkApproved([prepared])
      await artifacts.check(prepared.lookupFiles.map(path => ({ path, role: 'lookup' })))
      const { stop, tally, totalBytes } = prepared
      const end = await run(prepared, {
        sinks: page?.sinksOf({ name, prepared }) ?? [],
        onStart() {
          unwatch = stopOnInterrupts(stop, context, logger)
          return begin({ tally, totalBytes, clock: context.clock })
        },
      })
      const next = nextImportSteps(argv, end)
      const isRead = tally.stopReason?.code !== 'reader_gone'
      const words = isRead ? endReport({ ...end, next }) : undefined
      return { exitCode: end.exitCode, imports: [{ name, asked, end }], next, words }
    },
  }).finally(() => unwatch())
}
