import { basename } from 'node:path'
import { inFlightPath } from '../journal/in-flight-lines.ts'
import { readLastWords } from '../journal/last-words.ts'
import type { Watching } from '../journal/lock.ts'
import { isThere } from '../journal/log-lines.ts'
import { UsageError } from '../model/errors.ts'
import type { CommandEnd, ImportPart } from '../report/command-end.ts'
import type { NextStep } from '../report/command-line.ts'
import { DryRunStats } from '../report/log-stats/dry-run-stats.ts'
import { LogStats } from '../report/log-stats/log-stats.ts'
import type { LastRun, LogPart, Part } from '../report/page/facts.ts'
import { describeStop } from '../report/words.ts'
import type { OutcomeSink } from './outcome-sink.ts'
import { writePage } from './page-file.ts'
import { type ProcessInfo, watchingOf } from './ports.ts'
import type { ImportSettings } from './settings.ts'

/** The page of a command: of one import, or of all steps of a plan that began. */
export interface CommandPage {
  /** Who takes the outcomes of an import meanwhile; it has the name that it has in the end of the command. */
  sinksOf(gather: GatherOf): readonly OutcomeSink[]
  /** Writes the page, and says whether there is one: not where no import began. Throws a UsageError or LogError. */
  write(path: string, end: CommandEnd, title: string | undefined): Promise<boolean>
}

export function commandPage(context: ProcessInfo): CommandPage {
  const gatherings = new Map<string | undefined, PartGathering>()
  return {
    sinksOf(gather) {
      const gathering = gatherPart(gather, context)
      gatherings.set(gather.name, gathering)
      return gathering.sinks
    },
    async write(path, { imports, endedAt, version, next }, title) {
      const begun = imports.flatMap(({ name, end }) => {
        const gathering = gatherings.get(name)
        return gathering !== undefined && end !== undefined ? [{ gathering, end }] : []
      })
      const parts: Part[] = []
      for (const each of begun) {
        const { gathering, end } = each
        parts.push(await gathering.partOf(end, each === begun.at(-1) ? next : [])) // it is said once, at the last
      }
      const [first] = parts
      if (first === undefined) return false
      await writePage(path, { title: title ?? first.name, createdAt: endedAt.toISOString(), version, parts })
      return true
    },
  }
}

/** What a page shows of one import: gathered while it runs, and told when it is over. */
export interface PartGathering {
  /** Who takes the outcomes meanwhile. */
  readonly sinks: readonly OutcomeSink[]
  /** What the import came to; `next` is what to do next. Throws a UsageError when the result log cannot be read. */
  partOf(end: EndedImport, next: readonly NextStep[]): Promise<Part>
}

/** The import whose part is gathered. */
export interface GatherOf {
  /** What the page calls it where neither the log nor the source is to name it: the step of a plan. */
  readonly name: string | undefined
  readonly sources: readonly string[]
  readonly settings: ImportSettings
}

/** Gathers the part of one import. */
export const gatherPart = (of: GatherOf, context: ProcessInfo): PartGathering =>
  of.settings.dryRun ? gatherDryRun(of) : gatherLog(of, context)

const gatherLog = ({ name, settings }: GatherOf, context: ProcessInfo): PartGathering => ({
  sinks: [],
  partOf: (end, next) => {
    const { written = '' } = end // a run without a log has no page
    const watching = watchingOf(context, settings.lockTimeout)
    return logPart(written, name ?? basename(written), watching, lastRunOf(end, next))
  },
})

function gatherDryRun({ name, sources, settings: { mapping = '' } }: GatherOf): PartGathering {
  const stats = new DryRunStats()
  return {
    sinks: [{ keep: (outcome, row) => void stats.take(outcome, row), close: async () => {} }],
    partOf: async (end, next) =>
      stats.part({ name: name ?? sources[0] ?? '', sources, mapping, lastRun: lastRunOf(end, next) }),
  }
}

/** An import that has come to its end. */
export type EndedImport = NonNullable<ImportPart['end']>

/** What a page tells of a run that only the run itself knows. */
export function lastRunOf({ tally, durationMs, columns }: EndedImport, next: readonly NextStep[]): LastRun {
  const { stopReason, ends, leftOut, changed } = tally
  return {
    durationMs,
    stopped: stopReason && describeStop(stopReason),
    next,
    rows: { ...ends, left_out: leftOut },
    changed,
    columns,
  }
}

/**
 * What a page shows of a result log, which is read as a stream and left as it is; `lastRun` is what its last run alone
 * knew, and `watching` tells whether a run writes it meanwhile. Throws a UsageError.
 */
export async function logPart(
  path: string,
  name: string,
  watching: Watching,
  lastRun?: LastRun,
): Promise<LogPart> {
  if (!(await isThere(path)))
    throw (await isThere(inFlightPath(path)))
      ? new UsageError('log_gone', { path, inFlight: inFlightPath(path) })
      : new UsageError('no_log', { path })
  const { past, merged, each } = await readLastWords(path, watching)
  const stats = new LogStats(merged)
  for await (const lines of each()) for (const line of lines) stats.take(line)
  return stats.part({ name, log: path, recovered: past.mended, lastRun })
}
