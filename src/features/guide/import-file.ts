import type { CliContext } from '../../cli/context.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { replacedName } from '../../model/content-key.ts'
import type { OutcomeSink } from '../../run/prepared-import.ts'
import { Corrections } from './corrections.ts'
import type { FileNames } from './file-names.ts'
import { type ImportOrder, runOrder } from './import-job.ts'
import type { Job } from './job-state.ts'
import type { Service } from './service.ts'

const mostNotices = 50

interface About {
  readonly names: FileNames
  readonly service: Service
  /** Shortens a text for the page. */
  readonly short: (text: string) => string
}

/** Runs an import of a file, with its corrections, as the work of a job. Throws what the command throws. */
export async function importFile(
  job: Job,
  own: Readonly<Record<string, unknown>>,
  parts: Partial<ImportOrder>,
  { names, service, short }: About,
  context: CliContext,
) {
  const corrected = new Set(await new Corrections(names.corrected).names())
  const mapping = await loadMapping(names.mapping, names.mapping)
  const rejects = mapping.indents.length > 0 ? undefined : names.rejects // a tree by indentation has none
  const paths = { mapping: names.mapping, results: names.log, rejects }
  const counting: OutcomeSink = {
    keep({ status, identity }, { source }) {
      if (status === 'invalid' && source === names.source && corrected.has(replacedName(identity)))
        job.superseded += 1
      return undefined
    },
    close: async () => {},
  }
  const { sinks = [], ...others } = parts
  const ended = await runOrder(
    {
      sources: [names.source, ...(corrected.size > 0 ? [names.corrected] : [])],
      settings: await service.settings({ ...paths, ...own }),
      token: service.token,
      stop: job.stop,
      corrected,
      tell(notice) {
        if (job.notices.length < mostNotices) job.notices.push(short(notice))
      },
      complete: prepared => prepared,
      onStart(prepared) {
        job.prepared = prepared
        job.startedMs = context.clock.elapsedMs()
      },
      ...{ ...others, sinks: [...sinks, counting] },
    },
    context,
  )
  job.summary = ended.summary
  return ended
}
