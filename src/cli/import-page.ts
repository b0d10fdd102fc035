import { basename } from 'node:path'
import { DryRunAccount } from '../report/account/dry-run-account.ts'
import type { Part } from '../report/page/facts.ts'
import type { ImportSettings } from './import-settings.ts'
import type { Keeper } from './keeper.ts'
import { lastRunOf } from './last-run.ts'
import { logPart } from './log-part.ts'
import { writePage } from './page-file.ts'
import type { ImportEnd } from './run-import.ts'
import type { Surroundings } from './surroundings.ts'

/** What a page shows of one import: gathered while it runs, and told when it is over. */
export interface PartGathering {
  /** Who takes the outcomes meanwhile. */
  readonly keepers: readonly Keeper[]
  /** What the import came to; `next` is what to type next. Throws a UsageError when the result log cannot be read. */
  partOf(end: ImportEnd, next: string | undefined): Promise<Part>
}

/** Gathers the part of one import; `name` is what the page calls it where the log or source is not to name it. */
export function gatherPart(
  sources: readonly string[],
  settings: ImportSettings,
  name?: string,
): PartGathering {
  return settings['dry-run'] ? gatherDryRun(sources, settings, name) : gatherLog(name)
}

const gatherLog = (name: string | undefined): PartGathering => ({
  keepers: [],
  partOf: (end, next) => {
    const { written = '' } = end // a run without a log has no page
    return logPart(written, name ?? basename(written), lastRunOf(end, next))
  },
})

function gatherDryRun(
  sources: readonly string[],
  { mapping = '' }: ImportSettings,
  name = sources[0] ?? '',
): PartGathering {
  const account = new DryRunAccount()
  return {
    keepers: [{ keep: (outcome, row) => void account.take(outcome, row), close: async () => {} }],
    partOf: async (end, next) => account.part({ name, sources, mapping, lastRun: lastRunOf(end, next) }),
  }
}

/** The page of one import, beside whatever else the run writes. */
export interface ImportPage {
  readonly keepers: readonly Keeper[]
  /** Throws a UsageError or LogError. */
  write(end: ImportEnd, next: string | undefined): Promise<void>
}

export function importPage(
  path: string,
  sources: readonly string[],
  settings: ImportSettings,
  { now, version }: Surroundings,
): ImportPage {
  const gathering = gatherPart(sources, settings)
  return {
    keepers: gathering.keepers,
    async write(end, next) {
      const part = await gathering.partOf(end, next)
      await writePage(path, { title: part.name, madeAt: now().toISOString(), version, parts: [part] })
    },
  }
}
