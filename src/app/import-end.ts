import type { About } from '../report/command-end.ts'
import type { RunFacts } from '../report/summary.ts'
import { contentOf } from './approval/approval.ts'
import { exitCodeOf } from './exit-code.ts'
import { type Judged, judge } from './expectations.ts'
import { estimateOf } from './import-steps.ts'
import { documentsIn, readsSources } from './lookups.ts'
import { fileOf, headersOf, type PreparedImport } from './prepare.ts'

export interface ImportEnd extends RunFacts {
  readonly exitCode: number
  readonly about: About
  readonly resendsDoubts: boolean
  /** Sources that lookups read: rejected rows are imported before them. */
  readonly documents: readonly string[]
}

/** What was found out of an import, besides its rows. */
export interface EndFacts
  extends Pick<ImportEnd, 'durationMs' | 'inDoubt' | 'rejects' | 'firstKeys' | 'ledger'> {
  readonly runId: string
  /** The rows that are judged, which other workers may have settled. */
  readonly judged: Judged
  readonly lastRows: number | undefined
  readonly callMs?: number | undefined
}

export function endOf(
  prepared: PreparedImport,
  { runId, judged, lastRows, callMs, ...measured }: EndFacts,
): ImportEnd {
  const { options, settings, mapping, sources, stop, tally, approval } = prepared
  const dryRun = options.service === undefined
  if (stop.reason !== undefined) tally.take({ type: 'stopping', reason: stop.reason })
  const columns = mapping.columnFacts(headersOf(sources))
  const { unmet, rejected } = judge(settings, mapping, { tally: judged, columns, lastRows })
  const bad = rejected + judged.ends.in_doubt + (dryRun ? 0 : measured.inDoubt) + unmet.length
  return {
    about: {
      run: runId,
      baseUrl: options.baseUrl,
      organizationId: options.organizationId,
      record: mapping.record,
      delivery: options.mode,
    },
    dryRun,
    tally,
    approval: approval && contentOf(approval, tally),
    near: prepared.comparison?.facts(),
    estimate: dryRun ? estimateOf(prepared, callMs) : undefined,
    unmet,
    columns,
    hasRules: settings.responses.length > 0,
    written: fileOf(dryRun ? settings.preview : options.results),
    ...measured,
    resendsDoubts: options.inDoubt === 'resend',
    documents: readsSources(mapping) ? documentsIn(sources, options.sourceSettings) : [],
    exitCode: exitCodeOf(tally, bad, dryRun),
  }
}
