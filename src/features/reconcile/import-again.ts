import { RowliftError, UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { Ports } from '../../run/ports.ts'
import { prepare } from '../../run/prepare.ts'
import { run } from '../../run/run.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings } from '../../settings/settings.ts'
import type { Opening } from '../../store/files/lines.ts'

/** Reads the sources of the last run again, as a dry run. Throws a UsageError if they or the mapping are not what they were. */
export async function importAgain(
  log: string,
  { mapping, mapping_sha256, sources }: Opening,
  ports: Ports,
  take: (outcome: Outcome, bodyOf: () => unknown) => void,
): Promise<void> {
  const options = { mapping: pathIn(ports, mapping), results: log, dryRun: true }
  const values = Object.entries(options).map(([name, value]) => [name, { value, from: log }] as const)
  const settings = parseSettings(importOptions, new Map(values))
  const job = { sources: sources.map(source => pathIn(ports, source)), settings }
  const moved = (path: string) => new UsageError('import_moved', { log, path })
  const assumed: string[] = []
  const emit = (event: RunEvent) => void (event.type === 'lookup_assumed' && assumed.push(event.path))
  const prepared = await prepare(job, { ...ports, streams: undefined, emit }).catch(error => {
    const isGone = error instanceof RowliftError && /^(file|source)_unreadable$/.test(error.code)
    throw isGone ? moved(error.params.path ?? error.params.source) : error
  })
  if (prepared.mapping.sha256 !== mapping_sha256) throw moved(mapping)
  for (const path of assumed) throw moved(path)
  const keep = (outcome: Outcome, row: Row) => {
    take(outcome, () => {
      const mapped = prepared.mapping.map(row, true)
      return 'body' in mapped ? mapped.body : undefined
    })
    return undefined
  }
  await run(prepared, { sinks: [{ keep, close: async () => {} }] })
  if (prepared.stop.reason !== undefined) throw moved(sources.join(', '))
}
