import { estimatedSeconds } from '../output/estimate.ts'
import { describeUnmet, stoppedWords } from '../output/words.ts'
import { missedLookups, type ResultDetails, type RunResult } from '../result/run-result.ts'
import { exitCodeOf } from './exit-code.ts'
import { type Judged, judge } from './expectations.ts'
import { estimateOf } from './import-steps.ts'
import { documentsIn, readsSources } from './lookups.ts'
import { fileOf, headersOf, type PreparedImport } from './prepare.ts'
import type { WrittenRejects } from './rejects.ts'

/** What is known of an import that has ended, besides its rows. */
export interface EndFacts extends Pick<RunResult, 'run' | 'duration_ms' | 'in_doubt_total' | 'ledger'> {
  /** The rows that expectations are about, which other workers may have settled. */
  readonly judged: Judged
  readonly lastRows: number | undefined
  readonly callMs?: number | undefined
  readonly rejects: WrittenRejects | undefined
  readonly firstKeys?: ResultDetails['firstKeys']
}

/** The result of an import, made once. */
export function endOf(prepared: PreparedImport, ended: EndFacts): RunResult {
  const { options, settings, mapping, sources, stop, tally, approval } = prepared
  const { judged, lastRows, callMs, rejects, firstKeys, ...measured } = ended
  const isDry = options.service === undefined
  if (stop.reason !== undefined) tally.take({ type: 'stopping', reason: stop.reason })
  const columns = mapping.columnFacts(headersOf(sources))
  const { unmet, rejected } = judge(settings, mapping, { tally: judged, columns, lastRows })
  const bad = rejected + judged.ends.in_doubt + (isDry ? 0 : ended.in_doubt_total) + unmet.length
  const near = prepared.comparison?.result()
  const estimate = isDry ? estimateOf(prepared, callMs) : undefined
  const written = fileOf(isDry ? settings.preview : options.results)
  return {
    dry_run: isDry,
    ...tally.fields,
    ...measured,
    exit_code: exitCodeOf(tally, bad, isDry),
    base_url: options.baseUrl,
    organization_id: options.organizationId,
    record: mapping.record,
    delivery: options.mode,
    stopped:
      tally.stopReason && stoppedWords(tally.stopReason, isDry || (written ?? ended.ledger) !== undefined),
    near_duplicates: near?.fields,
    unmet: unmet.map(each => ({ ...each, message: describeUnmet(each) })),
    estimated_seconds: estimate && estimatedSeconds(estimate),
    lookups_without_hits: missedLookups(columns).map(({ name, asked, table, column }) => ({
      ...{ name, asked, table, column },
    })),
    unseen_columns: [...columns.unseen],
    unused_columns: isDry ? [...columns.unused] : undefined,
    missing_key: columns.missingKey.length > 0 ? [...columns.missingKey] : undefined,
    written,
    rejects: rejects?.path,
    rejected_rows: rejects?.rows,
    details: {
      ...{ tally, columns, unmet, estimate, firstKeys, near },
      approval: approval?.contentAt(tally),
      resendsDoubts: options.inDoubt === 'resend',
      documents: readsSources(mapping) ? documentsIn(sources, options.sourceSettings) : [],
    },
  }
}
