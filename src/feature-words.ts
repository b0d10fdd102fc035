import { approvalWords } from './features/approval/words.ts'
import { archiveWords } from './features/archives/words.ts'
import { calendarWords } from './features/calendar/words.ts'
import { cardWords } from './features/cards/words.ts'
import { changesWords } from './features/changes/words.ts'
import { doctorWords } from './features/doctor/words.ts'
import { draftWords } from './features/draft/words.ts'
import { fieldsWords } from './features/fields/words.ts'
import { guideWords } from './features/guide/words.ts'
import { jsonWords } from './features/json-documents/words.ts'
import { ledgerWords } from './features/ledger/words.ts'
import { logToolWords } from './features/log-tools/words.ts'
import { mappingTestWords } from './features/mapping-tests/words.ts'
import { metricsWords } from './features/metrics/words.ts'
import { migrationWords } from './features/migration/words.ts'
import { nearWords } from './features/near-duplicates/words.ts'
import { otherLogWords } from './features/other-logs/words.ts'
import { reconcileWords } from './features/reconcile/words.ts'
import { sandboxWords } from './features/sandbox/words.ts'
import { sanityWords } from './features/sanity-checks/words.ts'
import { sheetWords } from './features/sheets/words.ts'
import { watchWords } from './features/watch/words.ts'

/** The codes of all features, for the catalogue, and the sentences about their events. The words of a feature import no other part of it. */
export const featureWords = {
  rows: {
    ...nearWords.rows,
    ...sheetWords.rows,
    ...cardWords.rows,
    ...calendarWords.rows,
    ...migrationWords.rows,
    ...logToolWords.rows,
    ...reconcileWords.rows,
  },
  sources: { ...archiveWords.sources, ...sheetWords.sources, ...calendarWords.sources, ...jsonWords.sources },
  files: migrationWords.files,
  usage: {
    ...approvalWords.usage,
    ...changesWords.usage,
    ...doctorWords.usage,
    ...fieldsWords.usage,
    ...draftWords.usage,
    ...guideWords.usage,
    ...ledgerWords.usage,
    ...logToolWords.usage,
    ...mappingTestWords.usage,
    ...metricsWords.usage,
    ...migrationWords.usage,
    ...otherLogWords.usage,
    ...reconcileWords.usage,
    ...sandboxWords.usage,
    ...watchWords.usage,
  },
  log: ledgerWords.log,
  lock: ledgerWords.lock,
  news: { ...sanityWords.news, ...otherLogWords.news, ...ledgerWords.news },
  warnings: { ...sanityWords.warnings, ...otherLogWords.warnings, ...ledgerWords.warnings },
}
