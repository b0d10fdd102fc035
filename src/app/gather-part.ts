import { basename } from 'node:path'
import { DryRunAccount } from '../report/account/dry-run-account.ts'
import type { Part } from '../report/page/facts.ts'
import type { ImportSettings } from './import-settings.ts'
import { type EndedImport, lastRunOf } from './last-run.ts'
import { logPart } from './log-part.ts'
import type { OutcomeSink } from './outcome-sink.ts'
import { type Ports, watchingOf } from './ports.ts'

/** What a page shows of one import: gathered while it runs, and told when it is over. */
export interface PartGathering {
  /** Who takes the outcomes meanwhile. */
  readonly keepers: readonly OutcomeSink[]
  /** What the import came to; `next` is what to type next. Throws a UsageError when the result log cannot be read. */
  partOf(end: EndedImport, next: string | undefined): Promise<Part>
}

/** The import whose part is gathered. */
export interface GatherOf {
  /** What the page calls it where neither the log nor the source is to name it: the step of a plan. */
  readonly name: string | undefined
  readonly sources: readonly string[]
  readonly settings: ImportSettings
}

/** Gathers the part of one import. */
export const gatherPart = (of: GatherOf, context: Ports): PartGathering =>
  of.settings['dry-run'] ? gatherDryRun(of) : gatherLog(of, context)

const gatherLog = ({ name, settings }: GatherOf, context: Ports): PartGathering => ({
  keepers: [],
  partOf: (end, next) => {
    const { written = '' } = end // a run without a log has no page
    const watching = watchingOf(context, settings['lock-timeout'])
    return logPart(written, name ?? basename(written), watching, lastRunOf(end, next))
  },
})

function gatherDryRun({ name, sources, settings: { mapping = '' } }: GatherOf): PartGathering {
  const account = new DryRunAccount()
  return {
    keepers: [{ keep: (outcome, row) => void account.take(outcome, row), close: async () => {} }],
    partOf: async (end, next) =>
      account.part({ name: name ?? sources[0] ?? '', sources, mapping, lastRun: lastRunOf(end, next) }),
  }
}
