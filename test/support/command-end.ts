import type { CommandEnd, ImportPart } from '../../src/result/run-result.ts'
import { newTally, resultOf } from './results.ts'

export function importPart(
  name: string | undefined,
  exitCode: number | undefined,
  results = `/srv/${name}`,
): ImportPart {
  const tally = newTally()
  tally.take({ type: 'row_skipped' })
  return {
    name,
    paths: { sources: ['a.csv'], mapping: 'm.yaml', results },
    end:
      exitCode === undefined
        ? undefined
        : resultOf(tally, { exit_code: exitCode, organization_id: 7, in_doubt_total: 2, written: results }),
  }
}

export const commandEnd = (
  imports: readonly ImportPart[],
  changes: Partial<CommandEnd> = {},
): CommandEnd => ({
  version: '1.2.3',
  startedAt: new Date('2026-11-21T02:00:00Z'),
  endedAt: new Date('2026-11-21T02:00:10Z'),
  dryRun: false,
  exitCode: 0,
  error: undefined,
  imports,
  next: [],
  ...changes,
})
