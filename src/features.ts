// The registry of features: each is loaded if a command, an option, a file format or a mapping key asks for it.
import { featureReaders } from './input/reader.ts'
import { unpackers } from './input/source.ts'
import { featureOutputs } from './run/output.ts'
import type { PreparedImport, SharedStore, StepLookups, StorePlace } from './run/prepared-import.ts'
import { featureTables } from './run/prepared-import.ts'

Object.assign(featureReaders, {
  json: async () => (await import('./features/json-documents/json-list.ts')).jsonReader,
  xlsx: async () => (await import('./features/sheets/sheet-reader.ts')).sheetReader,
  vcard: async () => (await import('./features/cards/vcard.ts')).cardReader,
  icalendar: async () => (await import('./features/calendar/icalendar.ts')).calendarReader,
} satisfies typeof featureReaders)
Object.assign(unpackers, {
  zip: () => import('./features/archives/zip.ts'),
  zst: () => import('./features/archives/zstd.ts'),
} satisfies typeof unpackers)

Object.assign(featureOutputs, {
  metrics: async path => (await import('./features/metrics/metrics.ts')).metricsOutput(path),
  approval: async path => (await import('./features/approval/approval-output.ts')).approvalOutput(path),
  worksheets: async (...at) => (await import('./features/worksheets/output.ts')).worksheetsOutput(...at),
} satisfies typeof featureOutputs)
featureTables.filledIn = async open => (await import('./features/worksheets/table.ts')).openingFilledIn(open)

/** The store that takes the place of a result log, if the settings name one. */
export const storeOf = async ({ ledger }: StorePlace): Promise<SharedStore | undefined> =>
  ledger === undefined ? undefined : (await import('./features/ledger/worker/worker.ts')).ledgerStore

/** Gives an import its store. Throws a UsageError. */
export async function withStore(prepared: PreparedImport): Promise<PreparedImport> {
  const store = await storeOf(prepared.settings)
  store?.check(prepared)
  return store === undefined
    ? prepared
    : { ...prepared, totalBytes: undefined, store, otherLogs: store.otherLogs(prepared) }
}

/** Adds the features that the settings of an import name. Throws a UsageError. */
export async function withFeatures(prepared: PreparedImport, steps?: StepLookups): Promise<PreparedImport> {
  const { nearDuplicates, dryRun, report, approval, changes, previous } = prepared.settings
  const { existing, id, match, country } = prepared.settings
  let complete = await withStore(prepared)
  if (nearDuplicates === undefined ? dryRun : nearDuplicates !== 'off')
    complete = await (await import('./features/near-duplicates/row-comparison.ts')).withComparison(complete)
  if (complete.ports.streams !== undefined)
    // a program is told nothing
    complete = (await import('./features/sanity-checks/sanity-checks.ts')).withSanityChecks(complete)
  if (dryRun && report !== undefined)
    complete = (await import('./features/profile/profile.ts')).withProfile(complete)
  if ((changes ?? previous ?? report) !== undefined)
    complete = await (await import('./features/changes/changes.ts')).withChanges(complete)
  if ((existing ?? id ?? match ?? country) !== undefined)
    complete = await (await import('./features/reconcile/existing.ts')).withExisting(complete)
  if (approval !== undefined)
    complete = await (await import('./features/approval/approval.ts')).withApproval(complete, approval, steps)
  if (complete.store === undefined && complete.options.baseUrl !== undefined)
    complete = (await import('./features/other-logs/other-logs.ts')).withOtherLogs(complete, steps)
  return dryRun ? complete : (await import('./features/finished/finished.ts')).withFinished(complete)
}

/** Features that commands use, by what asks for them: an option, a refusal, or the shell. */
export const byOption = {
  plan: () => import('./features/migration/load-plan.ts'),
  watch: () => import('./features/watch/watch.ts'),
  ledger: () => import('./features/ledger/resolve.ts'),
  settleInLedger: () => import('./features/ledger/settle-from.ts'),
  ledgerLog: () => import('./features/ledger/export.ts'),
  completion: () => import('./features/completion/completion.ts'),
  otherLog: () => import('./features/other-logs/next-steps.ts'),
}
