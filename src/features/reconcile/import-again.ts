import { standardInput } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { bodyIn, type Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { ImportPorts, Ports } from '../../run/ports.ts'
import { prepare } from '../../run/prepare.ts'
import type { PreparedImport, StepLookups } from '../../run/prepared-import.ts'
import { run } from '../../run/run.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings } from '../../settings/settings.ts'
import type { Opening } from '../../store/files/lines.ts'
import { type Log, logName } from '../../store/files/whole-lines.ts'

/** Prepares an import once more, as a dry run after this log. Throws a UsageError, SourceError or LogError. */
export async function prepareAgain(
  { sources, mapping, results: log }: Pick<Opening, 'sources' | 'mapping'> & { readonly results: Log },
  ports: ImportPorts,
  steps?: StepLookups,
): Promise<PreparedImport> {
  const results = typeof log === 'string' ? log : standardInput
  const options = { mapping: pathIn(ports, mapping), results, dryRun: true }
  const values = Object.entries(options).map(([name, value]) => [name, { value, from: results }] as const)
  const settings = parseSettings(importOptions, new Map(values))
  const job = { sources: sources.map(source => pathIn(ports, source)), settings }
  const prepared = await prepare(job, { ...ports, streams: undefined }, steps)
  if (typeof log === 'string') return prepared
  return { ...prepared, store: { withLog: (_place, _info, read) => read(log) } }
}

/** Reads the sources of the last run again, as a dry run. Throws a UsageError if they or the mapping are not what they were. */
export async function importAgain(
  log: Log,
  { mapping, mapping_sha256, sources }: Opening,
  ports: Ports,
  take: (outcome: Outcome, bodyOf: () => unknown) => void,
): Promise<void> {
  const moved = (path: string) => new UsageError('import_moved', { log: logName(log), path })
  if (sources.includes(standardInput)) throw moved('standard input')
  const assumed: string[] = []
  const emit = (event: RunEvent) => void (event.type === 'lookup_assumed' && assumed.push(event.path))
  const prepared = await prepareAgain({ sources, mapping, results: log }, { ...ports, emit }).catch(error => {
    const isGone = /^((file|source)_unreadable|log_mismatch)$/.test(error.code)
    throw isGone ? moved(error.params.path ?? error.params.source ?? mapping) : error
  })
  if (prepared.mapping.sha256 !== mapping_sha256) throw moved(mapping)
  for (const path of assumed) throw moved(path)
  const bodyOf = (row: Row) => bodyIn(prepared.mapping.map(row, true))
  const keep = (outcome: Outcome, row: Row) => void take(outcome, () => bodyOf(row))
  await run(prepared, { sinks: [{ keep, close: async () => {} }] })
  if (prepared.stop.reason !== undefined) throw moved(sources.join(', '))
}
