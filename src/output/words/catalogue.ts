import { featureWords } from '../../feature-words.ts'
import { fileWords } from './file-words.ts'
import { rowWords } from './row-words.ts'
import { lockWords, logWords, stopWords, unmetWords } from './run-words.ts'
import { sourceWords } from './source-words.ts'
import { usageWords } from './usage-words.ts'

/** All codes, with their parameters and sentences. The unions of problems are derived from it, by its type alone. */
export const catalogues = {
  rows: { ...rowWords, ...featureWords.rows },
  files: { ...fileWords, ...featureWords.files },
  usage: { ...usageWords, ...featureWords.usage },
  sources: { ...sourceWords, ...featureWords.sources },
  log: { ...logWords, ...featureWords.log },
  lock: { ...lockWords, ...featureWords.lock },
  stops: stopWords,
  expectations: unmetWords,
}

/** Sentences about the events of features, from whose type the union of events has them. */
export const featureNotices = { news: featureWords.news, warnings: featureWords.warnings }
